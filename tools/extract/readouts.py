"""Reads one number out of a series, the way a rule says, and when it became so. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from firstfault.tools.catalogs.comparisons import Comparison
from firstfault.tools.catalogs.metric_rules import MetricRule
from firstfault.tools.extract.numbers import (
    Points,
    first_that,
    increases,
    minutes,
    start_of_last_run,
    steps,
)

_BOOT_JITTER_S = 60.0
"""Boot times computed from the uptime move by seconds; only a larger step is a boot."""
_ANY_MOVE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a rule saw in a series: the point it began at, and the number that decided.

    is_since_start: it was so at the first point already, so that it began at an unknown time before.
    """

    at: datetime | None
    value: float
    is_since_start: bool = False


def read_out(rule: MetricRule, points: Points) -> Found | None:
    """Return what `rule` sees in the points of a metric as it was scraped, or None."""
    reader = _READERS.get(rule.how)
    return None if reader is None or not points else reader(rule.test, points)


def read_out_computed(rule: MetricRule, points: Points, *, is_rate: bool) -> Found | None:
    """Return what `rule` sees in points that the server computed: increases over a range, or rates per second."""
    if rule.how not in {"increase", "per_minute"}:
        return None
    scale = 60.0 if is_rate and rule.how == "per_minute" else 1.0
    return _any(rule.test, [(at, value * scale) for at, value in points])


def read_out_share(rule: MetricRule, points: Points, whole: Points) -> Found | None:
    """Return what `rule` sees in the share of one series in another of the same thing."""
    if not points or not whole:
        return None
    if rule.how == "increase_ratio" and len(points) == len(whole) == 1:
        return _last(rule.test, [(points[0][0], points[0][1] / whole[0][1])]) if whole[0][1] else None
    if rule.how == "increase_ratio":
        parts, total = (sum(value for _, value in increases(each)) for each in (points, whole))
        return (
            Found(at=points[0][0], value=parts / total) if total and rule.test.holds(parts / total) else None
        )
    whole_at, last = dict(whole), whole[-1][1]
    return _last(rule.test, [(at, value / part) for at, value in points if (part := whole_at.get(at, last))])


def _at(points: Points, index: int, value: float) -> Found:
    return Found(at=points[index][0], value=value, is_since_start=index == 0)


def _last(test: Comparison, points: Points) -> Found | None:
    start = start_of_last_run(points, test.holds)
    return None if start is None else _at(points, start, points[-1][1])


def _last_abs(test: Comparison, points: Points) -> Found | None:
    return _last(test, [(at, abs(value)) for at, value in points])


def _any(test: Comparison, points: Points) -> Found | None:
    index = first_that(points, test.holds)
    return None if index is None else _at(points, index, points[index][1])


def _increase(test: Comparison, points: Points) -> Found | None:
    return _growth(test, points, sum(value for _, value in increases(points)))


def _per_minute(test: Comparison, points: Points) -> Found | None:
    span = minutes(points)
    return _growth(test, points, sum(value for _, value in increases(points)) / span) if span else None


def _growth(test: Comparison, points: Points, measured: float) -> Found | None:
    begin = next((at for at, value in increases(points) if value > 0), None)
    return Found(at=begin, value=measured) if begin is not None and test.holds(measured) else None


def _changes(test: Comparison, points: Points) -> Found | None:
    moved = steps(points, _BOOT_JITTER_S)
    return Found(at=points[moved[0]][0], value=len(moved)) if moved and test.holds(len(moved)) else None


def _changes_to_zero(_test: Comparison, points: Points) -> Found | None:
    moved = [index for index in steps(points, _ANY_MOVE) if points[index][1] == 0]
    return Found(at=points[moved[0]][0], value=0.0) if moved else None


def _latched(test: Comparison, points: Points) -> Found | None:
    """Return the last code; its time only when the series shows it appear."""
    code = points[-1][1]
    if not test.holds(code):
        return None
    start = start_of_last_run(points, lambda value: value == code) or 0
    return Found(at=points[start][0] if start else None, value=code, is_since_start=start == 0)


_READERS: Mapping[str, Callable[[Comparison, Points], Found | None]] = {
    "last": _last,
    "last_abs": _last_abs,
    "any": _any,
    "bits": _any,
    "increase": _increase,
    "per_minute": _per_minute,
    "changes": _changes,
    "changes_to_zero": _changes_to_zero,
    "latched_code": _latched,
}
