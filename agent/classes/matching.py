"""Whether a predicate of a class definition holds for the signals at hand. Pure."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache
from itertools import pairwise

from firstfault.agent.classes.definitions import Condition, Join, Matcher, Predicate
from firstfault.tools.catalogs.harmless import FINE, is_harmless
from firstfault.tools.entities import EntityKind
from firstfault.tools.signals import Signal, Value
from firstfault.tools.times import Order, order


@dataclass(frozen=True, kw_only=True)
class SignalSet:
    """All signals of an incident, by name, with the ones that an echo rule explained away marked."""

    signals: tuple[Signal, ...]
    echoes: Mapping[int, str] = field(default_factory=dict[int, str])
    """Index of a signal → why it is an echo."""

    @cached_property
    def _by_name(self) -> Mapping[str, Sequence[int]]:
        groups: dict[str, list[int]] = defaultdict(list)
        for index, signal in enumerate(self.signals):
            if not self._is_bystander(signal):
                groups[signal.name].append(index)
        return groups

    @cached_property
    def _told_of(self) -> frozenset[str]:
        """The names of machines about which more is said than that they are well."""
        told = (signal for signal in self.signals if not is_harmless(signal.name, FINE))
        return frozenset(name for signal in told for name in (node_of(signal), *_objects(signal)))

    def _is_bystander(self, signal: Signal) -> bool:
        """Return whether a signal says only that a machine is well of which nothing else is said: it speaks for nothing."""
        return (
            signal.entity.kind is EntityKind.NODE
            and is_harmless(signal.name, FINE)
            and signal.entity.name not in self._told_of
        )

    @property
    def names(self) -> Iterable[str]:
        """Return the name of every kind of signal that is there, without machines that only are well."""
        return self._by_name.keys()

    def _indices(self, patterns: tuple[str, ...]) -> list[int]:
        return sorted(i for name, group in self._by_name.items() if name_fits(name, patterns) for i in group)

    def find(self, matcher: Matcher) -> list[Signal]:
        """Return the signals that fit, in order; empty when the required counts are not reached."""
        found = [
            self.signals[index]
            for index in self._indices(matcher.signal)
            if (matcher.echoes or index not in self.echoes) and _fits(self.signals[index], matcher)
        ]
        return found if _enough(found, matcher) else []

    def named(self, patterns: Iterable[str]) -> list[Signal]:
        """Return every signal whose name fits one of the glob patterns, echoes included."""
        return [self.signals[index] for index in self._indices(tuple(patterns))]


@lru_cache(maxsize=65536)
def name_fits(name: str, patterns: tuple[str, ...]) -> bool:
    """Return whether a signal name fits one of the glob patterns."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def holds(predicate: Predicate, signals: SignalSet) -> tuple[Signal, ...] | None:
    """Return the signals that make the predicate true (empty for one without conditions), or None when it is false."""
    required: tuple[Signal, ...] = ()
    if predicate.all:
        joined = _all_of(predicate, signals)
        if joined is None:
            return None
        required = joined
    elif any(signals.find(matcher) for matcher in predicate.none):
        return None
    if not predicate.any:
        return required
    chosen = [signal for matcher in predicate.any for signal in signals.find(matcher)]
    if not chosen:
        return None
    return unique((*required, *chosen))


def _all_of(predicate: Predicate, signals: SignalSet) -> tuple[Signal, ...] | None:
    found = [signals.find(matcher) for matcher in predicate.all]
    if not all(found):
        return None
    barred = [signals.find(matcher) for matcher in predicate.none]
    if predicate.same is None:
        return None if any(barred) else _in_order(predicate, found)
    for key in _shared_keys(found, predicate.same):
        if any(join_key(signal, predicate.same) == key for group in barred for signal in group):
            continue
        chosen = [[s for s in group if join_key(s, predicate.same) == key] for group in found]
        if matched := _in_order(predicate, chosen):
            return matched
    return None


def _shared_keys(groups: Sequence[Sequence[Signal]], join: Join) -> list[str]:
    keys = [{join_key(signal, join) for signal in group} - {""} for group in groups]
    shared = set[str].intersection(*keys) if keys else set[str]()
    return sorted(shared)


