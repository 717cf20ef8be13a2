"""How many GPU nodes each scope has and how many would be out after one more, from all Node objects. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from firstfault.agent.facts.nodes import is_gpu_node, is_unavailable, label_of
from firstfault.agent.facts.settings import FactSettings
from firstfault.agent.facts.snapshot import ApiObject, Snapshot
from firstfault.policies.facts import FleetFacts


@dataclass(frozen=True, slots=True)
class _Count:
    """Nodes of one scope; unavailable after the action. None: unknown. name: None when the scope does not exist here."""

    nodes: int | None = None
    out: int | None = None
    name: str | None = None


def fleet_facts(
    snapshot: Snapshot,
    target_node: str | None,
    job_nodes: frozenset[str] | None,
    settings: FactSettings,
) -> FleetFacts:
    """Return the counts; unknown when not all nodes are in the snapshot or the target is not among them.

    job_nodes: the machines of the largest job on the target; empty when none runs there, None when not known.
    """
    nodes = _gpu_nodes(snapshot, settings)
    target = next((node for node in nodes or () if node.name == target_node), None)
    if nodes is None or target is None:
        return FleetFacts()
    cluster = _count(nodes, target.name)
    pool = _scope(nodes, target, settings.pool_labels)
    rack = _scope(nodes, target, settings.rack_labels)
    switch = _scope(nodes, target, settings.switch_labels)
    job = (
        _Count()
        if job_nodes is None
        else _count([node for node in nodes if node.name in job_nodes], target.name)
    )
    return FleetFacts(
        observed_at=snapshot.observed_at,
        pool=pool.name,
        rack=rack.name,
        switch=switch.name,
        cluster_nodes=cluster.nodes,
        cluster_unavailable_after=cluster.out,
        pool_nodes=pool.nodes,
        pool_unavailable_after=pool.out,
        rack_nodes=rack.nodes,
        rack_unavailable_after=rack.out,
        switch_nodes=switch.nodes,
        switch_unavailable_after=switch.out,
        job_nodes=job.nodes,
        job_unavailable_after=job.out,
    )


def _gpu_nodes(snapshot: Snapshot, settings: FactSettings) -> list[ApiObject] | None:
    nodes = snapshot.all("node")
    if nodes is None:
        return None
    kinds = [is_gpu_node(node, settings) for node in nodes]
    return (
        None
        if None in kinds
        else [node for node, is_gpu in zip(nodes, kinds, strict=True) if is_gpu]
    )


def _scope(nodes: list[ApiObject], target: ApiObject, keys: Iterable[str]) -> _Count:
    """Return the scope of the target by the first label that any node carries; 0 of 0 when no node carries one."""
    names: Mapping[str, str | None] = {
        node.name: label_of(node.labels or {}, keys) for node in nodes
    }
    if not any(names.values()):
        return _Count(0, 0)
    mine = names[target.name]
    if mine is None:
        return _Count()
    inside = _count([node for node in nodes if names[node.name] == mine], target.name)
    return _Count(inside.nodes, inside.out, mine)


def _count(nodes: list[ApiObject], target: str) -> _Count:
    states = {
        node.name: True if node.name == target else is_unavailable(node)
        for node in nodes
    }
    out = (
        None
        if None in states.values()
        else sum(bool(state) for state in states.values())
    )
    return _Count(len(nodes), out)
