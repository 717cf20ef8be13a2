"""Who must act and what is at fault, by the rules of a class definition. Pure."""

from firstfault.agent.classes.definitions import CulpritRule
from firstfault.agent.classes.matching import SignalSet, holds, name_fits, node_of
from firstfault.agent.findings import Owner
from firstfault.agent.hypotheses.trials import Trial
from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.signals import Signal


def owner_of(trial: Trial, signals: SignalSet) -> Owner:
    """Return who must act: the first owner rule that holds, else the mechanism's, else the class's."""
    for rule in trial.definition.owners:
        if holds(rule, signals) is not None:
            return rule.owner
    if trial.mechanism is not None and trial.mechanism.owner is not None:
        return trial.mechanism.owner
    return trial.definition.owner


def culprit_of(trial: Trial, signals: SignalSet) -> EntityRef | None:
    """Return the thing at fault by the first culprit rule that yields a name, trying the trial's own signals first."""
    for rule in trial.definition.culprit:
        if holds(rule, signals) is None:
            continue
        own = [s for s in trial.signals if name_fits(s.name, rule.signal)] or signals.named(rule.signal)
        for signal in sorted(own, key=lambda each: each.entity.kind is EntityKind.NODE):
            found = _taken(rule, signal)
            if found is not None:
                return found
    return _part_of_machine(trial) or _stated(trial) or _product(trial, signals)


def _product(trial: Trial, signals: SignalSet) -> EntityRef | None:
    """Return the part of this class that people name, if it is one only."""
    named = {
        signal.entity.name.casefold(): signal.entity for signal in signals.named((f"product.{trial.name}",))
    }
    named.pop("unknown", None)
    return next(iter(named.values())) if len(named) == 1 else None


PARTS = frozenset(
    {
        EntityKind.GPU,
        EntityKind.NVSWITCH,
        EntityKind.NVLINK,
        EntityKind.ADAPTER,
        EntityKind.PORT,
        EntityKind.DEVICE,
        EntityKind.VOLUME,
    }
)
"""Parts of machines: what a sign of a hardware class is about is what is at fault."""
HARDWARE_LAYERS = frozenset({"gpu", "nvlink", "host", "storage"})


STATED = frozenset({EntityKind.NODE, EntityKind.SWITCH})
"""What people name when they say what is at fault."""


def _stated(trial: Trial) -> EntityRef | None:
    """Return the machine or switch that people name where they state the cause, if it is one only."""
    if trial.definition.layer not in {*HARDWARE_LAYERS, "network"}:
        return None
    named = {
        signal.entity.key: signal.entity
        for hit in trial.hits
        if hit.criterion.strength.rank == trial.strength
        for signal in hit.signals
        if signal.said_by_human and signal.entity.kind in STATED
    }
    return next(iter(named.values())) if len(named) == 1 else None


def _part_of_machine(trial: Trial) -> EntityRef | None:
    """Return the part that the strongest sign of a hardware class is about, where no culprit rule names one."""
    if trial.definition.layer not in HARDWARE_LAYERS:
        return None
    return next((signal.entity for signal in trial.signals if signal.entity.kind in PARTS), None)


def _taken(rule: CulpritRule, signal: Signal) -> EntityRef | None:
    entity = signal.entity
    if rule.take == "entity":
        if entity.kind is EntityKind.UNKNOWN:
            return None
        return (
            entity
            if rule.kind is None or (rule.kind in PARTS and entity.kind is EntityKind.NODE)
            else EntityRef(
                kind=rule.kind,
                name=entity.name,
                namespace=entity.namespace,
                node=entity.node,
            )
        )
    name = node_of(signal) if rule.take == "node" else str(signal.attributes.get(rule.take, ""))
    if not name or ("{entity}" in rule.named and entity.kind is EntityKind.UNKNOWN):
        return None
    kind = rule.kind or (EntityKind.NODE if rule.take == "node" else EntityKind.UNKNOWN)
    written = rule.named.replace("{}", name).replace("{entity}", entity.name)
    return EntityRef(kind=kind, name=written, namespace=entity.namespace, node=entity.node)
