"""Puts the short form of an object into the shape of the API."""

from collections.abc import Callable

from firstfault.tools.readers.located import Node

_METADATA = {
    "name",
    "namespace",
    "labels",
    "annotations",
    "uid",
    "deletion_timestamp",
    "creation_timestamp",
    "owner_references",
}
_POD_SPEC = {
    "node_name": "nodeName",
    "node": "nodeName",
    "priority_class_name": "priorityClassName",
    "scheduler_name": "schedulerName",
}
_WORKLOAD = {
    "desired": ("spec", "replicas"), "replicas": ("spec", "replicas"), "ready": ("status", "readyReplicas"),
    "available": ("status", "availableReplicas"), "unavailable": ("status", "unavailableReplicas"),
    "updated": ("status", "updatedReplicas"),
}  # fmt: skip
_NODE_CONDITIONS = {
    "ready": "Ready", "memory_pressure": "MemoryPressure", "disk_pressure": "DiskPressure", "pid_pressure": "PIDPressure",
    "network_unavailable": "NetworkUnavailable",
}  # fmt: skip
_NODE_INFO = {
    "kubelet_version": "kubeletVersion",
    "kernel_version": "kernelVersion",
    "os_image": "osImage",
    "container_runtime": "containerRuntimeVersion",
}


def api_shape(kind: str, record: Node) -> Node:
    """Return `record`, the short form of an object of `kind`, as the API would have it; lines are kept."""
    return _FILL.get(kind, _other)(record)


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
            _under(shape, "spec")["containers"] = Node(
                child.line, elements=[_container_spec(item) for item in child.elements or []]
            )
            _under(shape, "status")["containerStatuses"] = Node(
                child.line, elements=[_container_status(item) for item in child.elements or []]
            )
        elif key not in _METADATA:
            _under(shape, "status")[_camel(key)] = _camel_keys(child)
    return shape


def _container_spec(item: Node) -> Node:
    return Node(
        item.line,
        keys={
            key: child
            for key, child in (item.keys or {}).items()
            if key in {"name", "image", "resources", "command", "args"}
        },
    )


def _container_status(item: Node) -> Node:
    status = _map(item.line)
    for key, child in (item.keys or {}).items():
        name = _camel(key)
        _under(status)[name] = _state(child) if name in {"state", "lastState"} else child
    return status


def _state(node: Node) -> Node:
    """Return a state as the API has it: `{"waiting": true, "reason": "X"}` becomes `{"waiting": {"reason": "X"}}`."""
    keys = node.keys or {}
    which = next(
        (name for name in ("waiting", "running", "terminated") if name in keys and keys[name].value is True),
        None,
    )
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
            conditions.append(
                Node(
                    child.line, keys={"type": Node(child.line, value=_NODE_CONDITIONS[key]), "status": status}
                )
            )
        elif quantity in {"capacity", "allocatable"} and resource:
            _under(shape, "status", quantity)[
                "nvidia.com/gpu" if resource == "gpu" else resource.replace("_", "-")
            ] = child
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


_FILL: dict[str, Callable[[Node], Node]] = {
    "Pod": _pod,
    "Node": _node,
    "Deployment": _workload,
    "StatefulSet": _workload,
    "ReplicaSet": _workload,
    "DaemonSet": _workload,
}
