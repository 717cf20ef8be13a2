"""What facts are called in front of people: `unknown: disruption budgets`, not `unknown: pdbs_without_room`."""

from collections.abc import Mapping
from types import MappingProxyType

FACT_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "target": "which of its kind it is about",
        "changed_object": "which Deployment, DaemonSet, Argo CD Application, Flux HelmRelease or Kustomization was changed, "
        "as the record of the change names none: ask who made it",
        "clock": "the time",
        "history": "what was done before",
        "breakers": "breakers",
        "node_identity": "the node's own object",
        "node_role": "node role",
        "cordon_owner": "who cordoned the node",
        "lease_holder": "who holds the node for maintenance",
        "node_drained": "whether the node is drained",
        "pdbs_without_room": "disruption budgets",
        "unmanaged_pods": "controllers of the pods",
        "stateful_pods": "volumes of the pods",
        "protected_pods": "owners of the pods",
        "checkpoint_age_s": "checkpoint age",
        "checkpoint_location": "checkpoint location",
        "longest_grace_s": "grace periods",
        "crash_looping": "whether it crash-loops",
        "job_controller": "kind of the job",
        "queue_admits_job": "whether the queue admits the job",
        "pool": "node pool",
        "rack": "rack",
        "switch": "switch",
        "job": "job",
        "cluster_nodes": "GPU nodes of the cluster",
        "cluster_unavailable_after": "unavailable GPU nodes of the cluster",
        "pool_nodes": "GPU nodes of the pool",
        "pool_unavailable_after": "unavailable GPU nodes of the pool",
        "rack_nodes": "GPU nodes of the rack",
        "rack_unavailable_after": "unavailable GPU nodes of the rack",
        "switch_nodes": "GPU nodes below the switch",
        "switch_unavailable_after": "unavailable GPU nodes below the switch",
        "job_nodes": "nodes of the job",
        "job_unavailable_after": "unavailable nodes of the job",
        "shared_cause": "whether machines share a cause",
        "shared_cause_by": "what machines share",
        "cheaper_remedy_failed": "whether a cheaper remedy failed",
        "change_revertible": "whether an earlier revision is kept",
        "change_touches_storage": "whether the change touches storage",
        "kill_switch": "kill switch",
        "freeze_active": "freeze windows",
        "planned_work": "planned work",
        "target_opted_out": "whether its owner opted out",
        "controller_ready": "the controller that would do it",
        "node": "the node",
        "workload": "the pods and their budgets",
        "fleet": "the count of unavailable nodes",
        "cause": "the test for a shared cause",
        "change": "the change",
        "control": "kill switch, freezes and opt-outs",
    }
)
"""Facts and groups of facts, by name."""


def said(name: str) -> str:
    """Return what a fact or group is called in front of people."""
    return FACT_WORDS.get(name, name.replace("_", " "))
