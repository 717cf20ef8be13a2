"""What a statement is about: one named thing in a cluster.

Names are kept as the source printed them; `key` is the form used for comparison. PCI addresses of one device
are printed in many ways (`0000:91:00`, `PCI:0000:91:00`, `00000000:91:00.0`); `canonical_bdf` makes them equal.
"""

import re
from dataclasses import dataclass, field
from enum import StrEnum


class EntityKind(StrEnum):
    """Closed list of the kinds of thing firstfault speaks about (DESIGN §4, extended)."""

    CLUSTER = "cluster"
    GPU = "gpu"
    NODE = "node"
    NVLINK = "nvlink"
    NVSWITCH = "nvswitch"
    PORT = "port"
    ADAPTER = "adapter"
    SWITCH = "switch"
    RACK = "rack"
    POD = "pod"
    CONTAINER = "container"
    WORKLOAD = "workload"
    JOB = "job"
    RANK = "rank"
    PROCESS = "process"
    VOLUME = "volume"
    DEVICE = "device"
    SERVICE = "service"
    CONTROLLER = "controller"
    WEBHOOK = "webhook"
    QUOTA = "quota"
    PDB = "pdb"
    QUEUE = "queue"
    IMAGE = "image"
    LIBRARY = "library"
    HOST_SETTING = "host_setting"
    CONFIG = "config"
    CERTIFICATE = "certificate"
    CHANGE = "change"
    NAMESPACE = "namespace"
    PERSON = "person"
    UNKNOWN = "unknown"


_BDF = re.compile(
    r"^(?:GPU-I\w*:)?(?:PCI:)?(?:(?P<domain>[0-9a-fA-F]{4,8}):)?(?P<bus>[0-9a-fA-F]{2}):(?P<device>[0-9a-fA-F]{2})(?:\.(?P<function>\d))?$"
)


def canonical_bdf(text: str) -> str | None:
    """Return `dddd:bb:dd` in lower case for any printed PCI address, or None when `text` is not one.

    The function number is dropped (a GPU is one device) and the domain is cut to its last four digits, because
    nvidia-smi prints eight and the kernel four. Source: lspci(8), NVIDIA Xid message format.
    """
    match = _BDF.match(text.strip())
    if match is None:
        return None
    domain = (match["domain"] or "0000")[-4:]
    return f"{domain}:{match['bus']}:{match['device']}".lower()


_PORTS = frozenset({EntityKind.PORT, EntityKind.ADAPTER})


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityRef:
    """One thing, by kind and printed name; `namespace` and `node` narrow it when the source says so.

    `node` is the machine a thing sits on (a GPU's node, a pod's node): the join key for blast radius. `api_kind` is what the
    object calls its kind (`HelmRelease`), where that is known and matters; it is no part of what a thing is.
    """

    kind: EntityKind
    name: str
    cluster: str | None = None
    namespace: str | None = None
    node: str | None = None
    uid: str | None = None
    api_kind: str | None = field(default=None, compare=False)

    @property
    def key(self) -> str:
        """Return the comparison key `kind/name`, qualified by node for per-node devices, namespace for objects.

        The functions of a GPU are one device; those of a network adapter are ports that fail one by one.
        """
        name = canonical_bdf(self.name) or self.name
        function = _BDF.match(self.name.strip())
        if self.kind in _PORTS and function is not None and function["function"] not in {None, "0"}:
            name = f"{name}.{function['function']}"
        scope = self.node if self.kind in PER_NODE_KINDS else self.namespace
        return f"{self.kind}/{scope}/{name}" if scope else f"{self.kind}/{name}"

    def __str__(self) -> str:
        """Return what a human reads: `gpu 0000:91:00 on node-3`, `pod ns/name`."""
        name = (
            f"{self.namespace}/{self.name}"
            if self.namespace and self.kind is not EntityKind.NAMESPACE
            else self.name
        )
        where = f" on {self.node}" if self.node and self.kind in PER_NODE_KINDS else ""
        return f"{self.kind} {name}{where}"


PER_NODE_KINDS = frozenset(
    {
        EntityKind.GPU,
        EntityKind.NVLINK,
        EntityKind.NVSWITCH,
        EntityKind.PORT,
        EntityKind.ADAPTER,
        EntityKind.DEVICE,
        EntityKind.HOST_SETTING,
        EntityKind.PROCESS,
    }
)
"""Kinds whose names repeat on every machine, so that the node is part of their identity."""

UNKNOWN_ENTITY = EntityRef(kind=EntityKind.UNKNOWN, name="unknown")
