"""Changes that objects tell of themselves: revisions, deliveries of Argo CD and Flux, who wrote last, cordons.

The same for a recording and a live cluster. Only what is recent counts: an object of last year is no news of tonight.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, timedelta

from firstfault.tools.context import ReadContext
from firstfault.tools.entities import EntityRef
from firstfault.tools.readers.kube.kinds import entity_of
from firstfault.tools.readers.kube.stamping import field_stamp, is_later
from firstfault.tools.readings import Change, Json, KubeObject

RECENT = timedelta(hours=24)
"""How long before the incident a change is still news. Ours."""
_REVISION = "[deployment.kubernetes.io/revision]"
_CAUSE = "[kubernetes.io/change-cause]"
_RELEASE = "[meta.helm.sh/release-name]"
_CHART = "[helm.sh/chart]"
_CORDONED = "node.kubernetes.io/unschedulable"
"""Source: Kubernetes, well-known taints."""
_ROUTINE = (
    "kube-controller-manager", "kubelet", "kube-scheduler", "kube-apiserver", "coredns", "cluster-autoscaler",
    "node-problem-detector", "gpu-feature-discovery", "nfd-master", "k3s", "cloud-controller-manager",
)  # fmt: skip
"""Managers that write all the time, for everybody: none of their writes is a decision of somebody."""
_MANAGERS = (
    ("helm-controller", "gitops_sync"),
    ("helm", "helm"),
    ("argocd", "gitops_sync"),
    ("kustomize-controller", "gitops_sync"),
    ("flux", "gitops_sync"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """One change. path: the field that gives the time, which is also what is cited."""

    what: str
    path: str
    kind: str
    who: str | None = None
    why: str | None = None


def object_changes(objects: Iterable[KubeObject], context: ReadContext) -> Iterator[Change]:
    """Yield what the objects tell of their own changes, each with its time; nothing without one, nothing that is old."""
    for item in objects:
        for told in _told(item):
            stamp = field_stamp(item.text(told.path), item.document, item.line_of(told.path), context)
            if stamp is None or stamp.at is None or is_later(stamp, context):
                continue
            if context.now is not None and stamp.at.astimezone(UTC) < context.now - RECENT:
                continue
            line = item.line_of(told.path)
            yield Change(
                what=told.what,
                document=item.document,
                line=line,
                line_end=line,
                kind=told.kind,
                who=told.who,
                why=told.why,
                stamp=stamp,
                scope=(_subject(item),),
            )


def _told(item: KubeObject) -> Iterator[_Told]:
    teller = _TELLERS.get(item.kind)
    if teller is not None:
        yield from teller(item)


def _subject(item: KubeObject) -> EntityRef:
    owner = next(iter(item.items("metadata.ownerReferences")), None)
    if item.kind in {"ReplicaSet", "ControllerRevision"} and owner and owner.get("name"):
        kind, name = str(owner.get("kind")), str(owner["name"])
    else:
        kind, name = item.kind, item.name
    return replace(entity_of(kind, name, item.namespace), api_kind=kind)


def _full(kind: str, name: str, namespace: str | None) -> str:
    return f"{kind} {namespace}/{name}" if namespace else f"{kind} {name}"


def _revision(item: KubeObject) -> Iterator[_Told]:
    """A ReplicaSet or a ControllerRevision is one revision of its owner's template."""
    owner = next(iter(item.items("metadata.ownerReferences")), None)
    number = item.text(f"metadata.annotations.{_REVISION}") or item.text("revision")
    if owner is None or not number:
        return
    template = "spec.template.spec" if item.kind == "ReplicaSet" else "data.spec.template.spec"
    images = ", ".join(str(each.get("image")) for each in item.items(f"{template}.containers"))
    what = f"{_full(str(owner.get('kind')), str(owner.get('name')), item.namespace)} got revision {number}"
    yield _Told(
        what=f"{what}: {images}" if images else what,
        path="metadata.creationTimestamp",
        kind="deployment",
        why=item.text(f"metadata.annotations.{_CAUSE}") or None,
    )


def _written(item: KubeObject) -> Iterator[_Told]:
    """Who wrote an object, from its managed fields: writes of its status and of routine managers are left out."""
    release, chart = item.text(f"metadata.annotations.{_RELEASE}"), item.text(f"metadata.labels.{_CHART}")
    for number, entry in enumerate(item.items("metadata.managedFields")):
        manager = str(entry.get("manager") or "")
        if not manager or entry.get("subresource") or manager.startswith(_ROUTINE):
            continue
        kind = next(
            (kind for start, kind in _MANAGERS if manager.startswith(start)), _KIND_OF_WRITE[item.kind]
        )
        of = f", release {release} ({chart or 'chart not named'})" if release and kind == "helm" else ""
        yield _Told(
            what=f"{_full(item.kind, item.name, item.namespace)} was written by {manager}{of}",
            path=f"metadata.managedFields.{number}.time",
            kind=kind,
            who=manager,
        )


