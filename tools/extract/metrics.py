"""Turns series into signals by the rules of `metric_rules.csv`. A missing series or a blank is unknown, never health."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from firstfault.tools.catalogs.rules import MetricRule, metric_rules
from firstfault.tools.catalogs.xids import MAX_XID, xid_entries
from firstfault.tools.extract.labels import entity_of, label_values, node_of
from firstfault.tools.extract.numbers import Points, first_that, increases, minutes, start_of_last_run, step_s, steps
from firstfault.tools.extract.peers import peer_signals
from firstfault.tools.kinds import FAMILY_OF_KIND
from firstfault.tools.readings import Series
from firstfault.tools.signals import Signal, Value
from firstfault.tools.times import Clock, Stamp

_FUNCTION = re.compile(r"^\s*(?:(?:sum|max|min|avg|count|topk|bottomk)\b[^(]*\([^(]*?)?(?P<function>increase|delta|rate|irate)\s*\(\s*(?P<name>[A-Za-z_:][\w:]*)")
_BARE = re.compile(r"(?P<name>[A-Za-z_:][\w:]*)\s*(?:\{|\[|$|\)|[<>=!+*/-])")
_BOOT_JITTER = 60.0
"""Boot times computed from the uptime move by seconds; only a larger step is a boot. Units: seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a rule saw in a series: the point it began at, and the number that decided."""

    at: datetime | None
    value: float
    is_since_start: bool = False


def metric_signals(series: Iterable[Series]) -> Iterator[Signal]:
    """Yield a signal for every series and rule that meet, in the order of series and rules."""
    held = sorted(series, key=lambda each: (each.document.path, each.line, each.metric))
    for one in held:
        name, transform = named(one)
        for rule in metric_rules():
            if rule.names.fullmatch(name) and all(each.holds(one.labels) for each in rule.where) and not rule.how.startswith("peer_"):
                found = _found(rule, one, transform, held)
                if found is not None:
                    yield _signal(rule, one, found)
    yield from peer_signals([(one, *named(one)) for one in held])


def named(series: Series) -> tuple[str, str]:
    """Return the metric's name and what was done to it: `value`, `increase` (over a range) or `rate` (per second).

    Functions of PromQL drop the name; it is taken from the query then.
    """
    function = _FUNCTION.search(series.query or "") if not series.metric else None
    if function is not None:
        return function["name"], "increase" if function["function"] in {"increase", "delta"} else "rate"
    bare = _BARE.search(series.query or "") if not series.metric else None
    return series.metric or (bare["name"] if bare else ""), "value"


def _found(rule: MetricRule, series: Series, transform: str, others: Sequence[Series]) -> Found | None:
    points = series.points
    if not points:
        return None
    if transform != "value":
        scale = 60.0 if transform == "rate" and rule.how == "per_minute" else 1.0
        return _first(rule, [(at, value * scale) for at, value in points]) if rule.how in {"increase", "per_minute"} else None
    match rule.how:
        case "last" | "last_abs":
            values = [(at, abs(value)) for at, value in points] if rule.how == "last_abs" else points
            start = start_of_last_run(values, rule.test.holds)
            return None if start is None else _at(points, start, points[-1][1])
        case "any" | "bits":
            return _first(rule, points)
        case "increase" | "per_minute":
            return _growth(rule, points)
        case "changes" | "changes_to_zero":
            return _change(rule, points)
        case "latched_code":
            return _latched(rule, points)
        case _:
            return _against_other(rule, series, others)


def _first(rule: MetricRule, points: Points) -> Found | None:
    index = first_that(points, rule.test.holds)
    return None if index is None else _at(points, index, points[index][1])


def _at(points: Points, index: int, value: float) -> Found:
    return Found(at=points[index][0], value=value, is_since_start=index == 0)


def _growth(rule: MetricRule, points: Points) -> Found | None:
    growth = increases(points)
    total = sum(value for _, value in growth)
    span = minutes(points)
    measured = total if rule.how == "increase" else total / span if span else 0.0
    begin = next((at for at, value in growth if value > 0), None)
    return Found(at=begin, value=measured) if begin is not None and rule.test.holds(measured) else None


def _change(rule: MetricRule, points: Points) -> Found | None:
    moved = steps(points, _BOOT_JITTER if rule.how == "changes" else 0.5)
    if rule.how == "changes_to_zero":
        moved = [index for index in moved if points[index][1] == 0]
        return Found(at=points[moved[0]][0], value=points[moved[0]][1]) if moved else None
    return Found(at=points[moved[0]][0], value=float(len(moved))) if moved and rule.test.holds(len(moved)) else None


def _latched(rule: MetricRule, points: Points) -> Found | None:
    """Return the last code; its time only when the series shows it appear."""
    code = points[-1][1]
    if not rule.test.holds(code):
        return None
    start = start_of_last_run(points, lambda value: value == code) or 0
    return Found(at=points[start][0] if start else None, value=code, is_since_start=start == 0)


def _against_other(rule: MetricRule, series: Series, others: Sequence[Series]) -> Found | None:
    partner = next((one for one in others if named(one)[0] == rule.other and _same_thing(one, series) and one.points), None)
    if partner is None:
        return None
    if rule.how == "increase_ratio":
        whole, part = (sum(value for _, value in increases(one.points)) for one in (partner, series))
        return Found(at=series.points[0][0], value=part / whole) if whole and rule.test.holds(part / whole) else None
    whole_at = dict(partner.points)
    last = partner.points[-1][1]
    shares = [(at, value / whole_at.get(at, last)) for at, value in series.points if whole_at.get(at, last)]
    start = start_of_last_run(shares, rule.test.holds)
    return None if start is None else _at(shares, start, shares[-1][1])


def _same_thing(one: Series, other: Series) -> bool:
    return {key: value for key, value in one.labels.items() if key != "__name__"} == {
        key: value for key, value in other.labels.items() if key != "__name__"
    }


def stamp_of(series: Series, at: datetime | None) -> Stamp:
    """Return when it was, give or take one step of the series; without a time only the place in the document."""
    clock = Clock.POSITION if at is None else Clock.UTC
    raw = "" if at is None else at.isoformat()
    return Stamp(clock=clock, raw=raw, at=at, uncertainty_s=None if at is None else step_s(series.points), series=series.document.path, position=series.line)


def _signal(rule: MetricRule, series: Series, found: Found) -> Signal:
    code = int(found.value) if rule.how == "latched_code" else None
    name = rule.signal.replace("{value}", str(code)).replace("{xid}", series.labels.get("xid") or series.labels.get("err_code") or "unknown")
    entity = entity_of(rule.entity, series)
    attributes: dict[str, Value] = {
        "metric": named(series)[0],
        "value": found.value,
        "unit": rule.unit,
        "meaning": rule.meaning,
        "rule": rule.id,
        **label_values(series.labels),
    }
    if found.is_since_start:
        attributes["since_start"] = True
    if rule.trap:
        attributes["trap"] = rule.trap
    if code is not None:
        attributes.update(latched=True, xid=code, in_catalogue=code in xid_entries() and code <= MAX_XID)
    node = node_of(series)
    if node:
        attributes["node"] = node
    return Signal(
        name=name,
        entity=entity,
        stamp=stamp_of(series, found.at),
        evidence=series.cite(entity=entity),
        family=FAMILY_OF_KIND[series.document.kind],
        attributes=attributes,
    )
