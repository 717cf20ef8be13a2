"""Rows of `kubectl get` as objects: the columns that have a place in the API are put there, all are kept raw."""

import re
from collections.abc import Callable

from firstfault.tools.evidence import Document
from firstfault.tools.readers.kube.describe.outline import ABSENT
from firstfault.tools.readers.kube.describe.parts import truth, whole
from firstfault.tools.readers.kube.draft import Draft
from firstfault.tools.readers.kube.kinds import CLUSTER_SCOPED, kind_of_word
from firstfault.tools.readings import KubeObject

_SIGNS: tuple[tuple[str, frozenset[str]], ...] = (
    ("Node", frozenset({"ROLES", "INTERNAL-IP", "KERNEL-VERSION", "STATUS+VERSION"})),
    ("PodDisruptionBudget", frozenset({"ALLOWEDDISRUPTIONS"})),
    ("PersistentVolume", frozenset({"RECLAIMPOLICY+CLAIM"})),
    ("StorageClass", frozenset({"PROVISIONER"})),
    ("PersistentVolumeClaim", frozenset({"ACCESSMODES+VOLUME"})),
    ("HorizontalPodAutoscaler", frozenset({"MINPODS", "TARGETS"})),
    ("CronJob", frozenset({"SCHEDULE", "LASTSCHEDULE"})),
    ("Job", frozenset({"COMPLETIONS"})),
    ("DaemonSet", frozenset({"NODESELECTOR"})),
    ("Deployment", frozenset({"UP-TO-DATE+AVAILABLE"})),
    ("ReplicaSet", frozenset({"DESIRED+CURRENT"})),
    ("Service", frozenset({"CLUSTER-IP", "PORT(S)"})),
    ("Ingress", frozenset({"HOSTS"})),
    ("Endpoints", frozenset({"ENDPOINTS"})),
    ("ValidatingWebhookConfiguration", frozenset({"WEBHOOKS"})),
    ("APIService", frozenset({"SERVICE+AVAILABLE"})),
    ("ResourceQuota", frozenset({"REQUEST+LIMIT"})),
    ("Pod", frozenset({"READY+RESTARTS", "READY+STATUS", "STATUS+RESTARTS", "NOMINATEDNODE"})),
)
"""Columns (without spaces) that only this kind has; `a+b` asks for both. The first kind with a sign wins."""

_PHASES = frozenset({"Running", "Pending", "Succeeded", "Failed", "Unknown"})
_WAITING = re.compile(
    r"(?:BackOff|^ErrImage|^CreateContainer|^ContainerCreating$|^PodInitializing$|Error$|^InvalidImageName$)"
)
_RESTARTS = re.compile(r"^(\d+)")
_SHARE = re.compile(r"^(\d+)/(\d+)$")

_PLAIN: dict[str, dict[str, tuple[str, ...]]] = {
    "PersistentVolumeClaim": {
        "STATUS": ("status", "phase"), "VOLUME": ("spec", "volumeName"), "CAPACITY": ("status", "capacity", "storage"),
        "STORAGECLASS": ("spec", "storageClassName"), "VOLUMEMODE": ("spec", "volumeMode"),
    },
    "PersistentVolume": {
        "STATUS": ("status", "phase"), "CAPACITY": ("spec", "capacity", "storage"), "STORAGECLASS": ("spec", "storageClassName"),
        "RECLAIMPOLICY": ("spec", "persistentVolumeReclaimPolicy"), "REASON": ("status", "reason"),
    },
    "Deployment": {"UP-TO-DATE": ("status", "updatedReplicas"), "AVAILABLE": ("status", "availableReplicas")},
    "ReplicaSet": {"DESIRED": ("spec", "replicas"), "CURRENT": ("status", "replicas"), "READY": ("status", "readyReplicas")},
    "DaemonSet": {
        "DESIRED": ("status", "desiredNumberScheduled"), "CURRENT": ("status", "currentNumberScheduled"),
        "READY": ("status", "numberReady"),
        "UP-TO-DATE": ("status", "updatedNumberScheduled"), "AVAILABLE": ("status", "numberAvailable"),
    },
    "PodDisruptionBudget": {
        "MINAVAILABLE": ("spec", "minAvailable"), "MAXUNAVAILABLE": ("spec", "maxUnavailable"),
        "ALLOWEDDISRUPTIONS": ("status", "disruptionsAllowed"),
    },
    "StorageClass": {
        "PROVISIONER": ("provisioner",), "RECLAIMPOLICY": ("reclaimPolicy",), "VOLUMEBINDINGMODE": ("volumeBindingMode",),
        "ALLOWVOLUMEEXPANSION": ("allowVolumeExpansion",),
    },
    "Namespace": {"STATUS": ("status", "phase")},
    "CronJob": {"SCHEDULE": ("spec", "schedule"), "SUSPEND": ("spec", "suspend")},
    "Service": {"TYPE": ("spec", "type"), "CLUSTER-IP": ("spec", "clusterIP")},
    "HorizontalPodAutoscaler": {"MINPODS": ("spec", "minReplicas"), "MAXPODS": ("spec", "maxReplicas"),
    "REPLICAS": ("status", "currentReplicas")},
    "Node": {
        "VERSION": ("status", "nodeInfo", "kubeletVersion"), "KERNEL-VERSION": ("status", "nodeInfo", "kernelVersion"),
        "OS-IMAGE": ("status", "nodeInfo", "osImage"), "CONTAINER-RUNTIME": ("status", "nodeInfo", "containerRuntimeVersion"),
    },
    "Pod": {"NODE": ("spec", "nodeName"), "IP": ("status", "podIP"), "NOMINATEDNODE": ("status", "nominatedNodeName")},
}  # fmt: skip


