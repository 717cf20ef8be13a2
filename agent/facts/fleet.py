"""How many GPU nodes each scope has and how many would be out after one more, from all Node objects. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from firstfault.agent.facts.nodes import is_gpu_node, is_unavailable, label_of
from firstfault.agent.facts.settings import FactSettings
from firstfault.agent.facts.snapshot import ApiObject, Snapshot
from firstfault.policies.facts import FleetFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scope:
    """Nodes of one scope and how many of them would be out. None: unknown. name: empty when there is no such scope."""

    name: str | None = None
    nodes: int | None = None
    out: int | None = None


_ABSENT = _Scope(name="", nodes=0, out=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSpread:
    """The widest job on the target and the machines it runs on; an empty name when none runs there."""

    name: str
    nodes: frozenset[str]


def fleet_facts(
    snapshot: Snapshot, target_node: str | None, job: JobSpread | None, settings: FactSettings
) -> FleetFacts:
    """Return the counts; unknown when not all nodes are in the snapshot or the target is not among them.

    job: None when it is not known what runs on the target.
    """
    nodes = _gpu_nodes(snapshot, settings)
    target = next((node for node in nodes or () if node.name == target_node), None)
    if nodes is None or target is None:
        return FleetFacts(observed_at=snapshot.observed_at, job=job.name if job else None)
    cluster = _counted("", nodes, target.name)
    pool = _scope(nodes, target, settings.pool_labels)
    rack = _scope(nodes, target, settings.rack_labels)
    switch = _scope(nodes, target, settings.switch_labels)
    together = _job_scope(nodes, target, job)
    return FleetFacts(
        observed_at=snapshot.observed_at,
        pool=pool.name,
        rack=rack.name,
        switch=switch.name,
        job=together.name,
        cluster_nodes=cluster.nodes,
        cluster_unavailable_after=cluster.out,
        pool_nodes=pool.nodes,
        pool_unavailable_after=pool.out,
        rack_nodes=rack.nodes,
        rack_unavailable_after=rack.out,
        switch_nodes=switch.nodes,
        switch_unavailable_after=switch.out,
        job_nodes=together.nodes,
        job_unavailable_after=together.out,
    )


def _gpu_nodes(snapshot: Snapshot, settings: FactSettings) -> list[ApiObject] | None:
    nodes = snapshot.all("node")
    if nodes is None:
        return None
    kinds = [is_gpu_node(node, settings) for node in nodes]
    return None if None in kinds else [node for node, is_gpu in zip(nodes, kinds, strict=True) if is_gpu]


def _scope(nodes: list[ApiObject], target: ApiObject, keys: Iterable[str]) -> _Scope:
    """Return the scope of the target by the labels `keys`; no scope when no node carries any of them."""
    names: Mapping[str, str | None] = {node.name: label_of(node.labels or {}, keys) for node in nodes}
    if not any(names.values()):
        return _ABSENT
    mine = names[target.name]
    if mine is None:
        return _Scope()
    return _counted(mine, [node for node in nodes if names[node.name] == mine], target.name)


def _job_scope(nodes: list[ApiObject], target: ApiObject, job: JobSpread | None) -> _Scope:
    if job is None:
        return _Scope()
    if not job.name:
        return _ABSENT
    return _counted(job.name, [node for node in nodes if node.name in job.nodes], target.name)


def _counted(name: str, nodes: list[ApiObject], target: str) -> _Scope:
    states = [True if node.name == target else is_unavailable(node) for node in nodes]
    return _Scope(name=name, nodes=len(nodes), out=None if None in states else sum(map(bool, states)))
