"""One class and what became of it in an incident, criterion by criterion. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from firstfault.agent.classes.definitions import Absence, ClassDefinition, Need
from firstfault.agent.classes.matching import SignalSet
from firstfault.agent.correlate.echoes import Echo
from firstfault.agent.explain.known import Known
from firstfault.agent.explain.probes import Weighed, weighed
from firstfault.agent.hypotheses.conclusions import Conclusion, conclude
from firstfault.agent.hypotheses.placing import placed
from firstfault.agent.hypotheses.ranking import Ranked
from firstfault.agent.hypotheses.trials import Trial, try_class
from firstfault.agent.hypotheses.verdicts import open_rivals
from firstfault.agent.hypotheses.verdicts import witnesses as count_witnesses
from firstfault.tools.evidence import Coverage, CoverageState
from firstfault.tools.signals import Signal


class NoSuchClassError(Exception):
    """Raised when no class has this name; the message is one line and names the classes that resemble it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a class stands among all that anything speaks for. number: from 1."""

    number: int
    total: int
    ranked: Ranked


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Everything that was weighed for one class. answer: the short reason why it is, or is not, the diagnosis."""

    definition: ClassDefinition
    conclusion: Conclusion
    answer: str
    criteria: tuple[Weighed, ...]
    contradictions: tuple[Weighed, ...]
    absences: tuple[tuple[Absence, str], ...]
    echoed: tuple[tuple[Signal, Echo], ...]
    needs: tuple[Need, ...]
    place: Place | None
    witnesses: int
    rivals: tuple[str, ...]

    @property
    def is_diagnosis(self) -> bool:
        """Return whether the class is the diagnosis."""
        return self.conclusion.diagnosis.failure_class == self.definition.failure_class


def explain(failure_class: str | None, definitions: Sequence[ClassDefinition], known: Known) -> Explanation:
    """Return why the class is, or is not, the diagnosis; without a name the diagnosis itself is explained.

    Raises NoSuchClassError.
    """
    conclusion = conclude(definitions, known.signals, known.echoes, known.coverage, known.question)
    definition = _definition(failure_class or conclusion.diagnosis.failure_class, definitions)
    trials = [try_class(each, known.signals, known.echoes, known.coverage) for each in definitions]
    ranked = placed(trials, known.signals, known.question)
    trial = next(each for each in trials if each.definition is definition)
    place = _place(definition, ranked)
    return Explanation(
        definition=definition,
        conclusion=conclusion,
        answer=_answer(trial, conclusion, place),
        criteria=tuple(weighed(each, known.signals) for each in definition.looks_for),
        contradictions=tuple(weighed(each, known.signals) for each in definition.contradicted_by),
        absences=tuple((each, _absence(each, known.signals, known.coverage)) for each in definition.absences),
        echoed=trial.echoed,
        needs=trial.needs,
        place=place,
        witnesses=0 if place is None else len(count_witnesses(place.ranked, known.signals)),
        rivals=() if place is None else open_rivals(place.ranked, ranked),
    )


def _definition(name: str, definitions: Sequence[ClassDefinition]) -> ClassDefinition:
    for definition in definitions:
        if definition.failure_class == name:
            return definition
    near = sorted(d.failure_class for d in definitions if name.rsplit(".", maxsplit=1)[-1] in d.failure_class)
    kin = near or sorted(
        d.failure_class for d in definitions if d.failure_class.startswith(name.split(".", maxsplit=1)[0])
    )
    hint = f"; there is {', '.join(kin[:8])}" if kin else "; the classes are in docs/classes"
    msg = f"no class is called `{name}`{hint}"
    raise NoSuchClassError(msg)


def _place(definition: ClassDefinition, ranked: Sequence[Ranked]) -> Place | None:
    for number, each in enumerate(ranked, start=1):
        if each.trial.definition is definition:
            return Place(number=number, total=len(ranked), ranked=each)
    return None


def _answer(trial: Trial, conclusion: Conclusion, place: Place | None) -> str:
    diagnosis = conclusion.diagnosis
    verdict = diagnosis.verdict.value.replace("_", " ")
    if diagnosis.failure_class == trial.name:
        return f"{trial.name} is the diagnosis, {verdict}: {conclusion.verdict_because}."
    return (
        f"{trial.name} is not the diagnosis: {_why_not(trial, conclusion, place)}. "
        f"The diagnosis is {diagnosis.failure_class}, {verdict}: {conclusion.verdict_because}."
    )


def _why_not(trial: Trial, conclusion: Conclusion, place: Place | None) -> str:
    if trial.against:
        return f"something contradicts it ({trial.against[0][0]})"
    if place is None:
        return "all it would rest on are echoes" if trial.echoed else "nothing that it looks for was seen"
    if place.ranked.parent is not None:
        return f"what speaks for it follows from {place.ranked.parent}"
    if conclusion.best is None:
        return "what speaks for it is not enough"
    for own, best in zip(place.ranked.shown, conclusion.best.shown, strict=True):
        if own != best:
            name, _, value = best.partition(": ")
            return f"{conclusion.best.trial.name} ranks higher ({name}: {value} against {own.partition(': ')[2]})"
    return (
        f"it is equal to {conclusion.best.trial.name} in all that is ranked and comes later in the alphabet"
    )


def _absence(absence: Absence, signals: SignalSet, coverage: Sequence[Coverage]) -> str:
    kinds = ", ".join(str(kind) for kind in absence.kind)
    if signals.named(absence.expects):
        return "seen, so it does not speak against the class"
    complete = [c for c in coverage if c.kind in absence.kind and c.state is CoverageState.COMPLETE]
    if complete:
        return (
            "rules the class out: "
            + ", ".join(sorted({c.path or c.source for c in complete}))
            + " was read whole"
        )
    return f"not seen, but no {kinds} was read that is known to be whole, so this says nothing"