def kind_of_columns(titles: set[str]) -> str:
    """Return the kind that columns (upper case, without spaces) belong to, or an empty text."""
    return next(
        (kind for kind, signs in _SIGNS if any(titles.issuperset(sign.split("+")) for sign in signs)), ""
    )


def row_object(
    kind: str, cells: dict[str, str], document: Document, line: int, namespace: str | None
) -> KubeObject | None:
    """Return the object of one row, or None when the row names none."""
    upper = {title.upper().replace(" ", ""): cell for title, cell in cells.items()}
    name = upper.get("NAME") or upper.get("POD") or upper.get("NODE")
    if not name:
        return None
    word, slash, rest = name.partition("/")
    if slash:
        kind, name = kind_of_word(word) or kind, rest
    draft = Draft()
    draft.put("metadata", "name", value=name, line=line)
    if kind not in CLUSTER_SCOPED:
        draft.put("metadata", "namespace", value=upper.get("NAMESPACE") or namespace, line=line)
    for pair in upper.get("LABELS", "").split(","):
        key, equals, value = pair.partition("=")
        if equals:
            draft.put("metadata", "labels", key, value=value, line=line)
    for title, path in _PLAIN.get(kind, {}).items():
        cell = upper.get(title, "")
        if cell not in ABSENT:
            draft.put(*path, value=truth(cell) if not cell.isdigit() else whole(cell), line=line)
    fill = _FILL.get(kind)
    if fill is not None:
        fill(draft, upper, line)
    return draft.finish(kind, document, line=line, columns=cells)


def _pod(draft: Draft, cells: dict[str, str], line: int) -> None:
    status = cells.get("STATUS", "")
    share = _SHARE.match(cells.get("READY", ""))
    restarts = _RESTARTS.match(cells.get("RESTARTS", ""))
    if status in _PHASES or status == "Completed":
        draft.put("status", "phase", value="Succeeded" if status == "Completed" else status, line=line)
    elif status == "Evicted":
        draft.put("status", "phase", value="Failed", line=line)
        draft.put("status", "reason", value=status, line=line)
    is_alone = share is not None and share[2] == "1"
    in_init = status.startswith("Init:")
    word = status.removeprefix("Init:")
    if not is_alone and not _WAITING.search(word):
        return
    container = draft.append("status", "initContainerStatuses" if in_init else "containerStatuses", line=line)
    if is_alone and share is not None and not in_init:
        container.put("ready", value=share[1] == "1", line=line)
        container.put("restartCount", value=int(restarts[1][:9]) if restarts else None, line=line)
    if word in {"OOMKilled", "Error", "ContainerCannotRun"}:
        container.put("state", "terminated", "reason", value=word, line=line)
    elif _WAITING.search(word):
        container.put("state", "waiting", "reason", value=word, line=line)


def _node(draft: Draft, cells: dict[str, str], line: int) -> None:
    words = cells.get("STATUS", "").split(",")
    if words[0] in {"Ready", "NotReady", "Unknown"}:
        condition = draft.append("status", "conditions", line=line)
        condition.put("type", value="Ready", line=line)
        condition.put(
            "status", value={"Ready": "True", "NotReady": "False"}.get(words[0], "Unknown"), line=line
        )
        draft.put("spec", "unschedulable", value="SchedulingDisabled" in words, line=line)
    for role in cells.get("ROLES", "").split(","):
        if role not in ABSENT:
            draft.put("metadata", "labels", f"node-role.kubernetes.io/{role}", value="true", line=line)


def _replicas(draft: Draft, cells: dict[str, str], line: int) -> None:
    share = _SHARE.match(cells.get("READY", ""))
    if share is not None:
        draft.put("status", "readyReplicas", value=int(share[1][:9]), line=line)
        draft.put("spec", "replicas", value=int(share[2][:9]), line=line)


def _job(draft: Draft, cells: dict[str, str], line: int) -> None:
    share = _SHARE.match(cells.get("COMPLETIONS", ""))
    if share is not None:
        draft.put("status", "succeeded", value=int(share[1][:9]), line=line)
        draft.put("spec", "completions", value=int(share[2][:9]), line=line)


def _claimed(draft: Draft, cells: dict[str, str], line: int) -> None:
    namespace, slash, name = cells.get("CLAIM", "").partition("/")
    if slash:
        draft.put("spec", "claimRef", "namespace", value=namespace, line=line)
        draft.put("spec", "claimRef", "name", value=name, line=line)


_FILL: dict[str, Callable[[Draft, dict[str, str], int], None]] = {
    "Pod": _pod,
    "Node": _node,
    "Deployment": _replicas,
    "StatefulSet": _replicas,
    "Job": _job,
    "PersistentVolume": _claimed,
}
