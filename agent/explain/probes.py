"""Why one criterion holds or not: what was seen for each of its matchers, and what kept the rest out. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

from firstfault.agent.classes.definitions import Criterion, Matcher, Predicate
from firstfault.agent.classes.matching import SignalSet, holds, unique
from firstfault.tools.signals import Signal

MOST_NAMED = 4
"""Names of signals listed in one sentence; the rest is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """One criterion after its test. why_not: why it does not hold, empty when it does."""

    criterion: Criterion
    signals: tuple[Signal, ...] | None
    why_not: str = ""
    near: tuple[tuple[Signal, str], ...] = ()
    """Signals of the wanted names that did not count, each with the reason."""


def weighed(criterion: Criterion, signals: SignalSet) -> Weighed:
    """Return the criterion with the signals that make it hold, or with the reason why it does not."""
    found = holds(criterion, signals)
    if found is not None:
        return Weighed(criterion=criterion, signals=found)
    return Weighed(
        criterion=criterion,
        signals=None,
        why_not=_why_not(criterion, signals),
        near=tuple(_near((*criterion.all, *criterion.any), signals)),
    )


def _why_not(criterion: Predicate, signals: SignalSet) -> str:
    missing = [matcher for matcher in criterion.all if not signals.find(matcher)]
    if missing:
        return "not seen: " + "; ".join(_wanted(matcher) for matcher in missing)
    barred = unique(signal for matcher in criterion.none for signal in signals.find(matcher))
    if barred and criterion.same is None:
        return "ruled out by " + _listed({f"{s.name} on {s.entity.name}" for s in barred})
    if criterion.all and holds(_required(criterion), signals) is None:
        return _why_not_together(criterion, signals, barred)
    wanted = [name for matcher in criterion.any for name in matcher.signal]
    return f"none of these seen: {_listed(wanted)}" if wanted else "not seen"


def _required(criterion: Predicate) -> Predicate:

    return criterion.model_copy(update={"any": ()})


def _why_not_together(criterion: Predicate, signals: SignalSet, barred: Sequence[Signal]) -> str:
    names = _listed([name for matcher in criterion.all for name in matcher.signal])
    loose = criterion.model_copy(update={"any": (), "in_order": False, "within_s": None})
    if holds(loose, signals) is None:
        also = f", or there {_listed({s.name for s in barred})} was seen too" if barred else ""
        return f"seen, but not on one {criterion.same}: {names}{also}"
    if holds(loose.model_copy(update={"in_order": True}), signals) is None:
        return f"seen, but in another order: {names}"
    return f"seen, but more than {criterion.within_s:g} s apart: {names}"


def _near(matchers: Iterable[Matcher], signals: SignalSet) -> Iterable[tuple[Signal, str]]:
    """Yield each signal that has a wanted name and did not count, once, with the reason."""
    told: set[int] = set()
    for matcher in matchers:
        if signals.find(matcher):
            continue
        for index, signal in enumerate(signals.signals):
            reason = _reason(index, signal, matcher, signals)
            if reason and index not in told:
                told.add(index)
                yield signal, reason


def _reason(index: int, signal: Signal, matcher: Matcher, signals: SignalSet) -> str:
    alone = SignalSet(signals=(signal,))
    named = Matcher(signal=matcher.signal, echoes=True)
    if not alone.find(named):
        return ""
    plain = _uncounted(matcher)
    if not alone.find(plain):
        return _unmet(signal, plain)
    if not matcher.echoes and index in signals.echoes:
        return f"an echo: {signals.echoes[index]}"
    return _too_few(signals.find(plain), matcher)


def _uncounted(matcher: Matcher) -> Matcher:
    return matcher.model_copy(
        update={"min_count": 1, "min_entities": 1, "max_entities": None, "min_nodes": 0}
    )


def _unmet(signal: Signal, matcher: Matcher) -> str:
    alone = SignalSet(signals=(signal,))
    for name, condition in matcher.where.items():
        if not alone.find(Matcher(signal=matcher.signal).model_copy(update={"where": {name: condition}})):
            held = signal.attributes.get(name)
            tests = condition.model_dump(exclude_none=True)
            asked = ", ".join(f"{test} {_shown(value)}" for test, value in tests.items())
            return f"{name} is {'not known' if held is None else held}, asked for: {asked}"
    if matcher.entity and signal.entity.kind not in matcher.entity:
        return f"about a {signal.entity.kind}, asked for: {_listed([str(kind) for kind in matcher.entity])}"
    return f"from the family {signal.family}, which does not count here"


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return _listed([str(item) for item in cast("tuple[object, ...]", value)])
    return str(value)


def _too_few(found: Sequence[Signal], matcher: Matcher) -> str:
    count, things = sum(signal.count for signal in found), len({signal.entity.key for signal in found})
    if count < matcher.min_count:
        return f"seen {count} times, asked for: {matcher.min_count}"
    if matcher.max_entities is not None and things > matcher.max_entities:
        return f"on {things} things, asked for at most {matcher.max_entities}"
    if things < matcher.min_entities:
        return f"on {things} things, asked for: {matcher.min_entities}"
    return f"on fewer than {matcher.min_nodes} machines"


def _wanted(matcher: Matcher) -> str:
    text = _listed(matcher.signal)
    parts = [
        f"{name} {test} {_shown(value)}"
        for name, condition in matcher.where.items()
        for test, value in condition.model_dump(exclude_none=True).items()
    ]
    return f"{text} ({', '.join(parts)})" if parts else text


def _listed(names: Iterable[str]) -> str:
    distinct = list(dict.fromkeys(names))
    more = len(distinct) - MOST_NAMED
    shown = ", ".join(distinct[:MOST_NAMED])
    return f"{shown} and {more} more" if more > 0 else shown
