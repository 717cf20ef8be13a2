"""Which pod takes the memory of a node that runs short of it. Pure.

Source: Kubernetes, "Node-pressure Eviction": the kubelet evicts pods that use more than they asked for, so the pod that is
evicted is often not the one that filled the node.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.evidence import Evidence
from firstfault.tools.extract.kube.cluster import Cluster, entity_of, is_same
from firstfault.tools.extract.kube.containers import containers_of
from firstfault.tools.extract.kube.machines import requests_of
from firstfault.tools.extract.kube.marks import Facts, mark, mark_event
from firstfault.tools.extract.kube.quantities import quantity
from firstfault.tools.readers.kube.kinds import entity_of as named_entity
from firstfault.tools.readings import Fact, KubeEvent, KubeObject
from firstfault.tools.signals import Signal

LARGE_SHARE = 0.4
"""A pod that takes this share of what a node offers is called its largest; a choice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Taker:
    """One pod on the node. item, path: where what it takes is written."""

    entity: EntityRef
    bytes: float
    item: KubeObject
    path: str
    is_limited: bool
    evidence: tuple[Evidence, ...] = ()


def hog_signals(cluster: Cluster, facts: Sequence[Fact]) -> Iterator[Signal]:
    """Yield `kube.node.memory_hog` where a node was short of memory and one pod without a limit takes most of it."""
    told = [event for event in cluster.events if event.reason in _TELLING]
    for node in cluster.fullest("node"):
        if not _was_short(node, told):
            continue
        offered = quantity(node.text("status.allocatable.memory")) or quantity(
            node.text("status.capacity.memory")
        )
        takers = sorted(_takers(node, cluster, facts), key=lambda taker: -taker.bytes)
        if not offered or not takers or takers[0].bytes < LARGE_SHARE * offered or takers[0].is_limited:
            continue
        yield _signal(node, takers[0], offered, cluster)


_TELLING = frozenset({"NodeHasInsufficientMemory", "SystemOOM", "EvictionThresholdMet", "Evicted"})


def _was_short(node: KubeObject, told: Sequence[KubeEvent]) -> bool:
    conditions = node.items("status.conditions")
    if any(c.get("type") == "MemoryPressure" and c.get("status") == "True" for c in conditions):
        return True
    return any(_tells_of(event, node.name) for event in told)


def _tells_of(event: KubeEvent, node: str) -> bool:
    if event.involved is not None and event.involved.kind is EntityKind.NODE and event.involved.name == node:
        return event.reason in {"NodeHasInsufficientMemory", "SystemOOM"} or (
            event.reason == "EvictionThresholdMet" and "memory" in event.message
        )
    return event.reason == "Evicted" and "low on resource: memory" in event.message and node in event.message


def _takers(node: KubeObject, cluster: Cluster, facts: Sequence[Fact]) -> Iterator[_Taker]:
    used = {
        fact.entity.name: fact
        for fact in facts
        if fact.name == "kube.top.memory_bytes" and fact.entity and fact.entity.kind is EntityKind.POD
    }
    seen: set[str] = set()
    for pod in cluster.fullest("pod"):
        if entity_of(pod).node != node.name or not pod.get("spec.containers"):
            continue
        seen.add(pod.name)
        fact = used.get(pod.name)
        yield _Taker(
            entity=entity_of(pod),
            bytes=requests_of(pod).get("memory", 0.0) if fact is None else float(fact.value),
            item=pod,
            path=next((path for path in _limit_paths(pod) if path in pod.lines), ""),
            is_limited=_has_limit(pod),
            evidence=() if fact is None else (fact.cite(),),
        )
    for index, row in enumerate(node.items("status.pods")):
        name = str(row.get("name") or "")
        if name and name not in seen:
            fact = used.get(name)
            yield _Taker(
                entity=named_entity("Pod", name, str(row.get("namespace") or "") or None, node.name),
                bytes=(quantity(row.get("memoryRequests")) or 0.0) if fact is None else float(fact.value),
                item=node,
                path=f"status.pods.{index}",
                is_limited=bool(quantity(row.get("memoryLimits"))),
                evidence=() if fact is None else (fact.cite(),),
            )


def _has_limit(pod: KubeObject) -> bool:
    return all(c.asked("resources.limits.memory") is not None for c in containers_of(pod) if not c.is_init)


def _signal(node: KubeObject, taker: _Taker, offered: float, cluster: Cluster) -> Signal:
    facts: Facts = {
        "pod": taker.entity.name,
        "node": node.name,
        "share_percent": round(100 * taker.bytes / offered),
    }
    started = [
        event
        for event in cluster.events
        if event.reason == "Started" and event.involved is not None and is_same(event.involved, taker.entity)
    ]
    cited = [*taker.evidence, taker.item.cite(taker.path)]
    if started:
        return mark_event(
            started[0], "kube.node.memory_hog", entity=taker.entity, also=cited, facts=facts, checked=True
        )
    return mark(
        taker.item,
        taker.path,
        "kube.node.memory_hog",
        entity=taker.entity,
        also=taker.evidence,
        facts=facts,
        checked=True,
    )


def _limit_paths(pod: KubeObject) -> list[str]:
    count = len(pod.items("spec.containers"))
    return [
        path
        for index in range(count)
        for path in (f"spec.containers.{index}.resources.limits", f"spec.containers.{index}.resources")
    ]
