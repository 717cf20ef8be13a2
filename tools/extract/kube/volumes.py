"""Claims, volumes and storage classes read against each other: which field keeps a claim from being bound. Pure.

Source: Kubernetes, "Persistent Volumes" (Binding, Access Modes, Class, Selector, Node Affinity).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from firstfault.tools.extract.kube.cluster import Cluster
from firstfault.tools.extract.kube.containers import pod_spec_path
from firstfault.tools.extract.kube.marks import mark
from firstfault.tools.extract.kube.quantities import quantity
from firstfault.tools.extract.kube.selectors import maps, selector_matches, text_map, texts
from firstfault.tools.readings import KubeObject
from firstfault.tools.signals import Signal

_SHORT_MODES = {
    "RWO": "ReadWriteOnce",
    "ROX": "ReadOnlyMany",
    "RWX": "ReadWriteMany",
    "RWOP": "ReadWriteOncePod",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Misfit:
    """One field of a claim that a volume does not fulfil. field: as the mechanisms of kubernetes.volume name it."""

    field: str
    claim_path: str
    volume_path: str
    detail: str


def volume_signals(cluster: Cluster) -> Iterator[Signal]:
    """Yield what keeps claims from being bound and pods from their claims."""
    for claim in cluster.fullest("persistentvolumeclaim"):
        yield from _claim(claim, cluster)
    for pod in cluster.fullest("pod"):
        yield from _missing_claims(pod, cluster)


def phase_of(item: KubeObject) -> str:
    """Return the phase of a claim or volume, from its status or its row."""
    return item.text("status.phase") or item.columns.get("STATUS", "")


def class_of(item: KubeObject) -> str:
    """Return the storage class a claim or volume names, empty when it names none."""
    name = item.text("spec.storageClassName") or item.columns.get("STORAGECLASS", "")
    return "" if name in {"<unset>", "<none>"} else name


def _claim(claim: KubeObject, cluster: Cluster) -> Iterator[Signal]:
    phase = phase_of(claim)
    if phase == "Lost":
        yield mark(claim, "status.phase", "kube.pvc.lost")
    if phase != "Pending":
        return
    yield mark(claim, "status.phase", "kube.pvc.pending", storage_class=class_of(claim) or None)
    name = class_of(claim)
    classes = [item.name for item in cluster.fullest("storageclass")]
    if name and classes and name not in classes and not _has_volume_of_class(name, cluster):
        path = "spec.storageClassName"
        yield mark(
            claim,
            path,
            "kube.pvc.storage_class_missing",
            storage_class=name,
            known=", ".join(sorted(classes)),
            checked=True,
        )
    yield from _nearest(claim, cluster.fullest("persistentvolume"))


def _has_volume_of_class(name: str, cluster: Cluster) -> bool:
    return any(class_of(volume) == name for volume in cluster.fullest("persistentvolume"))


def _nearest(claim: KubeObject, volumes: Sequence[KubeObject]) -> Iterator[Signal]:
    """Yield the misfits of the volume that fits best; several volumes equally near are all cited."""
    judged = [(volume, misfits(claim, volume)) for volume in volumes]
    if not judged or not all(found for _, found in judged):
        return
    named = [pair for pair in judged if pair[0].name == claim.text("spec.volumeName")]
    fewest = min(len(found) for _, found in judged)
    near = named or [pair for pair in judged if len(pair[1]) == fewest]
    for misfit in near[0][1]:
        cited = [
            volume.cite(item.volume_path)
            for volume, found in near[:3]
            for item in found
            if item.field == misfit.field
        ]
        yield mark(
            claim,
            misfit.claim_path,
            "kube.pvc.misfit",
            also=cited,
            field=misfit.field,
            detail=misfit.detail,
            volume=near[0][0].name,
            checked=True,
        )


def misfits(claim: KubeObject, volume: KubeObject) -> list[Misfit]:
    """Return every field of `claim` that `volume` does not fulfil; fields that were not read do not count."""
    found: list[Misfit] = []
    selector = claim.get("spec.selector")
    if (
        isinstance(selector, dict)
        and selector
        and not selector_matches(selector, text_map(volume.get("metadata.labels")))
    ):
        found.append(
            Misfit(
                field="no_matching_selector",
                claim_path="spec.selector",
                volume_path="metadata.labels",
                detail="labels",
            )
        )
    wanted_class, offered_class = class_of(claim), class_of(volume)
    if (wanted_class or claim.get("spec.storageClassName") is not None) and wanted_class != offered_class:
        detail = f"{wanted_class or '(none)'} against {offered_class or '(none)'}"
        found.append(
            Misfit(
                field="storage_class",
                claim_path="spec.storageClassName",
                volume_path="spec.storageClassName",
                detail=detail,
            )
        )
    found.extend(_size(claim, volume))
    found.extend(_modes(claim, volume))
    found.extend(_owner(claim, volume))
    return found


def _size(claim: KubeObject, volume: KubeObject) -> Iterator[Misfit]:
    asked = claim.text("spec.resources.requests.storage")
    held = volume.text("spec.capacity.storage") or volume.columns.get("CAPACITY", "")
    wanted, offered = quantity(asked), quantity(held)
    if wanted is not None and offered is not None and wanted > offered:
        yield Misfit(
            field="capacity",
            claim_path="spec.resources.requests.storage",
            volume_path="spec.capacity.storage",
            detail=f"{asked} > {held}",
        )


def _modes(claim: KubeObject, volume: KubeObject) -> Iterator[Misfit]:
    wanted, offered = modes_of(claim), modes_of(volume)
    if wanted and offered and not set(wanted) <= set(offered):
        detail = f"{', '.join(wanted)} against {', '.join(offered)}"
        yield Misfit(
            field="access_mode", claim_path="spec.accessModes", volume_path="spec.accessModes", detail=detail
        )
    asked, held = claim.text("spec.volumeMode", "Filesystem"), volume.text("spec.volumeMode", "Filesystem")
    if asked != held:
        yield Misfit(
            field="volume_mode",
            claim_path="spec.volumeMode",
            volume_path="spec.volumeMode",
            detail=f"{asked} against {held}",
        )


def modes_of(item: KubeObject) -> list[str]:
    """Return the access modes in their long form."""
    listed = texts(item.get("spec.accessModes")) or [
        word for word in item.columns.get("ACCESS MODES", "").split(",") if word
    ]
    return [_SHORT_MODES.get(word.strip(), word.strip()) for word in listed]


def _owner(claim: KubeObject, volume: KubeObject) -> Iterator[Misfit]:
    reference = volume.mapping("spec.claimRef")
    holder = str(reference.get("name") or "") or volume.columns.get("CLAIM", "").split("/")[-1]
    space = str(reference.get("namespace") or "")
    is_other = bool(holder) and (
        holder != claim.name or (bool(space) and bool(claim.namespace) and space != claim.namespace)
    )
    if is_other:
        path = "spec.claimRef" if reference else ""
        yield Misfit(
            field="already_bound", claim_path="spec.volumeName", volume_path=path, detail=f"held by {holder}"
        )
    elif phase_of(volume) in {"Released", "Failed"}:
        yield Misfit(
            field="already_bound",
            claim_path="spec.volumeName",
            volume_path="status.phase",
            detail=phase_of(volume),
        )


def _missing_claims(pod: KubeObject, cluster: Cluster) -> Iterator[Signal]:
    """Yield claims that a pod names and that a complete list does not have."""
    if not cluster.lists_all("persistentvolumeclaim"):
        return
    base = pod_spec_path(pod)
    for index, volume in enumerate(maps(pod.get(f"{base}.volumes"))):
        source = volume.get("persistentVolumeClaim")
        name = str(source.get("claimName") or "") if isinstance(source, dict) else ""
        if name and cluster.find("persistentvolumeclaim", name, pod.namespace) is None:
            path = f"{base}.volumes.{index}.persistentVolumeClaim.claimName"
            yield mark(pod, path, "kube.pvc.missing", claim=name, checked=True)
