"""Approvals: what one is bound to, who may give it, and where it stands. Pure; storing and signing are the agent's.

pending → approved | rejected | expired | superseded; approved → used | expired | superseded. Nothing comes back from the
right-hand side. An approval is for one decision: another target, other evidence, other policies or other facts need another.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from firstfault.policies.actions import Action
from firstfault.policies.canonical import digest
from firstfault.policies.decision import Digests
from firstfault.policies.proposals import Proposal

SLACK = "slack"
"""How a vote came in that was given in Slack."""
LIFETIME = timedelta(minutes=30)
"""How long an approval can be given and used; the recommendation itself may end sooner."""


class ApprovalState(StrEnum):
    """Where an approval stands."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"
    USED = "used"


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """What one person said. via: how it came in (`cli`, `slack`)."""

    approver: str
    is_yes: bool
    at: datetime
    via: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """One request for a yes. needed: distinct people. superseded_why: what changed since it was asked for."""

    id: str
    decision_id: str
    binding: str
    action: Action
    requester: str
    needed: int
    asked_at: datetime
    expires_at: datetime
    votes: tuple[Vote, ...] = ()
    superseded_why: str | None = None
    used_at: datetime | None = None

    @property
    def approvers(self) -> frozenset[str]:
        """Return the people who said yes; the requester's own yes never counts."""
        return frozenset(
            vote.approver for vote in self.votes if vote.is_yes and vote.approver != self.requester
        )

    def state(self, now: datetime) -> ApprovalState:
        """Return where the approval stands at `now`."""
        if self.used_at is not None:
            return ApprovalState.USED
        if self.superseded_why is not None:
            return ApprovalState.SUPERSEDED
        if any(not vote.is_yes for vote in self.votes):
            return ApprovalState.REJECTED
        if not self.asked_at <= now < self.expires_at:
            return ApprovalState.EXPIRED
        return ApprovalState.APPROVED if len(self.approvers) >= self.needed else ApprovalState.PENDING


def binding_of(proposal: Proposal, digests: Digests) -> str:
    """Return the digest of what an approval is for: action, target, evidence, policies, limits and the facts that hold still."""
    return digest(
        {
            "action": proposal.action,
            "target": proposal.target,
            "parameters": proposal.parameters,
            "failure_class": proposal.failure_class,
            "evidence": proposal.evidence,
            "policies": digests.policies,
            "limits": digests.limits,
            "facts": digests.bound_facts,
        }
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Roster:
    """Who may approve what. groups: name → people; actions: action → people or `group:name`; empty allows nobody.

    slack_groups: groups of which Slack knows further members, whom only it can look up.
    """

    groups: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    actions: Mapping[Action, frozenset[str]] = field(default_factory=dict[Action, frozenset[str]])
    slack_groups: frozenset[str] = frozenset()

    def may_approve(self, person: str, action: Action) -> bool:
        """Return whether `person` is named for `action`, by name or through a group."""
        if person in self.actions.get(action, frozenset()):
            return True
        return any(person in self.groups.get(group, frozenset()) for group in self._groups_of(action))

    def _groups_of(self, action: Action) -> frozenset[str]:
        named = self.actions.get(action, frozenset())
        return frozenset(entry.removeprefix("group:") for entry in named if entry.startswith("group:"))

    def still_counting(self, approval: Approval) -> frozenset[str]:
        """Return those who said yes and may still do so: who is no longer named counts no more.

        A yes through Slack counts as long as a group that Slack knows is named: its members were looked up for the vote.
        """
        is_in_slack = not self._groups_of(approval.action).isdisjoint(self.slack_groups)
        return frozenset(
            vote.approver
            for vote in approval.votes
            if vote.approver in approval.approvers
            and (self.may_approve(vote.approver, approval.action) or (is_in_slack and vote.via == SLACK))
        )


def refusal(approval: Approval, vote: Vote, roster: Roster) -> str | None:
    """Return why `vote` is not taken, in one line, or None. The same vote again is taken and changes nothing."""
    state = approval.state(vote.at)
    mine = next((given for given in approval.votes if given.approver == vote.approver), None)
    if mine is not None and mine.is_yes == vote.is_yes:
        return None
    is_short = state is ApprovalState.APPROVED and len(roster.still_counting(approval)) < approval.needed
    if state is not ApprovalState.PENDING and not is_short:
        return f"approval `{approval.id}` is {state}: ask for a new one"
    if mine is not None:
        return f"`{vote.approver}` has already voted: a vote is not taken back"
    if vote.approver == approval.requester:
        return f"`{vote.approver}` asked for it: somebody else must approve"
    if not roster.may_approve(vote.approver, approval.action):
        return f"`{vote.approver}` may not approve {approval.action}: see [approvers] in the settings"
    return None
