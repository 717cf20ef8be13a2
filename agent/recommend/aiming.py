"""What an action is aimed at: a thing of a kind that the action can be done to, and what must be said with it. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from firstfault.agent.classes.matching import SignalSet, node_of
from firstfault.agent.facts.pins import PINS
from firstfault.agent.facts.targets import UNNAMED, kinds_for
from firstfault.agent.findings import Diagnosis
from firstfault.policies.actions import Action
from firstfault.policies.parameters import AVOID_NODE, GPU_UUID, fits
from firstfault.tools.entities import EntityKind, EntityRef, canonical_bdf
from firstfault.tools.signals import Signal

ON_A_MACHINE = frozenset(
    {
        EntityKind.NODE,
        EntityKind.GPU,
        EntityKind.NVLINK,
        EntityKind.NVSWITCH,
        EntityKind.PORT,
        EntityKind.ADAPTER,
        EntityKind.DEVICE,
    }
)
"""What is part of one machine: whoever is restarted because of it must not come back there."""
_ALONE = frozenset({Action.RESTART_JOB_FROM_CHECKPOINT, Action.RESTART_POD})
"""Actions on work that is only a victim: the thing is looked for among everything seen, and taken if there is but one."""


def aim(action: Action, wanted: EntityRef, own: Sequence[Signal], signals: SignalSet) -> EntityRef:
    """Return `wanted` when the action can be done to it, else what fits and stands nearest to it.

    When nothing fits it is a thing of the right kind without a name: the gate refuses that, and says what is not known.
    """
    kinds = kinds_for(action)
    if wanted.kind in kinds:
        return wanted
    node = wanted.node or (wanted.name if wanted.kind is EntityKind.NODE else None)
    near = next(_things(own, kinds), None)
    if near is not None:
        return near
    if action in _ALONE:
        seen = {thing.key: thing for thing in _things(signals.signals, kinds)}
        if len(seen) == 1:
            return next(iter(seen.values()))
    if EntityKind.NODE in kinds and node:
        return EntityRef(kind=EntityKind.NODE, name=node, cluster=wanted.cluster)
    return EntityRef(kind=kinds[0], name=UNNAMED, cluster=wanted.cluster, node=node)


def changed_object(change: Signal) -> EntityRef:
    """Return what a change was made to, where its record names it; else the change itself, which the gate never acts on."""
    name, kind = _text(change, "object"), _text(change, "object_kind")
    if not name:
        return change.entity
    return EntityRef(
        kind=EntityKind.CONTROLLER if kind in PINS else EntityKind.WORKLOAD,
        name=name,
        namespace=_text(change, "object_namespace"),
        cluster=change.entity.cluster,
        api_kind=kind,
    )


def _things(signals: Iterable[Signal], kinds: Sequence[EntityKind]) -> Iterator[EntityRef]:
    """Yield the things of these kinds that signals are about, or name beside what they are about."""
    for signal in signals:
        if signal.entity.kind in kinds and signal.entity.name != UNNAMED:
            yield signal.entity
        for kind in kinds:
            name = signal.attributes.get(kind.value)
            if name:
                yield EntityRef(
                    kind=kind,
                    name=str(name),
                    namespace=signal.entity.namespace or _text(signal, "namespace"),
                    node=signal.entity.node,
                )


def _text(signal: Signal, key: str) -> str | None:
    value = signal.attributes.get(key)
    return str(value) if value else None


def parameters_of(
    action: Action, diagnosis: Diagnosis, target: EntityRef, signals: SignalSet
) -> Mapping[str, str]:
    """Return what must be said with the action, as far as the evidence tells.

    A job must stay away from the machine that failed; a reset is for one device, by its UUID where a source gave it.
    """
    if action is Action.RESTART_JOB_FROM_CHECKPOINT:
        machine = _machine_of(diagnosis, signals)
        return {AVOID_NODE: machine} if fits(AVOID_NODE, machine) else {}
    if action is Action.GPU_RESET and target.kind is EntityKind.GPU:
        names = {name for signal in signals.signals if (name := _uuid(signal)) and _is_of(signal, target)}
        return {GPU_UUID: names.pop()} if len(names) == 1 else {}
    return {}


def _machine_of(diagnosis: Diagnosis, signals: SignalSet) -> str:
    """Return the machine that the culprit is, or is a part of; empty when it is neither, or not known which."""
    culprit = diagnosis.culprit
    if culprit is None or culprit.kind not in ON_A_MACHINE:
        return ""
    if culprit.kind is EntityKind.NODE:
        return "" if culprit.name == UNNAMED else culprit.name
    machines = {node_of(signal) for signal in signals.signals if signal.entity.key == culprit.key} - {""}
    return culprit.node or (machines.pop() if len(machines) == 1 else "")


def _uuid(signal: Signal) -> str:
    said = (_text(signal, key) or "" for key in ("UUID", "uuid"))
    return next((text for text in said if fits(GPU_UUID, text)), "")


def _is_of(signal: Signal, gpu: EntityRef) -> bool:
    """Return whether the signal is about that GPU: the same address, or the same name, on a machine that is not another."""
    if gpu.node and node_of(signal) not in {"", gpu.node}:
        return False
    address = canonical_bdf(gpu.name)
    said = (signal.entity.name, _text(signal, "pci_bus_id") or "")
    return gpu.name in said or (address is not None and address in {canonical_bdf(text) for text in said})
