"""What the executor works with, put together in the command line, and the events it leaves."""

from collections.abc import Callable
from dataclasses import dataclass

from firstfault.agent.executor.clock import Clock
from firstfault.agent.executor.cluster import Cluster
from firstfault.agent.executor.journal import ACTOR
from firstfault.agent.executor.plans.planning import PlanSettings
from firstfault.agent.facts.settings import Switches
from firstfault.agent.store import NewEvent, Store
from firstfault.agent.store.decisions import DecisionRecord
from firstfault.agent.store.ledger import Execution
from firstfault.policies import Limits, ModeTable, Policies
from firstfault.policies.approvals import Roster
from firstfault.tools.kube.door import ReadDoor


@dataclass(frozen=True, kw_only=True)
class Equipment:
    """What the executor works with.

    holder: its own name. stop_reason: why nothing may be sent now, asked before every request. switches: the kill switches,
    looked at anew each time. modes: the promoted cells, from a ledger that was checked. roster: who may approve what now.
    """

    store: Store
    door: ReadDoor
    cluster: Cluster
    policies: Policies
    limits: Limits
    plans: PlanSettings
    clock: Clock
    holder: str
    switches: Callable[[], Switches]
    stop_reason: Callable[[], str | None]
    modes: Callable[[], ModeTable]
    roster: Callable[[], Roster]

    def note(self, about: DecisionRecord | Execution, kind: str, key: str, why: str) -> None:
        """Append one audit event about a decision or an execution; the same kind and key again adds nothing."""
        self.append(about.correlation_id, about.incident_id, kind, f"{about.id}/{key}", why)

    def append(
        self, correlation_id: str, subject: str, kind: str, key: str, why: str
    ) -> None:  # an event's fields
        """Append one audit event."""
        event = NewEvent(
            correlation_id=correlation_id,
            kind=kind,
            key=key,
            at=self.clock.now(),
            actor=ACTOR,
            subject=subject,
            why=why,
        )
        self.store.audit.append(event)
