"""What a node offers and what already stands on it, as far as it was read. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from firstfault.tools.extract.kube.cluster import Cluster
from firstfault.tools.extract.kube.containers import containers_of
from firstfault.tools.extract.kube.quantities import quantity
from firstfault.tools.extract.kube.selectors import maps, text_map
from firstfault.tools.readings import Json, KubeObject

_ENDED = frozenset({"Succeeded", "Failed"})


@dataclass(frozen=True, kw_only=True)
class Machine:
    """One node for the purpose of placing pods. free: resource → allocatable minus requested, None when unknown.

    known: the node's own fields were read (not only a row of a table), so a missing label is missing.
    """

    node: KubeObject
    labels: Mapping[str, str]
    taints: Sequence[Mapping[str, Json]]
    is_cordoned: bool
    is_ready: bool | None
    known: bool
    allocatable: Mapping[str, float] = field(default_factory=dict[str, float])
    requested: Mapping[str, float] | None = None

    @property
    def name(self) -> str:
        """Return the node's name."""
        return self.node.name

    def free(self, resource: str) -> float | None:
        """Return how much of a resource is left, or None when allocatable or the requests are not known."""
        offered = self.offered(resource)
        if offered is None or self.requested is None:
            return None
        return offered - self.requested.get(resource, 0.0)

    def offered(self, resource: str) -> float | None:
        """Return the allocatable amount; 0 for an extended resource that a fully read node does not list."""
        if resource in self.allocatable:
            return self.allocatable[resource]
        return 0.0 if self.allocatable and "/" in resource else None


def machines(cluster: Cluster) -> list[Machine]:
    """Return every node that was read."""
    return [_machine(node, cluster) for node in cluster.fullest("node")]


def _machine(node: KubeObject, cluster: Cluster) -> Machine:
    status_column = node.columns.get("STATUS", "")
    conditions = {
        str(item.get("type")): str(item.get("status")) for item in maps(node.get("status.conditions"))
    }
    ready = conditions.get("Ready")
    return Machine(
        node=node,
        labels=text_map(node.get("metadata.labels")),
        taints=maps(node.get("spec.taints")),
        is_cordoned=node.get("spec.unschedulable") is True or "SchedulingDisabled" in status_column,
        is_ready=_ready(ready, status_column),
        known=bool(node.get("metadata.labels")) or node.get("spec") is not None,
        allocatable=_amounts(node.get("status.allocatable")),
        requested=_requested(node, cluster),
    )


def _ready(condition: str | None, column: str) -> bool | None:
    if condition is not None:
        return condition == "True"
    words = column.split(",")
    return ("Ready" in words) if column else None


def _amounts(value: Json) -> dict[str, float]:
    return {key: number for key, text in text_map(value).items() if (number := quantity(text)) is not None}


def _requested(node: KubeObject, cluster: Cluster) -> dict[str, float] | None:
    """Return the sum of requests: the node's own table of them, else the pods seen on it when all pods were read."""
    printed = {
        resource: amount
        for resource, cell in node.mapping("status.allocated").items()
        if isinstance(cell, dict) and (amount := quantity(cell.get("requests"))) is not None
    }
    if printed:
        return {**printed, "pods": float(len(node.items("status.pods")))}
    pods = cluster.pods_on(node.name)
    if not pods or not all(pod.get("spec.containers") for pod in pods) or not cluster.lists_all("pod"):
        return None
    total: dict[str, float] = {"pods": float(len(pods))}
    for pod in pods:
        if pod.text("status.phase") in _ENDED:
            continue
        for resource, amount in requests_of(pod).items():
            total[resource] = total.get(resource, 0.0) + amount
    return total


def requests_of(item: KubeObject) -> dict[str, float]:
    """Return what one pod asks for: the sum over its containers, or the largest init container where that is more.

    A limit counts as a request where no request is given (API default).
    """
    running: dict[str, float] = {}
    starting: dict[str, float] = {}
    for container in containers_of(item):
        asked = {
            **_amounts(container.asked("resources.limits")),
            **_amounts(container.asked("resources.requests")),
        }
        for resource, amount in asked.items():
            if container.is_init:
                starting[resource] = max(starting.get(resource, 0.0), amount)
            else:
                running[resource] = running.get(resource, 0.0) + amount
    return {key: max(running.get(key, 0.0), starting.get(key, 0.0)) for key in {*running, *starting}}