def _node(item: KubeObject) -> Iterator[_Told]:
    for number, taint in enumerate(item.items("spec.taints")):
        if taint.get("key") == _CORDONED:
            yield _Told(
                what=f"node {item.name} was cordoned",
                path=f"spec.taints.{number}.timeAdded",
                kind="cordon",
                who=_cordoner(item),
            )


def _cordoner(item: KubeObject) -> str | None:
    managers = [str(each.get("manager") or "") for each in item.items("metadata.managedFields")]
    return next((each for each in managers if "cordon" in each or "drain" in each), None)


def _application(item: KubeObject) -> Iterator[_Told]:
    """Argo CD keeps what it deployed in `status.history` and what it does in `status.operationState`.

    Source: Argo CD, Application CRD v1alpha1.
    """
    for number, entry in enumerate(item.items("status.history")):
        revision = str(entry.get("revision") or entry.get("revisions") or "?")
        yield _Told(
            what=f"Argo CD deployed {item.name} at {revision[:40]}{_from(entry)}",
            path=f"status.history.{number}.deployedAt",
            kind="gitops_sync",
            who=_initiator(entry.get("initiatedBy")),
            why=f"history id {entry.get('id')}",
        )
    phase = item.text("status.operationState.phase")
    if phase and phase != "Succeeded":
        yield _Told(
            what=f"Argo CD's sync of {item.name} is {phase}",
            path="status.operationState.startedAt",
            kind="gitops_sync",
            who=_initiator(item.get("status.operationState.operation.initiatedBy")),
            why=item.text("status.operationState.message") or None,
        )


def _from(entry: Mapping[str, Json]) -> str:
    source = entry.get("source")
    where = source.get("repoURL") if isinstance(source, dict) else None
    return f" from {where}" if where else ""


def _initiator(value: Json) -> str | None:
    if not isinstance(value, dict):
        return None
    if value.get("automated"):
        return "automated sync"
    name = value.get("username")
    return name if isinstance(name, str) and name else None


def _release(item: KubeObject) -> Iterator[_Told]:
    """Flux keeps releases in `status.history`. Source: Flux, HelmRelease CRD v2."""
    for number, entry in enumerate(item.items("status.history")):
        chart = f"{entry.get('chartName')}-{entry.get('chartVersion')}"
        yield _Told(
            what=f"Flux released {_full('Helm release', item.name, item.namespace)}: {chart}, {entry.get('status')}",
            path=f"status.history.{number}.lastDeployed",
            kind="helm",
            who="helm-controller",
            why=f"release version {entry.get('version')}",
        )
    yield from _reconciled(item)


def _reconciled(item: KubeObject) -> Iterator[_Told]:
    """Flux says with its Ready condition what it applied last, or why it could not. Source: Flux, Kustomization CRD v1."""
    for number, condition in enumerate(item.items("status.conditions")):
        if condition.get("type") == "Ready":
            revision = item.text("status.lastAppliedRevision") or item.text("status.lastAttemptedRevision")
            applied = f" at {revision}" if revision else ""
            yield _Told(
                what=f"Flux reconciled {_full(item.kind, item.name, item.namespace)}{applied}: {condition.get('reason')}",
                path=f"status.conditions.{number}.lastTransitionTime",
                kind="gitops_sync",
                who="flux",
                why=str(condition.get("message") or "") or None,
            )


_KIND_OF_WRITE = {
    "Deployment": "deployment",
    "DaemonSet": "deployment",
    "StatefulSet": "deployment",
    "ConfigMap": "config",
    "ResourceQuota": "quota",
    "LimitRange": "quota",
    "StorageClass": "config",
    "ClusterPolicy": "config",
    "NVIDIADriver": "driver",
    "ValidatingWebhookConfiguration": "config",
    "MutatingWebhookConfiguration": "config",
    "Service": "config",
    "NetworkPolicy": "network",
}
_TELLERS: dict[str, Callable[[KubeObject], Iterator[_Told]]] = {
    **dict.fromkeys(_KIND_OF_WRITE, _written),
    "ReplicaSet": _revision,
    "ControllerRevision": _revision,
    "Node": _node,
    "Application": _application,
    "HelmRelease": _release,
    "Kustomization": _reconciled,
}
