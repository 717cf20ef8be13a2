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
    EntityKind.CHANGE: TargetKind.WORKLOAD,
}
"""A change is undone in the object that it was made to; as long as that is not known the target has no name."""
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
    """Return the entity as a target of the gate; workloads get the kind their object has, what is not named no name.

    A workload of which no namespace is known gets that of its object, where one object only has this name.
    """
    kind = _KINDS.get(entity.kind, TargetKind.OTHER)
    is_named = entity.name != UNNAMED and entity.kind is not EntityKind.CHANGE
    namespace, workload_kind = entity.namespace, None
    if kind in _WITH_A_KIND and is_named:
        namespace, workload_kind = _found(entity, snapshot)
    return Target(
        kind=kind,
        name=entity.name if is_named else "",
        namespace=namespace,
        node=entity.node,
        cluster=entity.cluster,
        workload_kind=workload_kind,
    )


_WITH_A_KIND = frozenset({TargetKind.JOB, TargetKind.WORKLOAD})


def _found(entity: EntityRef, snapshot: Snapshot) -> tuple[str | None, str | None]:
    """Return namespace and kind of the workload, as far as its record or the objects tell."""
    kinds = (entity.api_kind,) if entity.api_kind in _WORKLOAD_KINDS else _WORKLOAD_KINDS
    if entity.namespace is not None:
        found = (kind for kind in kinds if kind and snapshot.get(kind, entity.name, entity.namespace))
        return entity.namespace, next(found, kinds[0] if len(kinds) == 1 else None)
    places = [
        (item.namespace, kind)
        for kind in kinds
        for item in snapshot.by_kind.get(str(kind).lower(), ())
        if item.name == entity.name
    ]
    return places[0] if len(places) == 1 else (None, None)
