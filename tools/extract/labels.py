"""Reads what a series is about from its labels, whatever the exporter calls them."""

import re
from collections.abc import Mapping

from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.readings import Series
from firstfault.tools.signals import Value

_NODE_LABELS = (
    "node",
    "Hostname",
    "hostname",
    "nodename",
    "kubernetes_node",
    "exported_node",
    "kubernetes_io_hostname",
    "host",
    "instance",
)
"""dcgm-exporter renamed `Hostname` to `hostname` in May 2026: both are met."""
_GPU_LABELS = ("pci_bus_id", "PCI_BUS_ID", "UUID", "uuid", "GPU_UUID", "gpu", "device", "minor_number")
_PORT_LABELS = ("device", "hca", "ifname", "interface", "dev")
_KEPT = (
    "gpu",
    "UUID",
    "pci_bus_id",
    "device",
    "port",
    "mountpoint",
    "reason",
    "condition",
    "resource",
    "pod",
    "namespace",
    "container",
    "alertname",
    "severity",
    "phase",
)
_ADDRESS = re.compile(r"^(?P<host>.+?):\d{2,5}$")
_REPLICA = re.compile(
    r"^(?P<job>.+?)(?:-[a-z0-9]{8,10}-[a-z0-9]{5}|-(?:worker|master|launcher|replica|node|rank)?-?\d+)$"
)


def node_of(series: Series) -> str | None:
    """Return the machine that the labels name, else the one that the document was taken from."""
    for label in _NODE_LABELS:
        value = series.labels.get(label)
        if value:
            address = _ADDRESS.match(value)
            return address["host"] if address else value
    return series.document.node


def job_of(labels: Mapping[str, str]) -> str:
    """Return the job that a series belongs to, as far as its labels say; series of one job are peers."""
    for label in ("job_name", "exported_job", "training_job", "slurm_job_id", "hpc_job"):
        if labels.get(label):
            return labels[label]
    pod = labels.get("exported_pod") or labels.get("pod") or ""
    replica = _REPLICA.match(pod)
    return f"{labels.get('namespace', '')}/{replica['job'] if replica else pod}" if pod else ""


def entity_of(kind: EntityKind, series: Series) -> EntityRef:
    """Return the thing of that kind that the labels name; the node when they name none."""
    labels, node = series.labels, node_of(series)
    name: str | None = None
    match kind:
        case EntityKind.GPU:
            name = _first(labels, _GPU_LABELS)
        case EntityKind.PORT | EntityKind.ADAPTER:
            device = _first(labels, _PORT_LABELS)
            port = labels.get("port")
            name = f"{device}/{port}" if device and port and kind is EntityKind.PORT else device
        case EntityKind.POD:
            pod = labels.get("pod") or labels.get("exported_pod")
            return (
                EntityRef(kind=kind, name=pod, namespace=labels.get("namespace"), node=node)
                if pod
                else _machine(node, series)
            )
        case EntityKind.VOLUME:
            name = _first(labels, ("persistentvolumeclaim", "volumename"))
        case EntityKind.WORKLOAD:
            name = _first(labels, ("deployment", "statefulset", "daemonset", "kube_deployment"))
        case EntityKind.JOB:
            name = _first(labels, ("job_name", "exported_job"))
        case EntityKind.SERVICE:
            name = _first(labels, ("alertname", "service", "job"))
        case _:
            pass
    if name is None:
        return _machine(node, series)
    return EntityRef(kind=kind, name=name, namespace=labels.get("namespace"), node=node)


def label_values(labels: Mapping[str, str]) -> dict[str, Value]:
    """Return the labels that tell a reader which thing it is."""
    return {key: labels[key] for key in _KEPT if labels.get(key)}


def _machine(node: str | None, series: Series) -> EntityRef:
    if node:
        return EntityRef(kind=EntityKind.NODE, name=node)
    return series.document.entity or EntityRef(kind=EntityKind.UNKNOWN, name="unknown")


def _first(labels: Mapping[str, str], names: tuple[str, ...]) -> str | None:
    return next((labels[name] for name in names if labels.get(name)), None)
