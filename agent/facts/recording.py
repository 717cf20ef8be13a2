"""What objects at one time offer to the gate, with shared causes that were found and switches that were looked at. Pure.

Everything else stays None, so that a recording can never make an action look better known than it is.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from firstfault.agent.facts.fleet import JobSpread, fleet_facts
from firstfault.agent.facts.nodes import node_facts
from firstfault.agent.facts.pods import has_ended, job_of, node_of
from firstfault.agent.facts.revisions import change_facts
from firstfault.agent.facts.settings import OPT_OUT, FactSettings, Switches
from firstfault.agent.facts.snapshot import ApiObject, Snapshot, snapshot_of
from firstfault.agent.facts.workloads import pods_that_stop, workload_facts
from firstfault.agent.findings import CommonCause
from firstfault.policies.facts import CauseFacts, ControlFacts, Facts
from firstfault.policies.modes import Mode
from firstfault.policies.targets import Target, TargetKind
from firstfault.tools.readings import KubeObject

_ON_A_MACHINE = frozenset({TargetKind.NODE, TargetKind.GPU})
_WORKLOAD_KINDS = ("pod", "jobset", "job", "pytorchjob", "mpijob", "deployment", "daemonset")


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseFinding:
    """What correlation found. tested: the fault was compared over enough machines to say that nothing is shared.

    recurred_after_remedy: the same fault was seen again after a reset or reboot; None when no remedy was seen.
    observed_at: when it was compared; None: when the objects were read.
    """

    causes: Sequence[CommonCause] = ()
    tested: bool = False
    recurred_after_remedy: bool | None = None
    observed_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What facts need besides objects.

    as_of: the moment that ages and windows are judged at; None when it is not known. is_controller_ready: whether the controller
    that an action would be handed to was seen alive. approvers: people whose valid approval was checked.
    """

    as_of: datetime | None = None
    mode: Mode = Mode.SHADOW
    cause: CauseFinding = field(default_factory=CauseFinding)
    switches: Switches = field(default_factory=Switches)
    settings: FactSettings = field(default_factory=FactSettings)
    is_controller_ready: bool | None = None
    approvers: int = 0


def facts_from_recording(objects: Iterable[KubeObject], target: Target, around: Surroundings) -> Facts:
    """Return the facts about `target` that the recorded objects give, as of the end of the recording."""
    return facts_from_snapshot(snapshot_of(objects, around.as_of), target, around)


def facts_from_snapshot(snapshot: Snapshot, target: Target, around: Surroundings) -> Facts:
    """Return the facts about `target` from objects at one time, recorded or live."""
    node = _node_of(snapshot, target)
    on_machine = target.kind in _ON_A_MACHINE
    stopping = pods_that_stop(snapshot, target, around.settings)
    is_empty = None if stopping is None or not on_machine else not stopping
    return Facts(
        as_of=around.as_of,
        mode=around.mode,
        approvers=around.approvers,
        node=node_facts(snapshot, node, around.as_of, around.settings, is_drained=is_empty),
        workload=workload_facts(snapshot, target, around.as_of, around.settings),
        fleet=fleet_facts(snapshot, node, _job_spread(snapshot, stopping, around.settings), around.settings),
        cause=_cause_facts(around.cause, snapshot.observed_at),
        change=change_facts(snapshot, target),
        control=_control_facts(snapshot, target, node, around),
    )


def _node_of(snapshot: Snapshot, target: Target) -> str | None:
    if target.kind is TargetKind.NODE:
        return target.name
    if target.kind is TargetKind.POD:
        pod = snapshot.get("pod", target.name, target.namespace)
        return (node_of(pod) if pod else None) or target.node
    return target.node


def _job_spread(
    snapshot: Snapshot, stopping: Sequence[ApiObject] | None, settings: FactSettings
) -> JobSpread | None:
    """Return the widest job among the pods that would stop; one without a name when there is none."""
    if stopping is None:
        return None
    jobs = {job for job in (job_of(pod, settings) for pod in stopping) if job}
    spread: dict[str, set[str]] = {job: set() for job in jobs}
    for pod in snapshot.by_kind.get("pod", ()):
        job, node = job_of(pod, settings), node_of(pod)
        if job in spread and node and not has_ended(pod):
            spread[job].add(node)
    widest = max(sorted(spread), key=lambda job: len(spread[job]), default="")
    return JobSpread(name=widest, nodes=frozenset(spread.get(widest, ())))


def _cause_facts(cause: CauseFinding, observed_at: datetime | None) -> CauseFacts:
    first = cause.causes[0] if cause.causes else None
    untested = False if cause.tested else None
    return CauseFacts(
        observed_at=cause.observed_at or observed_at,
        shared_cause=True if first else untested,
        shared_cause_by=f"{first.dimension} {first.value}: {first.affected} of {first.total}"
        if first
        else None,
        cheaper_remedy_failed=cause.recurred_after_remedy,
    )


def _control_facts(
    snapshot: Snapshot, target: Target, node: str | None, around: Surroundings
) -> ControlFacts:
    item = _owned_object(snapshot, target, node)
    as_of = around.as_of
    frozen = None if as_of is None else any(entry.covers(as_of, node) for entry in around.settings.freezes)
    return ControlFacts(
        observed_at=around.switches.observed_at or snapshot.observed_at,
        kill_switch=around.switches.kill_switch,
        freeze_active=frozen,
        planned_work=_planned(item, node, around),
        target_opted_out=_opted_out(item),
        controller_ready=around.is_controller_ready,
    )


def _owned_object(snapshot: Snapshot, target: Target, node: str | None) -> ApiObject | None:
    """Return the object whose owner may have opted out: the target itself, or the machine of a device."""
    if target.kind in _ON_A_MACHINE:
        return snapshot.get("node", node) if node else None
    kinds = (target.workload_kind,) if target.workload_kind else _WORKLOAD_KINDS
    return next(
        (found for kind in kinds if (found := snapshot.get(kind, target.name, target.namespace))), None
    )


def _planned(item: ApiObject | None, node: str | None, around: Surroundings) -> bool | None:
    as_of = around.as_of
    if as_of is not None and any(entry.covers(as_of, node) for entry in around.settings.planned_work):
        return True
    if item is None or item.annotations is None or as_of is None:
        return None
    return any(key in item.annotations for key in around.settings.planned_work_annotations)


def _opted_out(item: ApiObject | None) -> bool | None:
    if item is None or item.labels is None or item.annotations is None:
        return None
    return OPT_OUT in item.labels or OPT_OUT in item.annotations
