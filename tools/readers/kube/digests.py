"""Short forms of objects that monitoring and triage tools print (`{"pods": [{"name": …, "restart_count": 3}]}`).

They are put into the shape of the API, so that everything after the readers knows one shape only.
"""

from collections.abc import Callable

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.readers.kube.event_objects import event_of
from firstfault.tools.readers.kube.kinds import kind_of_word
from firstfault.tools.readers.located import LazyLines, Node, line_map, plain
from firstfault.tools.readings import Fact, KubeObject, Reading

_METADATA = {"name", "namespace", "labels", "annotations", "uid", "deletion_timestamp", "creation_timestamp", "owner_references"}
_POD_SPEC = {"node_name": "nodeName", "node": "nodeName", "priority_class_name": "priorityClassName", "scheduler_name": "schedulerName"}
_WORKLOAD = {
    "desired": ("spec", "replicas"), "replicas": ("spec", "replicas"), "ready": ("status", "readyReplicas"),
    "available": ("status", "availableReplicas"), "unavailable": ("status", "unavailableReplicas"), "updated": ("status", "updatedReplicas"),
}  # fmt: skip
_NODE_CONDITIONS = {
    "ready": "Ready", "memory_pressure": "MemoryPressure", "disk_pressure": "DiskPressure", "pid_pressure": "PIDPressure",
    "network_unavailable": "NetworkUnavailable",
}  # fmt: skip
_NODE_INFO = {"kubelet_version": "kubeletVersion", "kernel_version": "kernelVersion", "os_image": "osImage", "container_runtime": "containerRuntimeVersion"}
_EVENT_LISTS = ("warning_events", "events")
_ALERT_LISTS = ("monitors", "alerts")


def digest_reading(node: Node, document: Document, context: ReadContext) -> Reading | None:
    """Return what a digest holds, or None when `node` is none."""
    reading: Reading | None = None
    for key, listed in (node.keys or {}).items():
        if listed.elements is None:
            continue
        found = _list_reading(key, listed, document, context)
        if found is not None:
            reading = found if reading is None else reading + found
    return reading


def _list_reading(key: str, listed: Node, document: Document, context: ReadContext) -> Reading | None:
    records = [record for record in listed.elements or [] if record.keys is not None]
    if key in _EVENT_LISTS:
        events = [event_of(record, document, context) for record in records if record.child("reason") is not None]
        return Reading(events=tuple(event for event in events if event is not None))
    if key in _ALERT_LISTS:
        return Reading(facts=tuple(fact for record in records for fact in _alert_facts(record, document)))
    kind = kind_of_word(key)
    if kind is None or not all(record.text("name") for record in records):
        return None
    return Reading(objects=tuple(_object(kind, record, document) for record in records))


def _alert_facts(record: Node, document: Document) -> list[Fact]:
    state = record.child("overall_state") or record.child("state") or record.child("status")
    if state is None or state.value is None:
        return []
    labels = {name: text for name in ("name", "query", "message", "type") if (text := record.text(name))}
    return [Fact(name="alert.state", value=str(state.value), document=document, line=state.line, labels=labels)]


def _object(kind: str, record: Node, document: Document) -> KubeObject:
    shape = _SHAPES.get(kind, _other)(record)
    api = plain(shape)
    return KubeObject(
        kind=kind,
        name=record.text("name"),
        namespace=record.text("namespace") or None,
        document=document,
        api=api if isinstance(api, dict) else {},
        lines=LazyLines(lambda: line_map(shape)),
        partial=True,
    )


def _map(line: int) -> Node:
    return Node(line, keys={})


def _under(root: Node, *path: str) -> dict[str, Node]:
    node = root
    for part in path:
        keys = node.keys if node.keys is not None else {}
        node = keys.setdefault(part, _map(root.line))
    return node.keys if node.keys is not None else {}


def _start(record: Node) -> Node:
    shape = _map(record.line)
    for key, child in (record.keys or {}).items():
        if key in _METADATA:
            _under(shape, "metadata")[_camel(key)] = child
    return shape


