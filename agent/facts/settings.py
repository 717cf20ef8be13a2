"""What a site calls its things: label keys, annotations, protected namespaces, windows. Defaults follow the field's customs."""

from dataclasses import dataclass, field
from datetime import datetime

ANNOTATION_PREFIX = "firstfault.dev"
CORDON_ANNOTATION = f"{ANNOTATION_PREFIX}/cordon"
"""Holds the id of the decision that cordoned the node: only then is the cordon ours to undo."""
OPT_OUT = f"{ANNOTATION_PREFIX}/opt-out"


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarEntry:
    """A span in which something holds: a freeze, or planned work on the nodes whose names begin with `nodes`."""

    start: datetime
    end: datetime
    nodes: str | None = None

    def covers(self, at: datetime, node: str | None) -> bool:
        """Return whether it holds at `at` for `node`."""
        return self.start <= at < self.end and (self.nodes is None or (node or "").startswith(self.nodes))


@dataclass(frozen=True, slots=True, kw_only=True)
class FactSettings:
    """Where facts are written in this cluster. Label keys are tried in order; an empty tuple means the scope does not exist.

    Source: topograph, GKE, EKS, AKS and Karpenter documentation of node labels.
    """

    gpu_resources: tuple[str, ...] = ("nvidia.com/gpu", "amd.com/gpu")
    gpu_labels: tuple[str, ...] = (
        "nvidia.com/gpu.present",
        "nvidia.com/gpu.product",
        "nvidia.com/gpu.count",
    )
    pool_labels: tuple[str, ...] = (
        "cloud.google.com/gke-nodepool",
        "eks.amazonaws.com/nodegroup",
        "kubernetes.azure.com/agentpool",
        "karpenter.sh/nodepool",
    )
    rack_labels: tuple[str, ...] = (
        "topology.kubernetes.io/rack",
        "network.topology.nvidia.com/accelerator",
        "rack",
    )
    switch_labels: tuple[str, ...] = (
        "network.topology.nvidia.com/leaf",
        "topology.kubernetes.io/switch",
        "switch",
    )
    job_labels: tuple[str, ...] = (
        "jobset.sigs.k8s.io/jobset-name",
        "training.kubeflow.org/job-name",
        "batch.kubernetes.io/job-name",
        "job-name",
    )
    protected_namespaces: frozenset[str] = frozenset({"kube-system", "kube-public", "kube-node-lease"})
    checkpoint_annotation: str = f"{ANNOTATION_PREFIX}/checkpoint-at"
    checkpoint_location_annotation: str = f"{ANNOTATION_PREFIX}/checkpoint-location"
    maintenance_leases: tuple[str, ...] = ("medik8s-leases/node-{node}",)
    """`namespace/name` of leases that keep a machine to one controller. Source: medik8s, common lease package."""
    planned_work_annotations: tuple[str, ...] = (f"{ANNOTATION_PREFIX}/planned-work",)
    freezes: tuple[CalendarEntry, ...] = ()
    planned_work: tuple[CalendarEntry, ...] = ()

    def leases_of(self, node: str) -> tuple[tuple[str, str], ...]:
        """Return namespace and name of each lease that a controller would hold on `node`."""
        parts = (text.partition("/") for text in self.maintenance_leases)
        return tuple((namespace, name.replace("{node}", node)) for namespace, _, name in parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Switches:
    """What was found when the kill switches were looked at. None: could not be looked at, which denies."""

    kill_switch: bool | None = None
    observed_at: datetime | None = None
    open_by: tuple[str, ...] = field(default=())
