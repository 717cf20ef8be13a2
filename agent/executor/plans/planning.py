"""The plan for a proposal, by its action."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from firstfault.agent.executor.plans.delegated import delegate
from firstfault.agent.executor.plans.evictions import restart_pod
from firstfault.agent.executor.plans.jobs import restart_job
from firstfault.agent.executor.plans.nodes import cordon, drain, uncordon
from firstfault.agent.executor.plans.rollback import rollback
from firstfault.agent.executor.steps import NoPlanError, Plan
from firstfault.agent.facts.repairs import Repair
from firstfault.agent.facts.settings import FactSettings
from firstfault.agent.facts.snapshot import Snapshot
from firstfault.policies.actions import Action
from firstfault.policies.proposals import Proposal


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSettings:
    """What plans need to know of a site. repairs: which controller does what."""

    facts: FactSettings = field(default_factory=FactSettings)
    repairs: Mapping[Action, Repair] = field(default_factory=dict[Action, Repair])


def plan_for(proposal: Proposal, decision_id: str, snapshot: Snapshot, settings: PlanSettings) -> Plan:
    """Return the plan for what was decided. Raises NoPlanError when the cluster does not allow for one."""
    planners: Mapping[Action, Callable[[], Plan]] = {
        Action.CORDON_NODE: lambda: cordon(proposal, decision_id, snapshot),
        Action.UNCORDON_NODE: lambda: uncordon(proposal, snapshot),
        Action.DRAIN_NODE: lambda: drain(proposal, decision_id, snapshot, settings.facts),
        Action.RESTART_POD: lambda: restart_pod(proposal, snapshot),
        Action.RESTART_JOB_FROM_CHECKPOINT: lambda: restart_job(
            proposal, decision_id, snapshot, settings.facts
        ),
        Action.GPU_RESET: lambda: delegate(proposal, decision_id, snapshot, settings.repairs),
        Action.NODE_REBOOT: lambda: delegate(proposal, decision_id, snapshot, settings.repairs),
        Action.NODE_REPLACE: lambda: delegate(proposal, decision_id, snapshot, settings.repairs),
        Action.ROLLBACK_CHANGE: lambda: rollback(proposal, decision_id, snapshot),
    }
    planner = planners.get(proposal.action)
    if planner is None:
        msg = f"{proposal.action} is advice: it executes nothing"
        raise NoPlanError(msg)
    return planner()
