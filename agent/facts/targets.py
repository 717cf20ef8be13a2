"""What the gate's targets are in the words of findings: which kinds fit an action, and an entity as a target. Pure."""

from firstfault.agent.facts.snapshot import Snapshot
from firstfault.policies import Action, Target, TargetKind
from firstfault.policies.actions import SPECS
from firstfault.tools.entities import EntityKind, EntityRef

UNNAMED = "unknown"
"""Name of a target of which only the kind is known. The gate never takes it for a name: `facts.missing.target`."""

_KINDS = {
    EntityKind.NODE: TargetKind.NODE,
    EntityKind.GPU: TargetKind.GPU,
    EntityKind.POD: TargetKind.POD,
    EntityKind.JOB: TargetKind.JOB,
    EntityKind.WORKLOAD: TargetKind.WORKLOAD,
    EntityKind.CONTROLLER: TargetKind.WORKLOAD,
    EntityKind.CHANGE: TargetKind.CHANGE,
}
_WORKLOAD_KINDS = (
    "Deployment",
    "DaemonSet",
    "StatefulSet",
    "JobSet",
    "Job",
    "PyTorchJob",
    "MPIJob",
    "Application",
    "HelmRelease",
    "Kustomization",
)


def kinds_for(action: Action) -> tuple[EntityKind, ...]:
    """Return the kinds of entity that an executable action can be aimed at; the likeliest first."""
    return tuple(kind for kind, target in _KINDS.items() if target in SPECS[action].targets)


def target_of(entity: EntityRef, snapshot: Snapshot) -> Target:
    """Return the entity as a target of the gate; workloads get the kind their object has, what is not named no name."""
    kind = _KINDS.get(entity.kind, TargetKind.OTHER)
    return Target(
        kind=kind,
        name="" if entity.name == UNNAMED else entity.name,
        namespace=entity.namespace,
        node=entity.node,
        cluster=entity.cluster,
        workload_kind=_workload_kind(entity, snapshot)
        if kind in {TargetKind.JOB, TargetKind.WORKLOAD}
        else None,
    )


def _workload_kind(entity: EntityRef, snapshot: Snapshot) -> str | None:
    found = (kind for kind in _WORKLOAD_KINDS if snapshot.get(kind, entity.name, entity.namespace))
    return next(found, None)