def _camel(key: str) -> str:
    head, *rest = key.split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in rest)


def _camel_keys(node: Node) -> Node:
    if node.keys is not None:
        return Node(node.line, keys={_camel(key): _camel_keys(child) for key, child in node.keys.items()})
    if node.elements is not None:
        return Node(node.line, elements=[_camel_keys(child) for child in node.elements])
    return node


def _pod(record: Node) -> Node:
    shape = _start(record)
    for key, child in (record.keys or {}).items():
        if key in _POD_SPEC:
            _under(shape, "spec")[_POD_SPEC[key]] = child
        elif key == "containers":
            _under(shape, "spec")["containers"] = Node(child.line, elements=[_container_spec(item) for item in child.elements or []])
            _under(shape, "status")["containerStatuses"] = Node(child.line, elements=[_container_status(item) for item in child.elements or []])
        elif key not in _METADATA:
            _under(shape, "status")[_camel(key)] = _camel_keys(child)
    return shape


def _container_spec(item: Node) -> Node:
    return Node(item.line, keys={key: child for key, child in (item.keys or {}).items() if key in {"name", "image", "resources", "command", "args"}})


def _container_status(item: Node) -> Node:
    status = _map(item.line)
    for key, child in (item.keys or {}).items():
        name = _camel(key)
        _under(status)[name] = _state(child) if name in {"state", "lastState"} else child
    return status


def _state(node: Node) -> Node:
    """Return a state as the API has it: `{"waiting": true, "reason": "X"}` becomes `{"waiting": {"reason": "X"}}`."""
    keys = node.keys or {}
    which = next((name for name in ("waiting", "running", "terminated") if name in keys and keys[name].value is True), None)
    if which is None:
        return _camel_keys(node)
    rest = {_camel(key): child for key, child in keys.items() if key != which}
    return Node(node.line, keys={which: Node(keys[which].line, keys=rest)})


def _node(record: Node) -> Node:
    shape = _start(record)
    conditions: list[Node] = []
    for key, child in (record.keys or {}).items():
        quantity, _, resource = key.partition("_")
        if key in _NODE_CONDITIONS:
            status = Node(child.line, value=str(child.value))
            conditions.append(Node(child.line, keys={"type": Node(child.line, value=_NODE_CONDITIONS[key]), "status": status}))
        elif quantity in {"capacity", "allocatable"} and resource:
            _under(shape, "status", quantity)["nvidia.com/gpu" if resource == "gpu" else resource.replace("_", "-")] = child
        elif key == "instance_type":
            _under(shape, "metadata", "labels")["node.kubernetes.io/instance-type"] = child
        elif key in _NODE_INFO:
            _under(shape, "status", "nodeInfo")[_NODE_INFO[key]] = child
        elif key in {"unschedulable", "taints"}:
            _under(shape, "spec")[key] = child
        elif key not in _METADATA:
            _under(shape, "status")[_camel(key)] = _camel_keys(child)
    if conditions:
        _under(shape, "status").setdefault("conditions", Node(record.line, elements=conditions))
    return shape


def _workload(record: Node) -> Node:
    shape = _start(record)
    for key, child in (record.keys or {}).items():
        if key in _WORKLOAD:
            part, name = _WORKLOAD[key]
            _under(shape, part)[name] = child
        elif key not in _METADATA:
            _under(shape, "status")[_camel(key)] = _camel_keys(child)
    return shape


def _other(record: Node) -> Node:
    shape = _start(record)
    for key, child in (record.keys or {}).items():
        if key not in _METADATA:
            _under(shape, "status")[_camel(key)] = _camel_keys(child)
    return shape


_SHAPES: dict[str, Callable[[Node], Node]] = {
    "Pod": _pod,
    "Node": _node,
    "Deployment": _workload,
    "StatefulSet": _workload,
    "ReplicaSet": _workload,
    "DaemonSet": _workload,
}
