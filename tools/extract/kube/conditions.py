"""What nodes say about themselves: conditions, cordons, missing addresses, devices withheld. Pure.

Source: Kubernetes, "Node Status" (Conditions, Capacity and Allocatable, Addresses).
"""

import re
from collections.abc import Iterator

from firstfault.tools.extract.kube.cluster import Cluster
from firstfault.tools.extract.kube.marks import Facts, mark
from firstfault.tools.extract.kube.quantities import quantity
from firstfault.tools.extract.kube.selectors import maps, text_map
from firstfault.tools.readings import KubeObject
from firstfault.tools.signals import Signal

_BAD_WHEN_TRUE = {
    "DiskPressure": "kube.node.disk_pressure",
    "MemoryPressure": "kube.node.memory_pressure",
    "PIDPressure": "kube.node.pid_pressure",
    "NetworkUnavailable": "kube.node.network_unavailable",
    "FrequentKubeletRestart": "kube.node.kubelet_restarts",
    "FrequentContainerdRestart": "kube.node.runtime_restarts",
    "FrequentDockerRestart": "kube.node.runtime_restarts",
    "ReadonlyFilesystem": "kube.node.filesystem_read_only",
    "KernelDeadlock": "kube.node.kernel_deadlock",
    "CorruptDockerOverlay2": "kube.node.runtime_corrupt",
    "NTPProblem": "kube.node.clock_wrong",
    "ClockSkew": "kube.node.clock_wrong",
}
"""Conditions that are bad news when True: kubelet's own, and those of node-problem-detector."""
_STANDARD = frozenset({"Ready", "NetworkUnavailable", "MemoryPressure", "DiskPressure", "PIDPressure"})
_COMPLAINT = re.compile(r"not ?healthy|unhealthy|error|fault|fail|degraded|critical|warning", re.IGNORECASE)
"""How health monitors name the reason of a condition that they set."""
_DEVICES = ("nvidia.com/", "amd.com/", "rdma/", "habana.ai/", "intel.com/", "aws.amazon.com/")


def node_signals(cluster: Cluster) -> Iterator[Signal]:
    """Yield what is wrong with nodes by their own account."""
    for node in cluster.fullest("node"):
        yield from _conditions(node)
        yield from _row(node)
        yield from _devices(node)
        yield from _partitions(node)
        if node.get("spec.unschedulable") is True:
            yield mark(node, "spec.unschedulable", "kube.node.cordoned")
        elif "SchedulingDisabled" in node.columns.get("STATUS", ""):
            yield mark(node, "", "kube.node.cordoned")
        addresses = node.get("status.addresses")
        if isinstance(addresses, list) and not any(
            item.get("type") in {"InternalIP", "ExternalIP"} for item in maps(addresses)
        ):
            yield mark(node, "status.addresses", "kube.node.no_address")


def _conditions(node: KubeObject) -> Iterator[Signal]:
    for index, condition in enumerate(maps(node.get("status.conditions"))):
        kind, status = str(condition.get("type") or ""), str(condition.get("status") or "")
        path = f"status.conditions.{index}"
        facts: Facts = {
            "reason": str(condition.get("reason") or "") or None,
            "message": str(condition.get("message") or "") or None,
        }
        if kind == "Ready" and status in {"False", "Unknown"}:
            yield mark(node, path, "kube.node.not_ready", status=status, facts=facts)
        elif kind == "Ready" and status == "True":
            yield mark(node, path, "kube.node.ready", facts=facts)
        elif status == "True" and kind in _BAD_WHEN_TRUE:
            yield mark(node, path, _BAD_WHEN_TRUE[kind], facts=facts)
        elif status == "True" and kind not in _STANDARD and _COMPLAINT.search(f"{kind} {facts['reason']}"):
            yield mark(node, path, "kube.node.condition_reported", condition=kind, facts=facts)


def _row(node: KubeObject) -> Iterator[Signal]:
    if node.get("status.conditions"):
        return
    words = node.columns.get("STATUS", "").split(",")
    if "NotReady" in words:
        yield mark(node, "", "kube.node.not_ready", status="False")
    elif "Ready" in words:
        yield mark(node, "", "kube.node.ready")


_MIG = "nvidia.com/mig.config"


def _partitions(node: KubeObject) -> Iterator[Signal]:
    """Yield a partitioning of the GPUs that was asked for and did not come about (labels of NVIDIA's MIG manager)."""
    state = str(text_map(node.get("metadata.labels")).get(f"{_MIG}.state") or "")
    if state == "failed":
        wanted = text_map(node.get("metadata.labels")).get(_MIG)
        yield mark(node, f"metadata.labels.[{_MIG}.state]", "kube.node.mig_failed", config=wanted)


def _devices(node: KubeObject) -> Iterator[Signal]:
    """Yield devices that a node has and does not offer: what the plugin withholds."""
    capacity, allocatable = text_map(node.get("status.capacity")), text_map(node.get("status.allocatable"))
    for resource, total in capacity.items():
        if not resource.startswith(_DEVICES) or resource not in allocatable:
            continue
        have, offered = quantity(total), quantity(allocatable[resource])
        if have is None or offered is None:
            continue
        path = f"status.allocatable.[{resource}]"
        if offered < have:
            yield mark(
                node,
                path,
                "kube.node.device_withheld",
                resource=resource,
                capacity=have,
                allocatable=offered,
                checked=True,
            )
        elif have == 0:
            yield mark(node, path, "kube.node.no_device", resource=resource)