def _in_order(predicate: Predicate, groups: Sequence[Sequence[Signal]]) -> tuple[Signal, ...] | None:
    flat = unique(signal for group in groups for signal in group)
    if not predicate.in_order:
        return flat
    for earlier, later in pairwise(groups):
        if order(earlier[0].stamp, later[0].stamp) is Order.AFTER:
            return None
    if predicate.within_s is not None:
        gap = seconds_between(groups[0][0], groups[-1][0])
        if gap is not None and gap > predicate.within_s:
            return None
    return flat


def unique(signals: Iterable[Signal]) -> tuple[Signal, ...]:
    """Return the signals without repeats, in order."""
    return tuple(
        {(signal.name, signal.entity.key, signal.evidence.id): signal for signal in signals}.values()
    )


def seconds_between(first: Signal, second: Signal) -> float | None:
    """Return the seconds from `first` to `second`, or None when no common clock tells."""
    one, two = first.stamp, second.stamp
    if one.uptime_s is not None and two.uptime_s is not None and one.series == two.series:
        return two.uptime_s - one.uptime_s
    if one.at is not None and two.at is not None:
        return (two.at - one.at).total_seconds()
    return None


def node_of(signal: Signal) -> str:
    """Return the machine a signal is about, or an empty string."""
    if signal.entity.kind is EntityKind.NODE:
        return signal.entity.name
    return signal.entity.node or str(signal.attributes.get("node", ""))


def _objects(signal: Signal) -> tuple[str, ...]:
    return tuple(str(signal.attributes[key]) for key in ("object", "host") if key in signal.attributes)


def join_key(signal: Signal, join: Join) -> str:
    """Return what `same` compares; an empty string joins with nothing."""
    if join == "entity":
        return signal.entity.key
    if join == "node":
        return node_of(signal)
    if join == "namespace":
        return signal.entity.namespace or ""
    if join == "document":
        return signal.evidence.path
    if signal.entity.kind is EntityKind.POD:
        return signal.entity.key
    return str(signal.attributes.get("pod", ""))


def _fits(signal: Signal, matcher: Matcher) -> bool:
    return (
        signal.count >= matcher.repeats
        and (not matcher.family or signal.family in matcher.family)
        and signal.family not in matcher.not_family
        and (not matcher.entity or signal.entity.kind in matcher.entity)
        and all(_passes(_attribute(signal, name), condition) for name, condition in matcher.where.items())
    )


def _attribute(signal: Signal, name: str) -> Value | None:
    """Return an attribute of the signal; `entity` is the name of what it is about."""
    return signal.entity.name if name == "entity" else signal.attributes.get(name)


def _enough(found: Sequence[Signal], matcher: Matcher) -> bool:
    if sum(signal.count for signal in found) < matcher.min_count:
        return False
    entities = {signal.entity.key for signal in found}
    if len(entities) < matcher.min_entities or (
        matcher.max_entities is not None and len(entities) > matcher.max_entities
    ):
        return False
    return len({node_of(signal) for signal in found} - {""}) >= matcher.min_nodes


def _passes(value: Value | None, condition: Condition) -> bool:
    if value is None or condition.absent is not None:
        return (value is None) == bool(condition.absent)
    checks = [
        condition.eq is None or _equal(value, condition.eq),
        condition.one_of is None or any(_equal(value, item) for item in condition.one_of),
        condition.matches is None or re.search(condition.matches, str(value)) is not None,
    ]
    return all(checks) and _in_range(value, condition)


def _equal(value: Value, wanted: Value) -> bool:
    return value == wanted or str(value).casefold() == str(wanted).casefold()


def _in_range(value: Value, condition: Condition) -> bool:
    bounds = (condition.gt, condition.ge, condition.lt, condition.le)
    if all(bound is None for bound in bounds):
        return True
    try:
        number = float(value)
    except ValueError:
        return False
    gt, ge, lt, le = bounds
    return (
        (gt is None or number > gt)
        and (ge is None or number >= ge)
        and (lt is None or number < lt)
        and (le is None or number <= le)
    )
