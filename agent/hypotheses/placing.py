"""In which order the classes stand: by rank, and by the words of people where no machine speaks outright. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from firstfault.agent.classes.definitions import Criterion, Matcher, Strength
from firstfault.agent.classes.matching import SignalSet
from firstfault.agent.hypotheses.leanings import Leaning, leanings
from firstfault.agent.hypotheses.ranking import Ranked, first_signal, rank
from firstfault.agent.hypotheses.trials import Hit, Trial
from firstfault.tools.catalogs.taxonomy import UNKNOWN
from firstfault.tools.extract.words import SPOKEN

SIGN_WEIGHT = 4.0
"""What each rank of strength of a class adds to the weight of its words: about two telling words."""
CLEAR_WEIGHT = 8.0
"""By how much a class must go before the next one to be more than a guess: about three telling words."""
DISPLACING_WEIGHT = 2.0
"""By how much a class must go before the one that sentences point to, to displace it: about one telling word."""
LEAST_ALONE = 12.0
"""What a class must weigh to be named where no sign points anywhere: about four telling words."""
LEAST_WEIGHT = 24.0
"""What a class must weigh to be more than a guess: about eight telling words, or fewer where sentences are clear."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Leant:
    """A class that words and signs lean towards. doubt: why they do not do so clearly, None where they do."""

    trial: Trial
    leaning: Leaning
    weight: float
    doubt: str | None


def placed(trials: Sequence[Trial], signals: SignalSet, question: str = "") -> tuple[Ranked, ...]:
    """Return the trials that anything speaks for, best first.

    Where the best one rests on a strong sign of a machine, that is all. Otherwise the class that words and signs lean
    towards most goes first, with its words as one more weak criterion.
    """
    ranked = rank(trials, signals, question)
    best = ranked[0] if ranked else None
    if best is not None and best.trial.machine_strength >= Strength.STRONG.rank:
        return ranked
    chosen = _leant(trials, signals, question, None if best is None else best.trial.name)
    if chosen is None or (best is None and chosen.weight < LEAST_ALONE):
        return ranked
    if not chosen.trial.hits and chosen.trial.name == UNKNOWN:
        return () if best is None else (replace(best, undecided="people's words leave it open"), *ranked[1:])
    if best is None or best.trial.name != chosen.trial.name:
        rest = (item for item in ranked if item.trial.name != chosen.trial.name)
        return (_preferred(chosen, best, signals), *rest)
    if chosen.leaning.signals and chosen.doubt is not None:
        return (replace(best, undecided=chosen.doubt), *ranked[1:])
    return ranked


def _leant(trials: Sequence[Trial], signals: SignalSet, question: str, best: str | None) -> _Leant | None:
    """Return the class that most leans towards; None where neither a statement nor a sign of it is there.

    best: the class that ranks first; it stays where another goes before it by a hair.
    """
    weighed = leanings([trial.definition for trial in trials], signals, question)
    order = sorted(
        (
            (weighed[trial.name].weight + SIGN_WEIGHT * trial.strength, trial)
            for trial in trials
            if trial.name in weighed and not trial.against
        ),
        key=lambda each: (-each[0], each[1].name),
    )
    if not order:
        return None
    held = next((each for each in order if each[1].name == best), None)
    if held is not None and order[0][0] - held[0] < DISPLACING_WEIGHT:
        order = [held, *(each for each in order if each is not held)]
    weight, trial = order[0]
    leaning = weighed[trial.name]
    if not leaning.signals and not trial.hits:
        return None
    doubt = "people's words are too few to tell" if weight < LEAST_WEIGHT else None
    if len(order) > 1 and weight - order[1][0] < CLEAR_WEIGHT:
        doubt = f"people's words fit {order[1][1].name} nearly as well"
    return _Leant(trial=trial, leaning=leaning, weight=weight, doubt=doubt)


def _preferred(chosen: _Leant, best: Ranked | None, signals: SignalSet) -> Ranked:
    """Return the class that is leant towards, to stand before the one that ranks best."""
    trial, leaning = chosen.trial, chosen.leaning
    if leaning.signals:
        trial = replace(trial, hits=(*trial.hits, _hit(leaning)))
    against = "" if best is None else f", single signs point to {best.trial.name}"
    return Ranked(
        trial=trial,
        first=first_signal(trial, signals),
        parent=None,
        key=best.key if best is not None else (),
        shown=(
            f"words: {', '.join(leaning.words) or 'none'}",
            f"criteria: {', '.join(hit.criterion.id for hit in trial.hits)}",
        ),
        undecided=f"people's words as a whole point there{against}",
    )


def _hit(leaning: Leaning) -> Hit:
    return Hit(
        criterion=Criterion(
            id="words",
            strength=Strength.WEAK,
            any=(Matcher(signal=(SPOKEN,)),),
            because=f"it is told in the words of this class: {', '.join(leaning.words)}",
        ),
        signals=leaning.signals,
    )
