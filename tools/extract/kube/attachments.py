"""Volumes that hang on another machine than the pod that waits for them. Pure.

Source: Kubernetes, VolumeAttachment (`storage.k8s.io/v1`): a volume for one machine cannot be attached to a second
one before it is detached from the first, and a machine that does not answer never says that it let go.
"""

from collections.abc import Iterator

from firstfault.tools.extract.kube.cluster import Cluster
from firstfault.tools.extract.kube.marks import mark
from firstfault.tools.extract.kube.selectors import maps
from firstfault.tools.readings import KubeObject
from firstfault.tools.signals import Signal


def attachment_signals(cluster: Cluster) -> Iterator[Signal]:
    """Yield every attachment of a volume to a machine other than that of a pod that waits for it."""
    for attachment in cluster.fullest("volumeattachment"):
        volume, holder = _volume_of(attachment), _holder_of(attachment)
        if not volume or not holder or not _is_attached(attachment):
            continue
        for pod in cluster.fullest("pod"):
            wanted = pod.text("spec.nodeName") or pod.columns.get("NODE", "")
            if wanted in {"", "<none>", holder} or not _waits_for(pod, volume, cluster):
                continue
            node = cluster.find("node", holder)
            yield mark(
                attachment,
                "spec.nodeName",
                "kube.volume.attached_elsewhere",
                also=[pod.cite("spec.nodeName")],
                volume=volume,
                node=holder,
                pod=pod.name,
                pod_node=wanted,
                node_ready=None if node is None else _is_ready(node),
                checked=True,
            )


def _volume_of(attachment: KubeObject) -> str:
    return attachment.text("spec.source.persistentVolumeName") or attachment.columns.get("PV", "")


def _holder_of(attachment: KubeObject) -> str:
    return attachment.text("spec.nodeName") or attachment.columns.get("NODE", "")


def _is_attached(attachment: KubeObject) -> bool:
    return "true" in {
        attachment.text("status.attached").casefold(),
        attachment.columns.get("ATTACHED", "").casefold(),
    }


def _waits_for(pod: KubeObject, volume: str, cluster: Cluster) -> bool:
    """Return whether the pod uses a claim that is bound to the volume, or an event about it names the volume."""
    claims = {
        str(source.get("claimName"))
        for each in maps(pod.get("spec.volumes"))
        if isinstance(source := each.get("persistentVolumeClaim"), dict)
    }
    bound = any(
        volume in {claim.text("spec.volumeName"), claim.columns.get("VOLUME", "")}
        for claim in cluster.fullest("persistentvolumeclaim")
        if claim.name in claims and claim.namespace in {None, pod.namespace}
    )
    return bound or any(f'"{volume}"' in event.message for event in cluster.events_of(pod))


def _is_ready(node: KubeObject) -> bool | None:
    states = [c.get("status") for c in maps(node.get("status.conditions")) if c.get("type") == "Ready"]
    return states[0] == "True" if states else None
