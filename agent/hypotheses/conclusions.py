"""From ranked trials to the hypotheses of the report and the diagnosis. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from firstfault.agent.classes.definitions import ClassDefinition
from firstfault.agent.classes.matching import SignalSet
from firstfault.agent.correlate.blame import blamed_change
from firstfault.agent.correlate.chronology import earliest
from firstfault.agent.correlate.echoes import Echo
from firstfault.agent.findings import Diagnosis, Hypothesis, Owner, Verdict
from firstfault.agent.hypotheses.culprits import culprit_of, owner_of
from firstfault.agent.hypotheses.placing import placed
from firstfault.agent.hypotheses.ranking import Ranked
from firstfault.agent.hypotheses.standings import (
    echo_only,
    evidence_of,
    ruled_out,
    untested,
    weighed,
    worth_asking,
)
from firstfault.agent.hypotheses.trials import Trial, try_class
from firstfault.agent.hypotheses.verdicts import verdict_of
from firstfault.agent.hypotheses.wording import fill
from firstfault.tools.catalogs.harmless import FINE, is_harmless
from firstfault.tools.entities import EntityRef
from firstfault.tools.evidence import Coverage
from firstfault.tools.extract.questions import asked_thing
from firstfault.tools.kinds import Family
from firstfault.tools.signals import Signal

UNKNOWN_CLASS = "unknown"
WORKLOAD_LAYERS = frozenset({"application", "kubernetes"})
"""Layers in which a workload is at fault more often than a machine."""


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
    ranked = placed(trials, signals, question)
    best = ranked[0] if ranked and ranked[0].trial.hits else None
    change = None if best is None else blame(best, signals, question)
    verdict, why = verdict_of(best, ranked, signals, change, question)
    ledger = (
        *(weighed(item, best, signals, change) for item in ranked),
        *(echo_only(trial) for trial in trials if not trial.hits and trial.echoed),
        *(ruled_out(trial) for trial in trials if not trial.hits and not trial.echoed and trial.against),
        *(untested(trial) for trial in worth_asking(trials, best)),
    )
    return Conclusion(
        diagnosis=_diagnosis(best, (verdict, why), signals, change, question),
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
    word: tuple[Verdict, str],
    signals: SignalSet,
    change: Signal | None,
    question: str,
) -> Diagnosis:
    verdict, why = word
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
    culprit = _blamed_thing(trial, change) or culprit_of(trial, signals) or _asked(definition.layer, question)
    return Diagnosis(
        verdict=verdict,
        failure_class=trial.name,
        mechanism=mechanism.name if mechanism else None,
        layer=definition.layer,
        owner=owner_of(trial, signals),
        culprit=culprit,
        first_fault=change or best.first,
        caused_by_change=_as_record(change),
        summary=fill(template, trial.signals, culprit=culprit, layer=definition.layer),
        evidence=evidence_of((*trial.signals, *([change] if change else []))),
        because=why,
    )


def _asked(layer: str, question: str) -> EntityRef | None:
    """Return the thing that the question is about, for want of a better name of what is at fault."""
    if layer in {"none", "unknown"}:
        return None
    return asked_thing(question, is_machine=layer not in WORKLOAD_LAYERS)


def _blamed_thing(trial: Trial, change: Signal | None) -> EntityRef | None:
    return change.entity if change is not None and trial.definition.change_is_culprit else None


def _as_record(change: Signal | None) -> dict[str, str] | None:
    if change is None:
        return None
    record = {key: str(change.attributes[key]) for key in ("what", "who", "why") if key in change.attributes}
    return {**record, "at": change.stamp.raw, "evidence": change.evidence.id}


def _first_sign(signals: SignalSet) -> Signal | None:
    """Return the earliest thing that a machine reported and no rule explained away, where no class could be named."""
    return earliest(
        [
            s
            for index, s in enumerate(signals.signals)
            if not s.said_by_human
            and index not in signals.echoes
            and s.family is not Family.CHANGE
            and not is_harmless(s.name, FINE)
        ]
    )
