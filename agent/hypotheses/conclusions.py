"""From ranked trials to the hypotheses of the report and the diagnosis. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from firstfault.agent.classes.definitions import ClassDefinition, CulpritRule, Strength
from firstfault.agent.classes.matching import SignalSet, holds, name_fits, node_of
from firstfault.agent.correlate.blame import blamed_change
from firstfault.agent.correlate.chronology import earliest
from firstfault.agent.correlate.echoes import Echo
from firstfault.agent.findings import Diagnosis, Hypothesis, Owner, Standing, Verdict
from firstfault.agent.hypotheses.ranking import Ranked, rank
from firstfault.agent.hypotheses.trials import Trial, because, fill, try_class
from firstfault.agent.hypotheses.verdicts import verdict_of
from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.evidence import Coverage, Evidence, Gap
from firstfault.tools.kinds import Family
from firstfault.tools.signals import Signal

UNKNOWN_CLASS = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """The diagnosis, all hypotheses in order of rank, and the trial behind the diagnosis (None when unknown)."""

    diagnosis: Diagnosis
    hypotheses: tuple[Hypothesis, ...]
    best: Ranked | None
    verdict_because: str
    change: Signal | None = None
    """The record of the change that is blamed, if one is."""


def conclude(
    definitions: Sequence[ClassDefinition],
    signals: SignalSet,
    echoes: Sequence[Echo],
    coverage: Sequence[Coverage],
    question: str = "",
) -> Conclusion:
    """Return what the signals say, class by class, and which class explains them best.

    question: what was asked, used to choose between equals and to judge the scope of a change; never evidence.
    """
    trials = [try_class(definition, signals, echoes, coverage) for definition in definitions]
    ranked = rank(trials, signals, question)
    best = ranked[0] if ranked and ranked[0].trial.hits else None
    change = None if best is None else blame(best, signals, question)
    verdict, why = verdict_of(best, ranked, signals, change)
    ledger = (
        *(_hypothesis(item, best, signals) for item in ranked),
        *(_echo_only(trial) for trial in trials if not trial.hits and trial.echoed),
        *(_ruled_out(trial) for trial in trials if not trial.hits and not trial.echoed and trial.against),
        *(_untested(trial) for trial in _worth_asking(trials, best)),
    )
    return Conclusion(
        diagnosis=_diagnosis(best, verdict, why, signals, change),
        hypotheses=ledger,
        best=best,
        verdict_because=why,
        change=change,
    )


def blame(best: Ranked, signals: SignalSet, question: str) -> Signal | None:
    """Return the record of the change behind the best class, or None."""
    return blamed_change(best.trial.definition, best.trial.signals, best.first, signals, question)


def _diagnosis(
    best: Ranked | None,
    verdict: Verdict,
    why: str,
    signals: SignalSet,
    change: Signal | None,
) -> Diagnosis:
    if best is None:
        return Diagnosis(
            verdict=verdict,
            failure_class=UNKNOWN_CLASS,
            summary="The evidence at hand does not allow a cause to be named.",
            owner=Owner.SHARED,
            first_fault=_first_sign(signals),
            because=why,
        )
    trial = best.trial
    definition = trial.definition
    mechanism = trial.mechanism
    template = (mechanism.summary if mechanism else None) or definition.title
    return Diagnosis(
        verdict=verdict,
        failure_class=trial.name,
        mechanism=mechanism.name if mechanism else None,
        layer=definition.layer,
        owner=owner_of(trial, signals),
        culprit=_blamed_thing(trial, change) or culprit_of(trial, signals),
        first_fault=change or best.first,
        caused_by_change=_as_record(change),
        summary=fill(template, trial.signals),
        evidence=_evidence((*trial.signals, *([change] if change else []))),
        because=why,
    )


def _blamed_thing(trial: Trial, change: Signal | None) -> EntityRef | None:
    return change.entity if change is not None and trial.definition.change_is_culprit else None


def _as_record(change: Signal | None) -> dict[str, str] | None:
    if change is None:
        return None
    record = {key: str(change.attributes[key]) for key in ("what", "who", "why") if key in change.attributes}
    return {**record, "at": change.stamp.raw, "evidence": change.evidence.id}


_WELL = (
    "kube.node.ready",
    "kube.health.*",
    "kube.workload.complete",
    "kube.top.*",
    "*.done",
    "*.driver_loaded",
)
"""Signals that say that something is well, or merely how much there is of it."""


def _first_sign(signals: SignalSet) -> Signal | None:
    """Return the earliest thing that a machine reported and no rule explained away, where no class could be named."""
    return earliest(
        [
            s
            for index, s in enumerate(signals.signals)
            if not s.said_by_human
            and index not in signals.echoes
            and s.family is not Family.CHANGE
            and not name_fits(s.name, _WELL)
        ]
    )


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
    return _part_of_machine(trial)


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
    if not name:
        return None
    kind = rule.kind or (EntityKind.NODE if rule.take == "node" else EntityKind.UNKNOWN)
    return EntityRef(
        kind=kind, name=rule.named.replace("{}", name), namespace=entity.namespace, node=entity.node
    )


def _hypothesis(item: Ranked, best: Ranked | None, signals: SignalSet) -> Hypothesis:
    trial = item.trial
    reasons = [because(hit.criterion, hit.signals) for hit in trial.hits]
    standing, why = Standing.SUPPORTED, "; ".join(dict.fromkeys(reasons))
    contradicting = _evidence(s for _, found in trial.against for s in found)
    if trial.against:
        standing, why = (
            Standing.RULED_OUT,
            "; ".join(dict.fromkeys(reason for reason, _ in trial.against)),
        )
    elif item.parent is not None and best is not None and item is not best:
        standing = Standing.RULED_OUT
        why = f"what speaks for it follows from {item.parent}: {why}"
        contradicting = _evidence(best.trial.signals[:3]) if item.parent == best.trial.name else ()
    return Hypothesis(
        failure_class=trial.name,
        standing=standing,
        because=why,
        mechanism=trial.mechanism.name if trial.mechanism else None,
        owner=owner_of(trial, signals),
        culprit=culprit_of(trial, signals),
        first=item.first,
        supporting=_evidence(trial.signals),
        contradicting=contradicting,
        missing=_gaps(trial),
        families=tuple(str(f) for f in trial.families),
        decisive=trial.strength == Strength.DECISIVE.rank,
        rank_key=item.shown,
    )


def _echo_only(trial: Trial) -> Hypothesis:
    reasons = dict.fromkeys(echo.because for _, echo in trial.echoed)
    return Hypothesis(
        failure_class=trial.name,
        standing=Standing.RULED_OUT,
        because="; ".join(reasons),
        contradicting=_evidence(signal for signal, _ in trial.echoed),
        missing=_gaps(trial),
    )


def _ruled_out(trial: Trial) -> Hypothesis:
    return Hypothesis(
        failure_class=trial.name,
        standing=Standing.RULED_OUT,
        because="; ".join(dict.fromkeys(reason for reason, _ in trial.against)),
        contradicting=_evidence(s for _, found in trial.against for s in found),
        missing=_gaps(trial),
    )


def _untested(trial: Trial) -> Hypothesis:
    names = ", ".join(dict.fromkeys(str(need.kind) for need in trial.needs))
    return Hypothesis(
        failure_class=trial.name,
        standing=Standing.UNTESTED,
        because=f"not seen: {names}" if names else "nothing that was read speaks for it or against it",
        missing=_gaps(trial),
    )


def _worth_asking(trials: Sequence[Trial], best: Ranked | None) -> list[Trial]:
    """Return the silent classes an on-call would ask about: rivals of the best one; without a best one, none."""
    if best is None:
        return []
    rivals = best.trial.definition.rivals
    return [t for t in trials if not t.hits and not t.echoed and not t.against and name_fits(t.name, rivals)]


def _gaps(trial: Trial) -> tuple[Gap, ...]:
    return tuple(
        Gap(
            source=str(need.kind),
            kind=need.kind,
            why="not among what was collected" + (f"; get it with `{need.command}`" if need.command else ""),
            would_tell=need.would_tell,
        )
        for need in trial.needs
    )


def _evidence(signals: Iterable[Signal]) -> tuple[Evidence, ...]:
    return tuple({evidence.id: evidence for signal in signals for evidence in signal.all_evidence}.values())
