"""The gate for live incidents: facts are read from the cluster at that moment, decisions are kept, people are asked."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from firstfault.agent.facts.gate import Asked, Gatekeeper, policy_part
from firstfault.agent.facts.live import read_snapshot, with_kind
from firstfault.agent.facts.recording import CauseFinding, Surroundings, facts_from_snapshot
from firstfault.agent.facts.repairs import Repair, is_controller_ready
from firstfault.agent.facts.settings import Switches
from firstfault.agent.facts.snapshot import FACTS_UNREAD, Snapshot
from firstfault.agent.facts.targets import target_of
from firstfault.agent.findings import Recommendation
from firstfault.agent.gate.approving import ApprovalDesk
from firstfault.agent.gate.past import read_history
from firstfault.agent.report.contract import PolicyPart
from firstfault.agent.store import NewEvent
from firstfault.agent.store.decisions import DecisionRecord, Origin, decision_record
from firstfault.policies import decide
from firstfault.policies.actions import Action
from firstfault.policies.engine import inputs_of
from firstfault.tools.kube.door import ReadDoor


@dataclass(frozen=True, kw_only=True)
class LiveGatekeeper:
    """Decides on recommendations of a live incident. recorded: policies, limits, modes and names of facts."""

    recorded: Gatekeeper
    door: ReadDoor
    desk: ApprovalDesk
    clock: Callable[[], datetime]
    repairs: Mapping[Action, Repair] = field(default_factory=dict[Action, Repair])

    def __call__(self, request: Asked) -> tuple[PolicyPart, ...]:
        """Return one decision for each recommendation, in order; each is kept, and approvals are asked for."""
        return tuple(policy_part(self.decided(item, request).decision) for item in request.recommendations)

    def decided(self, item: Recommendation, request: Asked) -> DecisionRecord:
        """Return the decision on one recommendation as it was kept."""
        gate, store = self.recorded, self.desk.store
        target = with_kind(self.door, target_of(item.target, Snapshot()))
        snapshot = read_snapshot(self.door, target, gate.settings, self.clock)
        proposal = replace(gate.proposal(item, request, self.clock(), snapshot), target=target)
        facts = facts_from_snapshot(snapshot, target, self._around(item, request, snapshot))
        inputs = inputs_of(proposal, facts, read_history(store), gate.limits, gate.policies)
        decision = decide(proposal, facts, inputs.history, gate.limits, gate.policies)
        record = store.decisions.put(
            decision_record(
                inputs,
                decision,
                correlation_id=request.incident.correlation_id,
                made_at=self.clock(),
                origin=Origin.LIVE,
            )
        )
        before = [
            each.id
            for each in store.decisions.of_incident(record.incident_id)
            if (each.proposal.action, each.proposal.target) == (proposal.action, target)
            and each.id != record.id
        ]
        self.desk.renew(before, record, self.clock())
        self._note_gaps(record, snapshot)
        return record

    def _note_gaps(self, record: DecisionRecord, snapshot: Snapshot) -> None:
        """Write into the audit what of the cluster could not be read when it was decided: it is why facts are unknown."""
        if not snapshot.gaps:
            return
        self.desk.store.audit.append(
            NewEvent(
                correlation_id=record.correlation_id,
                kind=FACTS_UNREAD,
                key=record.id,
                at=self.clock(),
                actor="firstfault",
                subject=record.incident_id,
                why="; ".join(snapshot.gaps),
            )
        )

    def _around(self, item: Recommendation, request: Asked, snapshot: Snapshot) -> Surroundings:
        gate = self.recorded
        return Surroundings(
            as_of=self.clock(),
            mode=gate.modes.mode_of(request.diagnosis.failure_class, item.action),
            cause=CauseFinding(
                causes=gate.causes_of(item, request),
                tested=snapshot.all("node") is not None,
                observed_at=self.clock(),
            ),
            switches=Switches(kill_switch=gate.switches().kill_switch, observed_at=snapshot.observed_at),
            settings=gate.settings,
            is_controller_ready=is_controller_ready(self.door, self.repairs.get(item.action)),
        )
