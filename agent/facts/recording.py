"""What a recording offers to the gate: objects it holds, shared causes that were found, switches that were looked at. Pure.

Everything else stays None, so that a recording can never make an action look better known than it is.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from firstfault.agent.facts.fleet import fleet_facts
from firstfault.agent.facts.nodes import node_facts
from firstfault.agent.facts.pods import job_of, node_of
from firstfault.agent.facts.settings import OPT_OUT, FactSettings, Switches
from firstfault.agent.facts.snapshot import ApiObject, Snapshot, snapshot_of
from firstfault.agent.facts.workloads import pods_that_stop, workload_facts
from firstfault.agent.findings import CommonCause
from firstfault.policies.facts import CauseFacts, ControlFacts, Facts
from firstfault.policies.modes import Mode
from firstfault.policies.targets import Target, TargetKind
from firstfault.tools.readings import KubeObject


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseFinding:
    """What correlation found. tested: the fault was compared over enough machines to say that nothing is shared.

    recurred_after_remedy: the same fault was seen again after a reset or reboot; None when no remedy was seen.
    """

    causes: Sequence[CommonCause] = ()
    tested: bool = False
    recurred_after_remedy: bool | None = None


def facts_from_recording(
    objects: Iterable[KubeObject],
    target: Target,
    *,
    as_of: datetime | None,
    cause: CauseFinding | None = None,
    switches: Switches | None = None,
    settings: FactSettings | None = None,
    mode: Mode = Mode.SHADOW,
) -> Facts:
    """Return the facts about `target` that the recorded objects give, as of the end of the recording."""
    return facts_from_snapshot(
        snapshot_of(objects, as_of),
        target,
        as_of=as_of,
        cause=cause or CauseFinding(),
        switches=switches or Switches(),
        settings=settings or FactSettings(),
        mode=mode,
    )


def facts_from_snapshot(
    snapshot: Snapshot,
    target: Target,
    *,
    as_of: datetime | None,
    cause: CauseFinding,
    switches: Switches,
    settings: FactSettings,
    mode: Mode,
) -> Facts:
    """Return the facts about `target` from objects at one time, recorded or live."""
    node = _node_of(snapshot, target)
    stopping = pods_that_stop(snapshot, _on_node(target, node), settings)
    is_empty = None if stopping is None or node is None else not stopping
    return Facts(
        as_of=as_of,
        mode=mode,
        node=node_facts(
            snapshot,
            node,
            is_empty if target.kind in {TargetKind.NODE, TargetKind.GPU} else None,
        ),
        workload=workload_facts(snapshot, target, as_of, settings),
        fleet=fleet_facts(
            snapshot, node, _job_nodes(snapshot, stopping, settings), settings
        ),
        cause=_cause_facts(cause, snapshot.observed_at),
        control=_control_facts(snapshot, target, node, as_of, switches, settings),
    )


def _node_of(snapshot: Snapshot, target: Target) -> str | None:
    if target.kind is TargetKind.NODE:
        return target.name
    if target.kind is TargetKind.POD:
        pod = snapshot.get("pod", target.name, target.namespace)
        return (node_of(pod) if pod else None) or target.node
    return target.node


def _on_node(target: Target, node: str | None) -> Target:
    return (
        Target(kind=TargetKind.NODE, name=node or "")
        if target.kind in {TargetKind.NODE, TargetKind.GPU}
        else target
    )


def _job_nodes(
    snapshot: Snapshot, stopping: Sequence[ApiObject] | None, settings: FactSettings
) -> frozenset[str] | None:
    """Return the machines of the widest job among the pods that would stop; empty when there is none."""
    if stopping is None:
        return None
    jobs = {job for job in (job_of(pod, settings) for pod in stopping) if job}
    everywhere = [
        pod for pod in snapshot.by_kind.get("pod", ()) if job_of(pod, settings) in jobs
    ]
    spread = {
        job: {node_of(pod) for pod in everywhere if job_of(pod, settings) == job}
        - {None}
        for job in jobs
    }
    widest = max(spread.values(), key=len, default=set[str | None]())
    return frozenset(name for name in widest if name)


def _cause_facts(cause: CauseFinding, observed_at: datetime | None) -> CauseFacts:
    first = cause.causes[0] if cause.causes else None
    if first is None and not cause.tested and cause.recurred_after_remedy is None:
        return CauseFacts()
    return CauseFacts(
        observed_at=observed_at,
        shared_cause=True if first else (False if cause.tested else None),
        shared_cause_by=f"{first.dimension} {first.value}: {first.affected} of {first.total}"
        if first
        else None,
        cheaper_remedy_failed=cause.recurred_after_remedy,
    )


def _control_facts(
    snapshot: Snapshot,
    target: Target,
    node: str | None,
    as_of: datetime | None,
    switches: Switches,
    settings: FactSettings,
) -> ControlFacts:
    item = snapshot.get("node", node) if node else None
    if target.kind in {TargetKind.POD, TargetKind.JOB, TargetKind.WORKLOAD}:
        kinds = (
            [target.workload_kind]
            if target.workload_kind
            else ["pod", "jobset", "job", "pytorchjob", "mpijob", "deployment"]
        )
        item = next(
            (
                found
                for kind in kinds
                if (found := snapshot.get(kind, target.name, target.namespace))
            ),
            None,
        )
    return ControlFacts(
        observed_at=switches.observed_at or snapshot.observed_at,
        kill_switch=switches.kill_switch,
        freeze_active=None
        if as_of is None
        else any(entry.covers(as_of, node) for entry in settings.freezes),
        planned_work=_planned(item, node, as_of, settings),
        target_opted_out=_opted_out(item),
        controller_ready=None,
    )


def _planned(
    item: ApiObject | None,
    node: str | None,
    as_of: datetime | None,
    settings: FactSettings,
) -> bool | None:
    if as_of is not None and any(
        entry.covers(as_of, node) for entry in settings.planned_work
    ):
        return True
    if item is None or item.annotations is None or as_of is None:
        return None
    return any(key in item.annotations for key in settings.planned_work_annotations)


def _opted_out(item: ApiObject | None) -> bool | None:
    if item is None or item.labels is None or item.annotations is None:
        return None
    return OPT_OUT in item.labels or OPT_OUT in item.annotations
