"""A described pod."""

import re

from firstfault.tools.readers.kube.describe.conditions import put_conditions
from firstfault.tools.readers.kube.describe.containers import put_containers
from firstfault.tools.readers.kube.describe.outline import ABSENT, Entry
from firstfault.tools.readers.kube.describe.parts import put_metadata, put_pairs, time_text, whole
from firstfault.tools.readers.kube.draft import Draft

_STATUS = {
    "Reason": "reason",
    "Message": "message",
    "IP": "podIP",
    "QoS Class": "qosClass",
    "Nominated Node": "nominatedNodeName",
}
_SPEC = {
    "Service Account": "serviceAccountName", "Priority Class Name": "priorityClassName", "Runtime Class Name": "runtimeClassName",
    "Scheduler Name": "schedulerName",
}  # fmt: skip
_TOLERATION = re.compile(
    r"^(?P<key>[^:=\s]*)(?:=(?P<value>[^:\s]*))?(?::(?P<effect>\w+))?(?:\s+op=(?P<operator>\w+))?(?:\s+for (?P<seconds>\d+)s)?$"
)
_VOLUME_TYPES = {
    "PersistentVolumeClaim": "persistentVolumeClaim", "ConfigMap": "configMap", "Secret": "secret", "EmptyDir": "emptyDir",
    "HostPath": "hostPath", "Projected": "projected", "CSI": "csi", "NFS": "nfs", "DownwardAPI": "downwardAPI",
    "EphemeralVolume": "ephemeral",
}  # fmt: skip
_VOLUME_FIELDS = {
    "ClaimName": "claimName", "Name": "name", "SecretName": "secretName", "Medium": "medium", "SizeLimit": "sizeLimit",
    "Path": "path",
    "HostPathType": "type", "Driver": "driver", "Server": "server", "ReadOnly": "readOnly", "Optional": "optional",
}  # fmt: skip


def pod(root: Entry, draft: Draft, raw_lines: list[str]) -> None:
    """Fill `draft` from the description of a pod."""
    put_metadata(root, draft)
    node = root.find("Node")
    if node is not None and node.value not in ABSENT:
        name, _, address = node.value.partition("/")
        draft.put("spec", "nodeName", value=name, line=node.line)
        draft.put("status", "hostIP", value=address, line=node.line)
    status = root.find("Status")
    if status is not None and status.value not in ABSENT and not status.value.startswith("Terminating"):
        draft.put("status", "phase", value=status.value, line=status.line)
    started = root.find("Start Time")
    if started is not None:
        draft.put("status", "startTime", value=time_text(started.value), line=started.line)
    for names, part in ((_STATUS, "status"), (_SPEC, "spec")):
        for key, name in names.items():
            entry = root.find(key)
            if entry is not None and entry.value not in ABSENT:
                draft.put(part, name, value=entry.value, line=entry.line)
    priority = root.find("Priority")
    if priority is not None:
        draft.put("spec", "priority", value=whole(priority.value), line=priority.line)
    put_containers(draft, root.find("Init Containers"), "initContainers", "initContainerStatuses")
    put_containers(draft, root.find("Containers"), "containers", "containerStatuses")
    put_containers(
        draft, root.find("Ephemeral Containers"), "ephemeralContainers", "ephemeralContainerStatuses"
    )
    put_conditions(draft, root.find("Conditions"), raw_lines)
    put_volumes(draft, root.find("Volumes"))
    put_placement(draft, root)


def put_placement(draft: Draft, root: Entry, *prefix: str) -> None:
    """Fill node selector and tolerations; `<none>` is an empty selector."""
    selector = root.find("Node-Selectors")
    if selector is not None:
        put_pairs(draft, selector, *prefix, "spec", "nodeSelector")
    tolerations = root.find("Tolerations")
    if tolerations is None:
        return
    draft.touch_list(*prefix, "spec", "tolerations", line=tolerations.line)
    for line, text in tolerations.values():
        match = _TOLERATION.match(text)
        if match is None:
            continue
        toleration = draft.append(*prefix, "spec", "tolerations", line=line)
        operator = match["operator"] or ("Equal" if match["value"] is not None else "Exists")
        for name, value in (
            ("key", match["key"]),
            ("operator", operator),
            ("value", match["value"]),
            ("effect", match["effect"]),
        ):
            toleration.put(name, value=value, line=line)
        if match["seconds"]:
            toleration.put("tolerationSeconds", value=int(match["seconds"][:9]), line=line)


def put_volumes(draft: Draft, entry: Entry | None, *prefix: str) -> None:
    """Fill the volumes with their type and where they come from."""
    for block in entry.below if entry is not None else []:
        if not block.key:
            continue
        volume = draft.append(*prefix, "spec", "volumes", line=block.line)
        volume.put("name", value=block.key, line=block.line)
        kind = block.find("Type")
        word = _VOLUME_TYPES.get(kind.value.split(" ", 1)[0]) if kind is not None and kind.value else None
        if kind is None or word is None:
            continue
        volume.touch(word, line=kind.line)
        for below in block.below:
            field = _VOLUME_FIELDS.get(below.key)
            if field is not None and below.value not in ABSENT:
                volume.put(word, field, value=below.value, line=below.line)
