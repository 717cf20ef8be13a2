"""Rules over series: which value of a metric means which signal, with unit, trap and source."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

from firstfault.tools.catalogs.comparisons import Comparison, Condition, conditions_of, names_of
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


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRule:
    """One row of `metric_rules.csv`. metric: a regular expression over whole names. other: what `ratio` divides by."""

    id: str
    metric: str
    names: re.Pattern[str]
    where: tuple[Condition, ...]
    how: How
    test: Comparison
    test_text: str
    other: str
    unit: str
    entity: EntityKind
    signal: str
    meaning: str
    trap: str
    source: str


@cache
def metric_rules() -> tuple[MetricRule, ...]:
    """Return the rules over series, in table order. Raises CatalogueError when a row cannot be used."""
    return tuple(_metric(row) for row in read_table("metric_rules.csv"))


@cache
def rules_for(metric: str) -> tuple[MetricRule, ...]:
    """Return the rules over the metric of that name, in table order."""
    return tuple(rule for rule in metric_rules() if rule.names.fullmatch(metric))


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
            names=names_of(row["metric"]),
            where=conditions_of(row["where"]),
            how=_how(row["how"]),
            test=Comparison.of(row["test"]),
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
