"""Where an incident stands with people: what waits for them, what they said, what became of it. All of it from the database."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from firstfault.agent.feedback.labels import About, labels_of
from firstfault.agent.store import Store
from firstfault.agent.store.decisions import DecisionRecord
from firstfault.agent.store.ledger import Execution
from firstfault.policies.approvals import Approval, ApprovalState

REHEARSED = "execution.rehearsed"
"""The audit event of a dry run; its key is the approval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One approval with the decision it is for, and what became of it.

    refused: why the executor never runs it. rehearsed: what would be sent, where nothing is ever run for real.
    """

    approval: Approval
    decision: DecisionRecord
    state: ApprovalState
    execution: Execution | None = None
    refused: str | None = None
    rehearsed: str | None = None

    @property
    def is_settled(self) -> bool:
        """Return whether nothing about it can change any more."""
        if self.refused is not None or self.rehearsed is not None:
            return True
        if self.execution is not None:
            return self.execution.ended_at is not None
        return self.state in {ApprovalState.REJECTED, ApprovalState.EXPIRED, ApprovalState.SUPERSEDED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What people and the executor did about an incident. version: of the newest report. said: author → class."""

    version: int
    asked: tuple[Asked, ...] = ()
    said: Mapping[str, str] = field(default_factory=dict[str, str])
    quiet_until: datetime | None = None
    quiet_by: str = ""

    @property
    def is_settled(self) -> bool:
        """Return whether nothing that is shown can change by itself."""
        return all(each.is_settled for each in self.asked)


def standing_of(store: Store, incident_id: str, now: datetime) -> Standing:
    """Return where the incident stands at `now`; of approvals for one action on one target, the newest."""
    newest = {
        (each.decision.proposal.action, each.decision.proposal.target.key): each
        for each in _asked(store, incident_id, now)
    }
    return Standing(
        version=store.reports.count(incident_id),
        asked=tuple(newest.values()),
        said=_said(store, incident_id),
    )


def _asked(store: Store, incident_id: str, now: datetime) -> tuple[Asked, ...]:
    rehearsed = {
        event.key: event.why for event in store.audit.events(subject=incident_id) if event.kind == REHEARSED
    }
    return tuple(
        replace(asked(store, approval, now), rehearsed=rehearsed.get(approval.id))
        for approval in store.approvals.of_incident(incident_id)
    )


def asked(store: Store, approval: Approval, now: datetime) -> Asked:
    """Return the approval with everything that is known of it, rehearsals left out."""
    return Asked(
        approval=approval,
        decision=store.decisions.get(approval.decision_id),
        state=approval.state(now),
        execution=store.executions.of_decision(approval.decision_id),
        refused=store.executions.refusal_of(approval.decision_id),
    )


def _said(store: Store, incident_id: str) -> dict[str, str]:
    """Return what people say the class is, the newest word of each."""
    labels = labels_of(store, incident_id)
    return {label.author: label.value for label in labels if label.field is About.FAILURE_CLASS}
