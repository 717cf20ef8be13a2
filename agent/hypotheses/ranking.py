"""Which class explains the incident best: lexicographic, explainable, no numbers invented (DESIGN §5, Ranking). Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from firstfault.agent.classes.definitions import Strength
from firstfault.agent.classes.matching import name_fits
from firstfault.agent.correlate.chronology import earliest
from firstfault.agent.hypotheses.trials import Hit, Trial
from firstfault.tools.signals import Signal


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A trial with its place. `parent`: the class whose truth would explain this one's signals."""

    trial: Trial
    first: Signal | None
    parent: str | None
    key: tuple[int, ...]
    shown: tuple[str, ...]


def rank(trials: Sequence[Trial]) -> tuple[Ranked, ...]:
    """Return the trials that anything speaks for, best first."""
    candidates = [trial for trial in trials if trial.hits]
    overall = earliest(
        [
            s
            for t in candidates
            if not t.against
            for h in t.hits
            if _roots(h)
            for s in h.signals
        ]
    )
    ranked = [_place(trial, candidates, overall) for trial in candidates]
    return tuple(
        sorted(
            ranked,
            key=lambda item: (tuple(-part for part in item.key), item.trial.name),
        )
    )


def first_signal(trial: Trial) -> Signal | None:
    """Return the first fault if this class is true: the earliest signal a criterion lets be one."""
    for pattern in trial.definition.first_fault:
        preferred = [
            s for h in trial.hits for s in h.signals if name_fits(s.name, (pattern,))
        ]
        if preferred:
            return earliest(preferred)
    able = [s for h in trial.hits if _roots(h) for s in h.signals]
    machine = [s for s in able if not s.said_by_human]
    return earliest(machine or able or list(trial.signals))


def _roots(hit: Hit) -> bool:
    return hit.criterion.first and hit.criterion.strength is not Strength.WEAK


def _place(trial: Trial, candidates: Sequence[Trial], overall: Signal | None) -> Ranked:
    first = first_signal(trial)
    parent = next(
        (other.name for other in candidates if _is_parent(other, trial)), None
    )
    explained = sum(
        1 for other in candidates if other is not trial and _is_parent(trial, other)
    )
    parts = (
        ("no contradiction", int(not trial.against)),
        ("not a consequence", int(parent is None)),
        ("strength", trial.strength),
        (
            "explains the first fault",
            int(overall is not None and any(s is overall for s in trial.signals)),
        ),
        ("independent sources", len(trial.families)),
        ("rivals explained", explained),
        ("criteria met", len(trial.hits)),
    )
    shown = tuple(f"{name}: {value}" for name, value in parts)
    criteria = ", ".join(hit.criterion.id for hit in trial.hits)
    return Ranked(
        trial=trial,
        first=first,
        parent=parent,
        key=tuple(v for _, v in parts),
        shown=(*shown, f"criteria: {criteria}"),
    )


def _is_parent(other: Trial, trial: Trial) -> bool:
    """Return whether `other`, if true, explains every signal that speaks for `trial`, and not the other way round."""
    if other is trial or other.against or other.strength < Strength.STRONG.rank:
        return False
    own = [
        s
        for h in trial.hits
        if h.criterion.strength is not Strength.WEAK
        for s in h.signals
    ] or list(trial.signals)
    if not own or not all(other.explains(signal) for signal in own):
        return False
    theirs = [
        s
        for h in other.hits
        if h.criterion.strength is not Strength.WEAK
        for s in h.signals
    ]
    return not all(trial.explains(signal) for signal in theirs)
