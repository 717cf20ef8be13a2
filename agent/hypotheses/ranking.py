"""Which class explains the incident best: lexicographic, explainable, no numbers invented (DESIGN §5, Ranking). Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from firstfault.agent.classes.definitions import Strength
from firstfault.agent.classes.matching import SignalSet, name_fits, node_of, seconds_between
from firstfault.agent.correlate.chronology import earliest
from firstfault.agent.hypotheses.trials import Hit, Trial
from firstfault.tools.extract.questions import asked_signals, asks_for_cause, asks_for_state
from firstfault.tools.extract.quiet import DEVICE_CLEAN
from firstfault.tools.kinds import Family
from firstfault.tools.signals import Signal
from firstfault.tools.times import Order, order


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A trial with its place.

    parent: the class whose truth would explain this one's signals. undecided: why people's words leave it open, None where
    they do not.
    """

    trial: Trial
    first: Signal | None
    parent: str | None
    key: tuple[int, ...]
    shown: tuple[str, ...]
    undecided: str | None = None


def rank(trials: Sequence[Trial], signals: SignalSet | None = None, question: str = "") -> tuple[Ranked, ...]:
    """Return the trials that anything speaks for, best first.

    question: what was asked; between equals, a class about a thing that the question names goes first.
    """
    candidates = [trial for trial in trials if trial.hits and not _answers_another_question(trial, question)]
    overall = earliest(
        [
            s
            for t in candidates
            if not t.against
            for h in t.hits
            if _roots(h)
            for s in h.signals
            if not s.said_by_human or s.stamp.at is not None
        ]
    )
    known = signals or SignalSet(signals=())
    ranked = [_place(trial, candidates, overall, known, question) for trial in candidates]
    return tuple(
        sorted(
            ranked,
            key=lambda item: (tuple(-part for part in item.key), item.trial.name),
        )
    )


def first_signal(trial: Trial, signals: SignalSet | None = None) -> Signal | None:
    """Return the first fault if this class is true: where it begins, else the earliest signal that may be one.

    What a machine printed goes before what a person says of it, even where only the person named the class.
    """
    for pattern in trial.definition.first_fault:
        preferred = [s for h in trial.hits for s in h.signals if name_fits(s.name, (pattern,))]
        if preferred:
            return earliest(preferred)
    able = [s for h in trial.hits if _roots(h) for s in h.signals]
    machine = [s for s in able if not s.said_by_human] or [
        s for h in trial.hits if h.criterion.first for s in h.signals if not s.said_by_human
    ]
    found = earliest(machine or able or list(trial.signals))
    root = _root(trial, signals, found)
    return root or found


def _root(trial: Trial, signals: SignalSet | None, found: Signal | None) -> Signal | None:
    """Return the signal where the class begins, if one was seen and is not known to be later than `found`.

    A person's statement about the beginning does not push aside what a machine printed.
    """
    if signals is None or not trial.definition.roots:
        return None
    for pattern in trial.definition.roots:
        named = [
            s
            for s in signals.named((pattern,))
            if found is None
            or (order(found.stamp, s.stamp) is not Order.BEFORE or (s.said_by_human and found.said_by_human))
        ]
        if found is not None and not found.said_by_human:
            named = [s for s in named if not s.said_by_human]
        if named:
            return earliest(named)
    return None


def _roots(hit: Hit) -> bool:
    return hit.criterion.first and hit.criterion.strength is not Strength.WEAK


def _place(
    trial: Trial,
    candidates: Sequence[Trial],
    overall: Signal | None,
    known: SignalSet,
    question: str,
) -> Ranked:
    first = first_signal(trial, known)
    parent = next((other.name for other in candidates if _is_parent(other, trial)), None)
    explained = sum(1 for other in candidates if other is not trial and _is_parent(trial, other))
    parts = (
        ("no contradiction", int(not trial.against)),
        ("not a consequence", int(parent is None)),
        ("answers what was asked", _answers(trial, candidates, question)),
        ("strength", trial.strength),
        (
            "explains the first fault",
            int(overall is not None and any(s is overall for s in trial.signals)),
        ),
        ("independent sources", len(trial.families)),
        ("rivals explained", explained),
        ("about what was asked", _asked_about(trial, question)),
        ("criteria met", len(trial.hits)),
        ("lines", len({(s.evidence.path, s.evidence.line_start) for s in trial.signals})),
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
    """Return whether `other`, if true, explains every signal that speaks for `trial`, and not the other way round.

    What only people say does not turn what a machine proves of itself into a consequence.
    """
    if other is trial or other.against or other.strength < Strength.STRONG.rank:
        return False
    if trial.machine_strength == Strength.DECISIVE.rank and other.machine_strength < Strength.STRONG.rank:
        return False
    own = [s for h in trial.hits if h.criterion.strength is not Strength.WEAK for s in h.signals] or list(
        trial.signals
    )
    if _kernel_saw_before(trial, other):
        return False
    if not own or not all(other.explains(signal) for signal in own):
        return False
    theirs = [s for h in other.hits if h.criterion.strength is not Strength.WEAK for s in h.signals]
    return not all(trial.explains(signal) for signal in theirs)


_AT_ONCE_S = 60.0
"""What one fault sets off in a machine is in the kernel's log within this time. A choice."""


def _kernel_saw_before(trial: Trial, other: Trial) -> bool:
    """Return whether the kernel of one machine told of `trial` long before it told of `other`: no consequence then."""
    mine, theirs = (
        earliest([s for s in each.signals if s.family is Family.KERNEL and not s.said_by_human])
        for each in (trial, other)
    )
    if mine is None or theirs is None or node_of(mine) != node_of(theirs):
        return False
    gap = seconds_between(mine, theirs)
    return order(mine.stamp, theirs.stamp) is Order.BEFORE and gap is not None and abs(gap) > _AT_ONCE_S


_HEALTHY = "none.healthy"


def _answers_another_question(trial: Trial, question: str) -> bool:
    """Return whether nothing but clean counters of a device speaks for the class, and its state was not asked for."""
    return not asks_for_state(question) and all(s.name == DEVICE_CLEAN for s in trial.signals)


def _answers(trial: Trial, candidates: Sequence[Trial], question: str) -> int:
    """Return whether the class is the kind of answer that was asked for: 0 no, 1 yes, 2 just that.

    "Is it broken?" is answered by health that was seen; "why did it break?" is not, where a cause was seen.
    """
    if trial.name != _HEALTHY or trial.strength < Strength.STRONG.rank:
        return 1
    if asks_for_state(question):
        return 2
    has_cause = any(
        other.name != _HEALTHY and not other.against and other.machine_strength >= Strength.STRONG.rank
        for other in candidates
    )
    return int(not (has_cause and asks_for_cause(question)))


_MIN_NAME = 4


def _asked_about(trial: Trial, question: str) -> int:
    """Return how much of the question is about the class: a thing it names, and words that its criteria look for."""
    asked = question.casefold()
    is_named = any(
        len(s.entity.name) >= _MIN_NAME and s.entity.name.casefold() in asked for s in trial.signals
    )
    wanted = tuple(
        pattern
        for criterion in trial.definition.looks_for
        for matcher in (*criterion.any, *criterion.all)
        for pattern in matcher.signal
    )
    return int(is_named) + sum(1 for name in asked_signals(question) if name_fits(name, wanted))
