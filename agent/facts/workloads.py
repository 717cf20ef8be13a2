"""Facts about the pods that an action would stop: budgets, controllers, data, checkpoints, grace. Pure."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from firstfault.agent.facts.pins import PINS
from firstfault.agent.facts.pods import (
    grace_s,
    has_ended,
    is_crash_looping,
    is_protected,
    is_stateful,
    job_of,
    matches,
    node_of,
    owner_of,
    stays_on_drain,
)
from firstfault.agent.facts.settings import FactSettings
from firstfault.agent.facts.snapshot import ApiObject, Snapshot, instant
from firstfault.policies.facts import WorkloadFacts
from firstfault.policies.targets import Target, TargetKind

_LOCAL_SOURCES = ("local", "hostPath")
SELECTING = frozenset({"Deployment", "DaemonSet"})
"""Kinds that pick their pods by a selector."""


def pods_that_stop(
    snapshot: Snapshot, target: Target, settings: FactSettings
) -> tuple[ApiObject, ...] | None:
    """Return the pods an action on `target` would stop; None when not all of them are known."""
    if target.kind is TargetKind.POD:
        pod = snapshot.get("pod", target.name, target.namespace)
        return (pod,) if pod is not None and pod.whole else None
    pods = snapshot.all("pod")
    if pods is None or not all(pod.whole for pod in pods):
        return None
    if target.workload_kind in PINS:
        return None
    if target.workload_kind in SELECTING:
        return _selected(snapshot, target, pods)
    if target.kind in {TargetKind.JOB, TargetKind.WORKLOAD}:
        wanted = f"{target.namespace or ''}/{target.name}"
        return tuple(pod for pod in pods if job_of(pod, settings) == wanted and not has_ended(pod))
    node = target.name if target.kind is TargetKind.NODE else target.node
    return tuple(pod for pod in pods if node_of(pod) == node and not stays_on_drain(pod))


def workload_facts(
    snapshot: Snapshot, target: Target, as_of: datetime | None, settings: FactSettings
) -> WorkloadFacts:
    """Return what is known of the pods that would stop; every number is None when the pods are not all known."""
    if target.workload_kind in PINS:
        return WorkloadFacts(
            observed_at=snapshot.observed_at, protected_pods=_protected_by_pin(snapshot, target, settings)
        )
    pods = pods_that_stop(snapshot, target, settings)
    if pods is None:
        return WorkloadFacts()
    age, location = _checkpoint(snapshot, pods, as_of, settings)
    return WorkloadFacts(
        observed_at=snapshot.observed_at,
        pdbs_without_room=_pdbs_without_room(snapshot, pods),
        unmanaged_pods=sum(owner_of(pod) is None for pod in pods),
        stateful_pods=_stateful_pods(snapshot, pods),
        protected_pods=sum(is_protected(pod, settings) for pod in pods),
        checkpoint_age_s=age,
        checkpoint_location=location,
        longest_grace_s=max((grace_s(pod) for pod in pods), default=0),
        crash_looping=is_crash_looping(pods[0]) if target.kind is TargetKind.POD else None,
        job_controller=target.workload_kind if target.kind in {TargetKind.JOB, TargetKind.WORKLOAD} else None,
        queue_admits_job=_queue_admits(snapshot, target),
    )


def _selected(snapshot: Snapshot, target: Target, pods: Sequence[ApiObject]) -> tuple[ApiObject, ...] | None:
    item = snapshot.get(target.workload_kind or "", target.name, target.namespace)
    selector = item.part("spec", "selector") if item else None
    if not selector:
        return None
    return tuple(
        pod for pod in pods if pod.namespace == target.namespace and matches(selector, pod.labels or {})
    )


def _protected_by_pin(snapshot: Snapshot, target: Target, settings: FactSettings) -> int | None:
    """Return 1 when a pin deploys into a protected namespace, else 0; None when it is not known where it deploys."""
    item = snapshot.get(target.workload_kind or "", target.name, target.namespace)
    if item is None:
        return None
    place = (
        item.value("spec", "destination", "namespace")
        or item.value("spec", "targetNamespace")
        or item.namespace
    )
    return None if place is None else int(place in settings.protected_namespaces)


def _pdbs_without_room(snapshot: Snapshot, pods: Sequence[ApiObject]) -> int | None:
    """Return how many budgets allow fewer evictions than the pods they cover here; None when budgets are not all known."""
    budgets = snapshot.all("poddisruptionbudget")
    if budgets is None:
        return None
    tight = 0
    for budget in budgets:
        selector = budget.part("spec", "selector")
        covered = [
            pod for pod in pods if pod.namespace == budget.namespace and matches(selector, pod.labels or {})
        ]
        allowed = budget.value("status", "disruptionsAllowed")
        if covered and not isinstance(allowed, int):
            return None
        tight += isinstance(allowed, int) and len(covered) > allowed
    return tight


def _stateful_pods(snapshot: Snapshot, pods: Sequence[ApiObject]) -> int | None:
    volumes = snapshot.by_kind.get("persistentvolume", ())
    local = frozenset(
        str(volume.value("spec", "claimRef", "name"))
        for volume in volumes
        if any(volume.value("spec", source) is not None for source in _LOCAL_SOURCES)
    )
    return sum(is_stateful(pod, local) for pod in pods)


def _checkpoint(
    snapshot: Snapshot,
    pods: Sequence[ApiObject],
    as_of: datetime | None,
    settings: FactSettings,
) -> tuple[int | None, str | None]:
    """Return the age of the oldest last checkpoint among the jobs that would stop, and where it lies.

    0 when no job would stop; None when a job says nothing about its checkpoints.
    """
    jobs = Counter(name for name in (job_of(pod, settings) for pod in pods) if name)
    ages: list[int] = []
    places: set[str] = set()
    for job in sorted(jobs):
        members = [pod for pod in pods if job_of(pod, settings) == job]
        stamp = _latest(members, settings, _job_objects(snapshot, job))
        if stamp is None or as_of is None:
            return None, None
        ages.append(max(0, int((as_of - stamp[0]).total_seconds())))
        places.add(stamp[1])
    return max(ages, default=0), ", ".join(sorted(places - {""})) or None


def _job_objects(snapshot: Snapshot, job: str) -> list[ApiObject]:
    namespace, _, name = job.partition("/")
    found = (snapshot.get(kind, name, namespace) for kind in ("jobset", "job", "pytorchjob", "mpijob"))
    return [item for item in found if item is not None]


def _latest(
    members: Sequence[ApiObject], settings: FactSettings, jobs: Sequence[ApiObject]
) -> tuple[datetime, str] | None:
    stamps: list[tuple[datetime, str]] = []
    for item in (*members, *jobs):
        notes = item.annotations or {}
        at = instant(notes.get(settings.checkpoint_annotation))
        if at is not None:
            stamps.append((at, str(notes.get(settings.checkpoint_location_annotation) or "")))
    return max(stamps, default=None)


def _queue_admits(snapshot: Snapshot, target: Target) -> bool | None:
    """Return whether the queue that admitted the job still holds quota for it; True for a job that is in no queue."""
    if target.kind not in {TargetKind.JOB, TargetKind.WORKLOAD}:
        return None
    job = next(
        (item for item in _job_objects(snapshot, f"{target.namespace or ''}/{target.name}") if item.whole),
        None,
    )
    if job is None:
        return None
    queue = (job.labels or {}).get("kueue.x-k8s.io/queue-name")
    if not queue:
        return True
    local = snapshot.get("localqueue", str(queue), target.namespace)
    active = (
        [
            row.get("status") == "True"
            for row in local.rows("status", "conditions")
            if row.get("type") == "Active"
        ]
        if local
        else []
    )
    return active[0] if active else None
