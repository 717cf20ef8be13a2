"""The desk where people say yes or no: asks, takes votes, makes void what has changed; each of it once, and in the audit.

Errors
└── VoteRefusedError      a vote is not taken; the message says why and what to do
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from firstfault.agent.store import NewEvent, Store
from firstfault.agent.store.canon import digest
from firstfault.agent.store.decisions import DecisionRecord
from firstfault.policies import Outcome
from firstfault.policies.approvals import LIFETIME, Approval, ApprovalState, Roster, Vote, refusal


class VoteRefusedError(Exception):
    """A vote is not taken."""


@dataclass(frozen=True, kw_only=True)
class ApprovalDesk:
    """Asks people and notes what they say. roster: who may approve what."""

    store: Store
    roster: Roster

    def ask(self, record: DecisionRecord, now: datetime) -> Approval | None:
        """Return the approval that is asked for, or None when the decision needs none. Asking twice asks once."""
        if record.decision.decision is not Outcome.NEEDS_APPROVAL:
            return None
        ends = record.proposal.expires_at
        approval = Approval(
            id=f"apr-{digest(record.id)[:16]}",
            decision_id=record.id,
            binding=record.binding,
            action=record.proposal.action,
            requester=record.proposal.principal.name,
            needed=record.decision.approvers_needed,
            asked_at=now,
            expires_at=min(now + LIFETIME, ends) if ends else now + LIFETIME,
        )
        with self.store.together():
            asked = self.store.approvals.ask(approval)
            self._note(
                asked, "approval.asked", "asked", now, "firstfault", f"needs {asked.needed} to approve"
            )
        return asked

    def vote(self, approval_id: str, vote: Vote) -> Approval:
        """Return the approval after the vote; the same vote again changes nothing.

        Raises VoteRefusedError, UnknownDecisionError or ForgedRowError.
        """
        with self.store.together():
            approval = self.store.approvals.get(approval_id)
            why = refusal(approval, vote, self.roster)
            if why is None:
                approval = self.store.approvals.vote(approval_id, vote)
                kind = "approval.approved" if vote.is_yes else "approval.rejected"
                self._note(approval, kind, vote.approver, vote.at, vote.approver, f"said through {vote.via}")
                return approval
            self._note(
                approval,
                "approval.vote_refused",
                f"{vote.approver}@{vote.at.isoformat()}",
                vote.at,
                vote.approver,
                why,
            )
        raise VoteRefusedError(why)

    def supersede(self, approval_id: str, why: str, now: datetime) -> Approval:
        """Return the approval, void from now on. Raises UnknownDecisionError or ForgedRowError."""
        with self.store.together():
            approval = self.store.approvals.supersede(approval_id, why)
            self._note(approval, "approval.superseded", "superseded", now, "firstfault", why)
        return approval

    def renew(self, earlier: Iterable[str], record: DecisionRecord, now: datetime) -> Approval | None:
        """Return the approval for a decision that was made anew, after the decisions `earlier` on the same action and target.

        One that is bound to the same content and still pending goes on; any other that could still be used is void.
        """
        held = [found for each in earlier if (found := self.store.approvals.of_decision(each)) is not None]
        for approval in held:
            if approval.binding == record.binding and approval.state(now) is ApprovalState.PENDING:
                return approval
            if approval.state(now) in {ApprovalState.PENDING, ApprovalState.APPROVED}:
                self.supersede(approval.id, f"decided anew as {record.id}", now)
        return self.ask(record, now)

    def _note(  # noqa: PLR0913, PLR0917  # one private place where events are put together
        self, approval: Approval, kind: str, key: str, at: datetime, actor: str, why: str
    ) -> None:
        record = self.store.decisions.get(approval.decision_id)
        self.store.audit.append(
            NewEvent(
                correlation_id=record.correlation_id,
                kind=kind,
                key=f"{approval.id}/{key}",
                at=at,
                actor=actor,
                subject=record.incident_id,
                why=why,
                payload={
                    "approval": approval.id,
                    "decision": approval.decision_id,
                    "binding": approval.binding,
                },
            )
        )
