"""Rules over numbers: which value of a metric or of a printed fact means which signal, with unit, trap and source."""

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

from firstfault.tools.catalogs.tables import CatalogueError, Row, read_table
from firstfault.tools.entities import EntityKind

How = Literal[
    "last",
    "last_abs",
    "any",
    "increase",
    "per_minute",
    "changes",
    "changes_to_zero",
    "bits",
    "ratio",
    "increase_ratio",
    "latched_code",
    "peer_low",
    "peer_high",
    "peer_rate_high",
]
"""How a series is made one number. Counters (`increase`, `per_minute`, `…_rate_…`) survive resets."""

_OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
}
_CONDITION = re.compile(r"^(?P<label>\w+)(?P<how>=~|!~|!=|=)(?P<value>.*)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Test:
    """A comparison with a number: `> 0`, `has 0x80` (bits)."""

    __test__ = False
    operator: str
    threshold: float

    @staticmethod
    def of(text: str) -> "Test":
        """Return the test that `text` states. Raises ValueError when it states none."""
        word, _, number = text.partition(" ")
        if word != "has" and word not in _OPERATORS:
            msg = f"no such comparison: `{text}`"
            raise ValueError(msg)
        return Test(operator=word, threshold=float(int(number, 16)) if number.startswith("0x") else float(number))

    def holds(self, value: float) -> bool:
        """Return whether `value` passes."""
        if self.operator == "has":
            return value >= 0 and bool(int(value) & int(self.threshold))
        return _OPERATORS[self.operator](value, self.threshold)


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What a label must be, in the notation of Prometheus: `=`, `!=`, `=~`, `!~` (whole value)."""

    label: str
    how: str
    value: str

    def holds(self, labels: Mapping[str, str]) -> bool:
        """Return whether `labels` meet it; an absent label is the empty text."""
        said = labels.get(self.label, "")
        is_equal = said == self.value if self.how in {"=", "!="} else re.fullmatch(self.value, said) is not None
        return is_equal is not self.how.startswith("!")


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRule:
    """One row of `metric_rules.csv`. metric: a regular expression over whole names. other: what `ratio` divides by."""

    id: str
    metric: str
    names: re.Pattern[str]
    where: tuple[Condition, ...]
    how: How
    test: Test
    test_text: str
    other: str
    unit: str
    entity: EntityKind
    signal: str
    meaning: str
    trap: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FactTest:
    """What a printed value must be.

    how: `is` and `not` (texts: whole, any case), `number`, `share` (of another fact about the same thing), `absolute`
    (without its sign), `below others` (less than the most common value in the same document).
    """

    __test__ = False
    how: Literal["is", "not", "number", "share", "absolute", "below others"]
    text: re.Pattern[str] | None = None
    number: Test | None = None

    @staticmethod
    def of(words: str) -> "FactTest":
        """Return the test that `words` state: `is yes|on`, `not none`, `> 0`, `< 1 other`, `> 0.5 absolute`. Raises ValueError."""
        if words == "below others":
            return FactTest(how="below others")
        if words.startswith("is "):
            return FactTest(how="is", text=re.compile(words.removeprefix("is "), re.IGNORECASE | re.ASCII))
        if words.startswith("not "):
            return FactTest(how="not", text=re.compile(words.removeprefix("not "), re.IGNORECASE | re.ASCII))
        if words.endswith(" other"):
            return FactTest(how="share", number=Test.of(words.removesuffix(" other")))
        if words.endswith(" absolute"):
            return FactTest(how="absolute", number=Test.of(words.removesuffix(" absolute")))
        return FactTest(how="number", number=Test.of(words))


@dataclass(frozen=True, slots=True, kw_only=True)
class FactRule:
    """One row of `fact_rules.csv`. fact: a regular expression over whole names.

    other: for shares, `a=>b`: the other fact has the same name with `a` replaced by `b`.
    """

    id: str
    fact: str
    names: re.Pattern[str]
    where: tuple[Condition, ...]
    test: FactTest
    test_text: str
    other: tuple[str, str]
    signal: str
    meaning: str
    source: str


@cache
def metric_rules() -> tuple[MetricRule, ...]:
    """Return the rules over series, in table order. Raises CatalogueError when a row cannot be used."""
    return tuple(_metric(row) for row in read_table("metric_rules.csv"))


@cache
def fact_rules() -> tuple[FactRule, ...]:
    """Return the rules over facts, in table order. Raises CatalogueError when a row cannot be used."""
    return tuple(_fact(row) for row in read_table("fact_rules.csv"))


def _names(cell: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{word})" for word in cell.split()))


def _conditions(cell: str) -> tuple[Condition, ...]:
    found: list[Condition] = []
    for word in filter(None, cell.split(";")):
        match = _CONDITION.match(word)
        if match is None:
            msg = f"no such condition: `{word}`"
            raise ValueError(msg)
        found.append(Condition(label=match["label"], how=match["how"], value=match["value"]))
    return tuple(found)


def _how(cell: str) -> How:
    known: tuple[How, ...] = get_args(How)
    for how in known:
        if how == cell:
            return how
    msg = f"no such way to read a series: `{cell}`"
    raise ValueError(msg)


def _metric(row: Row) -> MetricRule:
    try:
        return MetricRule(
            id=row["id"],
            metric=row["metric"],
            names=_names(row["metric"]),
            where=_conditions(row["where"]),
            how=_how(row["how"]),
            test=Test.of(row["test"]),
            test_text=f"{row['how']} {row['test']} ({row['unit']})",
            other=row["other"],
            unit=row["unit"],
            entity=EntityKind(row["entity"]),
            signal=row["signal"],
            meaning=row["meaning"],
            trap=row["trap"],
            source=row["source"],
        )
    except (ValueError, re.error) as problem:
        msg = f"`metric_rules.csv` row `{row['id']}`: {problem}"
        raise CatalogueError(msg) from problem


def _fact(row: Row) -> FactRule:
    try:
        replaced, _, replacement = row["other"].partition("=>")
        return FactRule(
            id=row["id"],
            fact=row["fact"],
            names=_names(row["fact"]),
            where=_conditions(row["where"]),
            test=FactTest.of(row["test"]),
            test_text=row["test"].replace("other", f"of `{row['other']}`"),
            other=(replaced, replacement),
            signal=row["signal"],
            meaning=row["meaning"],
            source=row["source"],
        )
    except (ValueError, re.error) as problem:
        msg = f"`fact_rules.csv` row `{row['id']}`: {problem}"
        raise CatalogueError(msg) from problem
