"""Turns what tools print into signals by the rules of `fact_rules.csv`. A value that is not printed is unknown."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from firstfault.tools.catalogs.fact_rules import FactRule, rules_for
from firstfault.tools.entities import UNKNOWN_ENTITY, EntityKind, EntityRef
from firstfault.tools.kinds import FAMILY_OF_KIND
from firstfault.tools.readings import Fact
from firstfault.tools.signals import Signal, Value
from firstfault.tools.times import Clock, Stamp

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_LEAST_ALIKE = 3
"""How many values must be alike before one below them is odd."""


def fact_signals(facts: Iterable[Fact]) -> Iterator[Signal]:
    """Yield a signal for every fact and rule that meet, in the order of facts and rules."""
    held = sorted(facts, key=lambda fact: (fact.document.path, fact.line, fact.name))
    by_name: dict[tuple[str, str], list[Fact]] = {}
    for fact in held:
        by_name.setdefault((fact.document.path, fact.name), []).append(fact)
    for fact in held:
        for rule in rules_for(fact.name):
            if all(each.holds(fact.labels) for each in rule.where):
                told = _told(rule, fact, by_name)
                if told is not None:
                    yield _signal(rule, fact, told)


def _told(rule: FactRule, fact: Fact, by_name: dict[tuple[str, str], list[Fact]]) -> dict[str, Value] | None:
    """Return what makes the rule meet, as attributes; None when it does not, or when it cannot be known."""
    test = rule.test
    if test.text is not None:
        is_same = test.text.fullmatch(str(fact.value).strip()) is not None
        return {} if is_same is (test.how == "is") else None
    number = number_of(fact.value)
    if number is None:
        return None
    if test.how == "below others":
        usual = _usual([number_of(other.value) for other in by_name[(fact.document.path, fact.name)]])
        return {"usual": usual} if usual is not None and number < usual else None
    if test.number is None:
        return None
    if test.how != "share":
        return {} if test.number.holds(abs(number) if test.how == "absolute" else number) else None
    other = _other(rule, fact, by_name)
    whole = None if other is None else number_of(other.value)
    return {"other": whole} if whole and test.number.holds(number / whole) else None


def number_of(value: str | float | bool) -> float | None:  # noqa: FBT001 - a printed value may be any of these
    """Return the number that a printed value states (`16x`, `x8`, `32GT/s`, `Yes` is none), or None."""
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, int | float):
        return float(value)
    match = _NUMBER.search(value[:40])
    return None if match is None else float(match[0])


def _usual(values: Sequence[float | None]) -> float | None:
    counted = Counter(value for value in values if value is not None).most_common(1)
    return counted[0][0] if counted and counted[0][1] >= _LEAST_ALIKE else None


def _other(rule: FactRule, fact: Fact, by_name: dict[tuple[str, str], list[Fact]]) -> Fact | None:
    """Return the fact that a share is taken of: about the same thing, the nearest one in the document."""
    name = fact.name.replace(*rule.other)
    alike = [other for other in by_name.get((fact.document.path, name), ()) if other.entity == fact.entity]
    return min(alike, key=lambda other: abs(other.line - fact.line), default=None)


def _signal(rule: FactRule, fact: Fact, told: dict[str, Value]) -> Signal:
    document = fact.document
    node = document.node
    entity = (
        fact.entity
        or document.entity
        or (EntityRef(kind=EntityKind.NODE, name=node) if node else UNKNOWN_ENTITY)
    )
    attributes: dict[str, Value] = {
        "fact": fact.name,
        "value": fact.value,
        **fact.labels,
        **told,
        "meaning": rule.meaning,
        "rule": rule.id,
    }
    return Signal(
        name=rule.signal,
        entity=entity,
        stamp=fact.stamp or Stamp(clock=Clock.POSITION, raw="", series=document.path, position=fact.line),
        evidence=fact.cite(entity=entity),
        family=FAMILY_OF_KIND[document.kind],
        attributes=attributes,
    )
