"""Objects of a live cluster as a snapshot, read through the read door: just what a decision on one target needs.

What cannot be read is left out and its kind is not complete, so that the facts that rest on it are unknown.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from firstfault.agent.facts.pins import source_of
from firstfault.agent.facts.pods import job_of, node_of
from firstfault.agent.facts.settings import FactSettings
from firstfault.agent.facts.snapshot import ApiObject, Snapshot, absence_of
from firstfault.policies.targets import Target, TargetKind
from firstfault.tools.kube.door import ReadDoor, Resource
from firstfault.tools.kube.errors import KubeError, NotFoundError
from firstfault.tools.kube.resources import (
    APPLICATIONS,
    BUDGETS,
    CLAIMS,
    DAEMON_SETS,
    DEPLOYMENTS,
    GIT_REPOSITORIES,
    HELM_RELEASES,
    JOB_SETS,
    JOBS,
    KUSTOMIZATIONS,
    LEASES,
    LOCAL_QUEUES,
    MPI_JOBS,
    NODES,
    PODS,
    PYTORCH_JOBS,
    REPLICA_SETS,
    REVISIONS,
    VOLUMES,
    WORKLOADS,
)

_JOB_KINDS = (JOB_SETS, JOBS, PYTORCH_JOBS, MPI_JOBS)
_OF_A_WORKLOAD = {
    "Deployment": (DEPLOYMENTS, REPLICA_SETS),
    "DaemonSet": (DAEMON_SETS, REVISIONS),
    "Application": (APPLICATIONS,),
    "HelmRelease": (HELM_RELEASES,),
    "Kustomization": (KUSTOMIZATIONS,),
}
_SELECTS_PODS = frozenset({"Deployment", "DaemonSet"})


@dataclass(slots=True, kw_only=True)
class _Collected:
    """What was read so far. gaps: what could not be, in one line each."""

    objects: list[ApiObject] = field(default_factory=list[ApiObject])
    listed: set[str] = field(default_factory=set[str])
    broken: set[str] = field(default_factory=set[str])
    absent: set[str] = field(default_factory=set[str])
    gaps: list[str] = field(default_factory=list[str])


def read_snapshot(
    door: ReadDoor, target: Target, settings: FactSettings, now: Callable[[], datetime]
) -> Snapshot:
    """Return what the cluster says about `target` and its surroundings; never raises for what the cluster does.

    observed_at is the moment before the first read: facts are never taken for fresher than they are. A name that no object
    can have is not asked for.
    """
    began = now()
    if not target.is_well_formed:
        return Snapshot(observed_at=began)
    found = _Collected()
    _list(door, found, NODES)
    _list(door, found, BUDGETS)
    _leases(door, found, target, settings)
    pods = _pods(door, found, target, settings)
    _jobs(door, found, target, {job for job in (job_of(pod, settings) for pod in pods) if job})
    _storage(door, found, pods)
    _workload(door, found, target)
    return Snapshot(
        objects=tuple(found.objects),
        complete=frozenset(found.listed - found.broken),
        observed_at=began,
        absent=frozenset(found.absent),
        gaps=tuple(dict.fromkeys(found.gaps)),
    )


def with_kind(door: ReadDoor, target: Target) -> Target:
    """Return the target with the kind that its object has; as it is when it needs none, or when none is found."""
    if (
        target.workload_kind
        or target.kind not in {TargetKind.JOB, TargetKind.WORKLOAD}
        or not target.is_well_formed
    ):
        return target
    kinds = (
        _JOB_KINDS
        if target.kind is TargetKind.JOB
        else (DEPLOYMENTS, DAEMON_SETS, APPLICATIONS, HELM_RELEASES, KUSTOMIZATIONS)
    )
    found = _Collected()
    seen = (each.kind for each in kinds if _one(door, found, each, target.name, target.namespace))
    return replace(target, workload_kind=next(seen, None))


def _list(
    door: ReadDoor,
    found: _Collected,
    resource: Resource,
    namespace: str | None = None,
    selectors: Mapping[str, str] | None = None,
) -> list[ApiObject] | None:
    """Read a list and note it as complete; None when it could not be read. A kind that is not served has no objects."""
    try:
        items = door.list(resource, namespace, selectors).items
    except NotFoundError:
        items = ()
    except KubeError as error:
        found.gaps.append(str(error))
        found.broken.add(resource.kind.lower())
        return None
    objects = [ApiObject.raw(resource.kind, item) for item in items]
    found.objects += objects
    found.listed.add(resource.kind.lower())
    return objects


def _pods(door: ReadDoor, found: _Collected, target: Target, settings: FactSettings) -> list[ApiObject]:
    """Read the pods that an action would stop, and every pod of their jobs: complete for what is asked of them."""
    own = _own_pods(door, found, target, settings)
    if own is None:
        return []
    seen = {(pod.namespace, pod.name) for pod in own}
    for job in sorted({job for job in (job_of(pod, settings) for pod in own) if job}):
        namespace, _, name = job.partition("/")
        members = _list_by_job(door, found, namespace, name, settings)
        if members is None:
            return []
        seen |= {(pod.namespace, pod.name) for pod in members}
    return [pod for pod in found.objects if pod.kind == "Pod" and (pod.namespace, pod.name) in seen]


def _own_pods(
    door: ReadDoor, found: _Collected, target: Target, settings: FactSettings
) -> list[ApiObject] | None:
    if target.kind in {TargetKind.NODE, TargetKind.GPU}:
        node = target.name if target.kind is TargetKind.NODE else target.node or ""
        return _list(door, found, PODS, selectors={"fieldSelector": f"spec.nodeName={node}"})
    if target.kind is TargetKind.POD:
        pods = _list(door, found, PODS, target.namespace, {"fieldSelector": f"metadata.name={target.name}"})
        hosts = {node for pod in pods or () if (node := node_of(pod))}
        return None if pods is None or len(hosts) > 1 else pods
    if target.workload_kind in _SELECTS_PODS:
        return _selected_pods(door, found, target)
    return _list_by_job(door, found, target.namespace or "", target.name, settings)


def _selected_pods(door: ReadDoor, found: _Collected, target: Target) -> list[ApiObject] | None:
    """Read the pods that a Deployment's or DaemonSet's own selector picks."""
    item = _one(door, found, _OF_A_WORKLOAD[target.workload_kind or ""][0], target.name, target.namespace)
    wanted = item.part("spec", "selector", "matchLabels") if item else None
    if not wanted:
        found.broken.add("pod")
        return None
    selector = ",".join(f"{key}={value}" for key, value in sorted(wanted.items()))
    return _list(door, found, PODS, target.namespace, {"labelSelector": selector})


def _list_by_job(
    door: ReadDoor, found: _Collected, namespace: str, name: str, settings: FactSettings
) -> list[ApiObject] | None:
    """Read the pods of a job under each label that jobs are known by."""
    members: list[ApiObject] = []
    for key in settings.job_labels:
        rows = _list(door, found, PODS, namespace or None, {"labelSelector": f"{key}={name}"})
        if rows is None:
            return None
        members += rows
    return members


def _leases(door: ReadDoor, found: _Collected, target: Target, settings: FactSettings) -> None:
    """Read the leases by which controllers keep a machine to themselves."""
    node = target.name if target.kind is TargetKind.NODE else target.node
    for namespace, name in settings.leases_of(node) if node else ():
        _one(door, found, LEASES, name, namespace)


def _jobs(door: ReadDoor, found: _Collected, target: Target, jobs: Iterable[str]) -> None:
    names = set(jobs)
    if target.kind in {TargetKind.JOB, TargetKind.WORKLOAD}:
        names.add(f"{target.namespace or ''}/{target.name}")
    for job in sorted(names):
        namespace, _, name = job.partition("/")
        for resource in _JOB_KINDS:
            _one(door, found, resource, name, namespace)
    if target.kind is TargetKind.JOB:
        _list(door, found, WORKLOADS, target.namespace)
        _list(door, found, LOCAL_QUEUES, target.namespace)


def _storage(door: ReadDoor, found: _Collected, pods: Iterable[ApiObject]) -> None:
    """Read the claims of the pods and their volumes; what cannot be read counts as a claim all the same."""
    for pod in pods:
        for volume in pod.rows("spec", "volumes"):
            claim = volume.get("persistentVolumeClaim")
            name = claim.get("claimName") if isinstance(claim, dict) else None
            if not isinstance(name, str):
                continue
            item = _one(door, found, CLAIMS, name, pod.namespace)
            bound = item.value("spec", "volumeName") if item else None
            if isinstance(bound, str):
                _one(door, found, VOLUMES, bound, None)


def _workload(door: ReadDoor, found: _Collected, target: Target) -> None:
    item: ApiObject | None = None
    for position, resource in enumerate(_OF_A_WORKLOAD.get(target.workload_kind or "", ())):
        if position == 0:
            item = _one(door, found, resource, target.name, target.namespace)
        else:
            _list(door, found, resource, target.namespace)
    if item is not None and item.kind == KUSTOMIZATIONS.kind and (source := source_of(item)):
        _one(door, found, GIT_REPOSITORIES, source[1], source[0])
        _list(door, found, KUSTOMIZATIONS)


def _one(
    door: ReadDoor, found: _Collected, resource: Resource, name: str, namespace: str | None
) -> ApiObject | None:
    try:
        body = door.find(resource, name, namespace)
    except KubeError as error:
        found.gaps.append(str(error))
        return None
    if body is None:
        found.absent.add(absence_of(resource.kind, name, namespace))
        return None
    item = ApiObject.raw(resource.kind, body)
    found.objects.append(item)
    return item
