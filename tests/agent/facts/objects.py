"""API objects for tests of facts, whole as a server sends them, or partial as a table prints them."""

from collections.abc import Mapping
from typing import Any

from firstfault.agent.facts.snapshot import ApiObject, Snapshot
from tests.policies.worlds import NOW

NODE = "gpu-00003"


def node(name: str = NODE, **changes: Any) -> ApiObject:  # noqa: ANN401  # raw JSON
    """Return a GPU node, ready, in rack r1 under leaf0."""
    labels = {"nvidia.com/gpu.present": "true", "rack": "r1", "switch": "leaf0"}
    body: dict[str, Any] = {
        "metadata": {"name": name, "labels": labels, "annotations": {}, **changes.pop("metadata", {})},
        "spec": {},
        "status": {"conditions": [{"type": "Ready", "status": "True"}], "capacity": {"nvidia.com/gpu": "8"}},
        **changes,
    }
    return ApiObject.raw("Node", body)


def row(name: str = NODE, **columns: str) -> ApiObject:
    """Return a node as one row of a table."""
    return ApiObject(kind="Node", name=name, namespace=None, body={}, whole=False, columns=columns)


def pod(name: str = "trainer-0", *, host: str = NODE, **parts: Any) -> ApiObject:  # noqa: ANN401  # raw JSON
    """Return a pod of the namespace research, owned by a ReplicaSet."""
    metadata: dict[str, Any] = {
        "name": name,
        "namespace": "research",
        "labels": {"app": "x"},
        "annotations": {},
        "ownerReferences": [{"kind": "ReplicaSet", "name": "x", "controller": True}],
        **parts.pop("metadata", {}),
    }
    spec: dict[str, Any] = {"nodeName": host, "containers": [], **parts.pop("spec", {})}
    return ApiObject.raw("Pod", {"metadata": metadata, "spec": spec, "status": {"phase": "Running"}, **parts})


def budget(
    allowed: int | None, selector: Mapping[str, Any] | None = None, namespace: str = "research"
) -> ApiObject:
    """Return a disruption budget."""
    status = {} if allowed is None else {"disruptionsAllowed": allowed}
    spec = {"selector": {"matchLabels": {"app": "x"}} if selector is None else dict(selector)}
    body: dict[str, Any] = {"metadata": {"name": "b", "namespace": namespace}, "spec": spec, "status": status}
    return ApiObject.raw("PodDisruptionBudget", body)


def snapshot(
    *objects: ApiObject, complete: tuple[str, ...] = ("node", "pod", "poddisruptionbudget")
) -> Snapshot:
    """Return objects at one time, all kinds complete."""
    return Snapshot(objects=objects, complete=frozenset(complete), observed_at=NOW)
