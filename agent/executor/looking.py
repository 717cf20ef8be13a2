"""A decision looked at again: live objects, live facts, and the gate's word on them now."""

from dataclasses import dataclass, replace

from firstfault.agent.executor.equipment import Equipment
from firstfault.agent.facts.live import read_snapshot
from firstfault.agent.facts.recording import Surroundings, facts_from_snapshot
from firstfault.agent.facts.repairs import is_controller_ready
from firstfault.agent.facts.snapshot import Snapshot
from firstfault.agent.gate.past import read_history
from firstfault.agent.store.decisions import DecisionRecord
from firstfault.policies import Facts, PolicyDecision, decide
from firstfault.policies.engine import inputs_of


@dataclass(frozen=True, kw_only=True)
class Looked:
    """What there is now, and what the gate says to it. bound: the facts that an approval of the action is bound to."""

    snapshot: Snapshot
    facts: Facts
    decision: PolicyDecision
    bound: frozenset[str]


def look(equipment: Equipment, record: DecisionRecord, approvers: int) -> Looked:
    """Return the gate's word with facts as they are now; what correlation found is taken over with its age."""
    proposal, clock, settings = record.proposal, equipment.clock, equipment.plans.facts
    snapshot = read_snapshot(equipment.door, proposal.target, settings, clock.now)
    around = Surroundings(
        as_of=clock.now(),
        mode=equipment.modes().mode_of(proposal.failure_class, proposal.action),
        switches=replace(equipment.switches(), observed_at=snapshot.observed_at),
        settings=settings,
        is_controller_ready=is_controller_ready(equipment.door, equipment.plans.repairs.get(proposal.action)),
        approvers=approvers,
    )
    live = facts_from_snapshot(snapshot, proposal.target, around)
    facts = replace(live, cause=record.facts.cause)
    history = read_history(equipment.store)
    decision = decide(proposal, facts, history, equipment.limits, equipment.policies)
    bound = inputs_of(proposal, facts, history, equipment.limits, equipment.policies).bound
    return Looked(snapshot=snapshot, facts=facts, decision=decision, bound=bound)


def what_changed(record: DecisionRecord, looked: Looked) -> str:
    """Return what is no longer as it was approved, in one line."""
    before, now = record.decision.digests, looked.decision.digests
    parts = [name for name in ("policies", "limits") if getattr(before, name) != getattr(now, name)]
    old, new = record.facts.bound(looked.bound), looked.facts.bound(looked.bound)
    parts += [
        f"{name} was {old.get(name, 'unknown')}, is {new.get(name, 'unknown')}"
        for name in sorted({*old, *new})
        if old.get(name) != new.get(name)
    ]
    return "changed since it was approved: " + ("; ".join(parts) or "the decision itself")
