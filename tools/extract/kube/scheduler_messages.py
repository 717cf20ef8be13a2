"""The scheduler's message taken apart: how many nodes each predicate turned away. Pure.

Source: Kubernetes scheduler framework, the reasons of its filter plugins (NodeUnschedulable, TaintToleration, NodeAffinity,
NodeResourcesFit, PodTopologySpread, InterPodAffinity, VolumeBinding, VolumeZone, NodeVolumeLimits, NodePorts, NodeName),
wording of 1.15 to 1.34; Volcano prints "all nodes are unavailable" with the same reasons.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

NORMAL_TAINTS = (
    "node-role.kubernetes.io/control-plane",
    "node-role.kubernetes.io/master",
    "node-role.kubernetes.io/etcd",
    "CriticalAddonsOnly",
    "virtual-kubelet.io/provider",
)
"""Taints that every cluster carries on purpose: they turn away, but they are not what is wrong."""
NOT_READY_TAINTS = (
    "node.kubernetes.io/not-ready",
    "node.kubernetes.io/unreachable",
    "node.kubernetes.io/network-unavailable",
    "node.cloudprovider.kubernetes.io/uninitialized",
    "node.cilium.io/agent-not-ready",
)
PRESSURE_TAINTS = {
    "node.kubernetes.io/disk-pressure": "disk",
    "node.kubernetes.io/memory-pressure": "memory",
    "node.kubernetes.io/pid-pressure": "pid",
}
CORDON_TAINT = "node.kubernetes.io/unschedulable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """One reason and the number of nodes that gave it (None: the reason concerns the pod as a whole).

    predicate: resource, pods, taint, cordon, not_ready, pressure, selector, anti_affinity, pod_affinity, topology_spread,
    ports, volume_zone, volume_binding, volume_unbound, volume_missing, volume_limit, node_name, claims, gang, other.
    detail: the resource, the taint's key, the claim.
    """

    predicate: str
    nodes: int | None
    detail: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusals:
    """What a whole message says. total: nodes in the cluster as the scheduler saw it, None when it does not say."""

    total: int | None
    refusals: tuple[Refusal, ...]


_HEAD = re.compile(
    r"(?:(?P<some>\d+)/(?P<total>\d+)|all) nodes are (?:un)?available(?: ?:\s*|,? ?)", re.IGNORECASE
)
_NO_NODES = re.compile(r"no nodes available to schedule pods", re.IGNORECASE)
_SPLIT = re.compile(r",\s+(?![^{]*\})(?!that the pod)|\.\s+(?=[A-Za-z\d])")
_COUNT = re.compile(r"^(?P<count>\d+)\s+(?P<reason>.+)$", re.DOTALL)
_TAINT = re.compile(
    r"taints?(?:\(s\))?\s*\{\s*(?P<key>[^:}\s]+)\s*(?::\s*(?P<value>[^}]*))?\}", re.IGNORECASE
)
_REASONS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), predicate)
    for pattern, predicate in (
        (r"^Too many pods", "pods"),
        (r"^Insufficient (?P<detail>\S+)", "resource"),
        (r"were unschedulable|unschedulable", "cordon"),
        (r"were not ready|network unavailable", "not_ready"),
        (r"had (?P<detail>disk|memory|pid) pressure|were out of (?P<detail2>disk)", "pressure"),
        (r"max volume count|exceed.* volume (?:limit|count)", "volume_limit"),
        (r"volume node affinity conflict|volume zone conflict|no available volume zone", "volume_zone"),
        (r"available persistent volumes to bind|enough free storage|non-existent pv", "volume_binding"),
        (r"unbound (?:immediate )?PersistentVolumeClaims?", "volume_unbound"),
        (
            r"persistentvolumeclaim \\?\"?(?P<detail>[\w.-]+)\\?\"? (?:not found|is being deleted|bound to non-existent)",
            "volume_missing",
        ),
        (r"waiting for .*volume|volume binding", "volume_binding"),
        (r"existing pods anti-affinity|pod anti-affinity|affinity/anti-affinity", "anti_affinity"),
        (r"pod affinity", "pod_affinity"),
        (r"topology spread", "topology_spread"),
        (r"node affinity|node selector|affinity/selector|node\(?s?\)? didn't match .*selector", "selector"),
        (r"free ports|requested pod ports", "ports"),
        (r"requested (?:node ?name|hostname)", "node_name"),
        (r"cannot allocate all claims|resourceclaim", "claims"),
        (r"pod group is not ready|minAvailable|minMember|gang", "gang"),
    )
)


def parse_refusals(message: str) -> Refusals | None:
    """Return what a FailedScheduling message says, or None when it is not one of that form."""
    if _NO_NODES.search(message):
        return Refusals(
            total=0, refusals=(Refusal(predicate="no_nodes", nodes=None, text="no nodes available"),)
        )
    head = _HEAD.search(message)
    if head is None:
        lone = _refusal(None, message.strip())
        return None if lone.predicate == "other" else Refusals(total=None, refusals=(lone,))
    body = re.split(
        r"[.;]?\s+(?:no new claims to deallocate|preemption\b|Preemption\b)",
        message[head.end() :],
        maxsplit=1,
    )[0]
    total = int(head["total"]) if head["total"] else None
    return Refusals(total=total, refusals=tuple(_parts(body)))


def _parts(body: str) -> list[Refusal]:
    found: list[Refusal] = []
    for part in _SPLIT.split(body.strip().rstrip(".")):
        reason = part.strip().rstrip(".").removesuffix(", that the pod didn't tolerate")
        counted = _COUNT.match(reason)
        if counted:
            found.append(_refusal(int(counted["count"]), counted["reason"]))
        elif reason:
            found.append(_refusal(None, reason))
    return found


def _refusal(count: int | None, reason: str) -> Refusal:
    taint = _TAINT.search(reason)
    if taint is not None:
        return Refusal(
            predicate=_taint_predicate(taint["key"]), nodes=count, detail=taint["key"], text=reason
        )
    if re.search(r"\btaints?\b", reason):
        return Refusal(predicate="taint", nodes=count, text=reason)
    for pattern, predicate in _REASONS:
        match = pattern.search(reason)
        if match:
            groups = match.groupdict()
            return Refusal(predicate=predicate, nodes=count, detail=_first(groups.values()), text=reason)
    return Refusal(predicate="other", nodes=count, text=reason)


def _first(values: Iterable[str | None]) -> str:
    return next((value.rstrip(".,") for value in values if value), "")


def _taint_predicate(key: str) -> str:
    if key in NOT_READY_TAINTS:
        return "not_ready"
    if key in PRESSURE_TAINTS:
        return "pressure"
    return "cordon" if key == CORDON_TAINT else "taint"


def deciding(refusals: Sequence[Refusal]) -> tuple[Refusal, ...]:
    """Return the refusals that keep the pod waiting, without those that only describe nodes it was never meant for.

    The filter plugins run in a fixed order (unschedulable, node name, taints, node affinity, ports, resources, volumes …) and a
    node reports the first that fails: a node short of a resource has passed taints and affinity. So a shortage decides over
    selectors, and over taints of other pools, unless the resource is an extended one (a GPU) and the nodes that were turned
    away earlier are barred by a taint, a cordon or not being ready: those may be the very nodes that have it.
    """
    real = [
        item for item in refusals if not (item.predicate == "taint" and item.detail in NORMAL_TAINTS)
    ] or list(refusals)
    if len({item.predicate for item in real}) == 1:
        return tuple(real)
    volumes = [item for item in real if item.predicate.startswith("volume")]
    if volumes:
        return tuple(volumes)
    short = [item for item in real if item.predicate in {"resource", "pods"}]
    barred = [item for item in real if item.predicate in {"taint", "cordon", "not_ready"}]
    if short and barred and all("/" in item.detail for item in short):
        return tuple(barred)
    if short:
        return tuple(short)
    late = [
        item
        for item in real
        if item.predicate in {"anti_affinity", "pod_affinity", "topology_spread", "ports", "claims", "gang"}
    ]
    return tuple(late) or tuple(item for item in real if item.predicate != "other") or tuple(real)
