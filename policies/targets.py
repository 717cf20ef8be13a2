"""What an action is aimed at, in the gate's own words (policies know nothing of tools)."""

import re
from dataclasses import dataclass
from enum import StrEnum


class TargetKind(StrEnum):
    """Closed list of what can be aimed at; OTHER is for advice only."""

    NODE = "node"
    GPU = "gpu"
    POD = "pod"
    JOB = "job"
    WORKLOAD = "workload"
    CHANGE = "change"
    OTHER = "other"


_OBJECT_NAME = re.compile(
    r"[a-z0-9]([-a-z0-9]{0,251}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,251}[a-z0-9])?)*",
    re.ASCII,
)
_MAX_NAME = 253
_OBJECT_KINDS = frozenset({TargetKind.NODE, TargetKind.POD, TargetKind.JOB, TargetKind.WORKLOAD})


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One thing by kind and name. node: the machine it sits on. workload_kind: `Deployment`, `JobSet` … for what is patched."""

    kind: TargetKind
    name: str
    namespace: str | None = None
    node: str | None = None
    cluster: str | None = None
    workload_kind: str | None = None

    @property
    def key(self) -> str:
        """Return the form used for comparison: `kind/namespace/name`, with the node for a GPU."""
        scope = self.node if self.kind is TargetKind.GPU else self.namespace
        return "/".join((self.kind.value, scope or "", self.name))

    @property
    def is_well_formed(self) -> bool:
        """Return whether the name can be an object's name: a path, a quote or a control character never is.

        Source: Kubernetes, Object Names and IDs, DNS subdomain names (RFC 1123, 253 characters).
        """
        if self.kind is TargetKind.GPU:
            names_a_machine = self.node is None or is_object_name(self.node)
            return names_a_machine and re.fullmatch(r"[A-Za-z0-9.:_-]{1,64}", self.name, re.ASCII) is not None
        if self.kind in _OBJECT_KINDS:
            return is_object_name(self.name) and (self.namespace is None or is_object_name(self.namespace))
        return bool(self.name) and self.name.isprintable()


def is_object_name(name: str | None) -> bool:
    """Return whether the API server could have an object of this name."""
    return name is not None and 0 < len(name) <= _MAX_NAME and _OBJECT_NAME.fullmatch(name) is not None
