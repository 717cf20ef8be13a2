"""From a description to objects and events."""

from collections.abc import Callable

from firstfault.tools.context import ReadContext
from firstfault.tools.entities import EntityRef
from firstfault.tools.evidence import Document
from firstfault.tools.readers.kube.describe.generic import generic
from firstfault.tools.readers.kube.describe.identity import kind_of_description, kind_of_excerpt
from firstfault.tools.readers.kube.describe.nodes import node, put_custom_conditions
from firstfault.tools.readers.kube.describe.outline import Entry, outlines
from firstfault.tools.readers.kube.describe.pods import pod
from firstfault.tools.readers.kube.describe.routing import endpoints, ingress, policy, service
from firstfault.tools.readers.kube.describe.storage import budget, claim, quota, storage_class, volume
from firstfault.tools.readers.kube.describe.workloads import workload
from firstfault.tools.readers.kube.draft import Draft
from firstfault.tools.readers.kube.event_lines import described_events
from firstfault.tools.readers.kube.kinds import CLUSTER_SCOPED, entity_of
from firstfault.tools.readings import KubeEvent, KubeObject, Reading

_FILL: dict[str, Callable[[Entry, Draft, list[str]], None]] = {
    "Pod": pod,
    "Node": node,
    "PersistentVolumeClaim": claim,
    "PersistentVolume": volume,
    "StorageClass": storage_class,
    "PodDisruptionBudget": budget,
    "ResourceQuota": quota,
    "Deployment": workload,
    "ReplicaSet": workload,
    "StatefulSet": workload,
    "DaemonSet": workload,
    "Job": workload,
    "CronJob": workload,
    "Service": service,
    "Endpoints": endpoints,
    "Ingress": ingress,
    "NetworkPolicy": policy,
}


def describe_reading(document: Document, context: ReadContext) -> Reading:
    """Return the objects and events that a description holds."""
    lines = list(document.lines)
    objects: list[KubeObject] = []
    events: list[KubeEvent] = []
    for root in outlines(lines):
        found = _object(root, document, lines)
        if found is not None:
            objects.append(found)
        section = root.find("Events")
        if section is not None:
            last = max(entry.line for entry in root.below)
            end = next(
                (entry.line for entry in root.below if entry.line > section.line and entry.key in _SECTIONS),
                None,
            )
            events += described_events(
                document, context, section.line, (end or _end(root, last, lines)), _involved(found, document)
            )
    return Reading(objects=tuple(objects), events=tuple(events))


_SECTIONS = frozenset(
    {
        "Name",
        "Namespace",
        "Labels",
        "Annotations",
        "Status",
        "Conditions",
        "Containers",
        "Volumes",
        "Metadata",
        "Spec",
    }
)


def _end(root: Entry, last: int, lines: list[str]) -> int:
    """Return the line after the last one of the object."""
    entry, end = root, last
    while entry.below:
        entry = entry.below[-1]
        end = max(end, entry.line)
    return min(end + 1, len(lines) + 1)


def _object(root: Entry, document: Document, lines: list[str]) -> KubeObject | None:
    kind = kind_of_description(root) or _kind_by_name(root, document) or kind_of_excerpt(root)
    draft = Draft()
    if not kind and put_custom_conditions(draft, root):
        kind = "Node"
    elif not kind and root.find("Name") is None:
        return None
    else:
        _FILL.get(kind, generic)(root, draft, lines)
    if not (draft.node.keys or {}):
        return None
    line = next((entry.line for entry in root.below if entry.key == "Name"), root.below[0].line)
    _name_from_labels(draft, kind, document, line)
    return draft.finish(kind, document, line=line)


def _kind_by_name(root: Entry, document: Document) -> str:
    """Return the kind that the recording gives to a thing of this name."""
    name = root.say("Name")
    kinds = {"Pod": "pod", "Node": "node", "Job": "job"}
    return next((kind for kind, label in kinds.items() if name and document.labels.get(label) == name), "")


def _name_from_labels(draft: Draft, kind: str, document: Document, line: int) -> None:
    """A cut description has no name; the recording may know whose it is."""
    if draft.node.text("metadata", "name"):
        return
    key = {"Pod": "pod", "Node": "node", "Job": "job"}.get(kind)
    name = document.labels.get(key) if key else None
    if name:
        draft.put("metadata", "name", value=name, line=line)
    if kind not in CLUSTER_SCOPED and document.labels.get("namespace"):
        draft.put("metadata", "namespace", value=document.labels["namespace"], line=line)


def _involved(found: KubeObject | None, document: Document) -> EntityRef | None:
    if found is not None and found.name:
        return entity_of(found.kind, found.name, found.namespace, found.text("spec.nodeName") or None)
    pod_name = document.labels.get("pod")
    if pod_name:
        return entity_of("Pod", pod_name, document.labels.get("namespace"), document.node)
    return document.entity
