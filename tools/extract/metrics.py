"""Turns series into signals by the rules of `metric_rules.csv`. A missing series or a blank is unknown, never health."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime

from firstfault.tools.catalogs.metric_rules import MetricRule, rules_for
from firstfault.tools.catalogs.xids import xid_entries
from firstfault.tools.extract.labels import entity_of, label_values, node_of
from firstfault.tools.extract.numbers import step_s
from firstfault.tools.extract.peers import peer_signals
from firstfault.tools.extract.readouts import Found, read_out, read_out_computed, read_out_share
from firstfault.tools.kinds import FAMILY_OF_KIND
from firstfault.tools.readings import Fact, Series
from firstfault.tools.signals import Signal, Value
from firstfault.tools.times import Clock, Stamp

_FUNCTION = re.compile(
    r"^\s*(?:(?:sum|max|min|avg|count|topk|bottomk)\b[^(]*\([^(]*?)?"
    r"(?P<function>increase|delta|rate|irate)\s*\(\s*(?P<name>[A-Za-z_:][\w:]*)"
)
_GROUPING = re.compile(r"\b(?:by|without|on|ignoring)\s*\([^)]*\)")
_BARE = re.compile(r"(?P<name>[A-Za-z_:][\w:]*)\s*(?:\{|\[|$|\)|[<>=!+*/-])")

_SAMPLE_FACT = "metric."
_UNTIMED = datetime.min.replace(tzinfo=UTC)
"""The time of a sample whose time nobody knows; never shown."""

_Key = tuple[str, frozenset[tuple[str, str]]]


def untimed(facts: Iterable[Fact]) -> Iterator[Series]:
    """Yield the samples of an exporter whose time is not known, each as a series of one point without a time."""
    for fact in facts:
        if fact.name.startswith(_SAMPLE_FACT) and isinstance(fact.value, int | float):
            yield Series(
                metric=fact.name.removeprefix(_SAMPLE_FACT),
                labels=fact.labels,
                points=((_UNTIMED, float(fact.value)),),
                document=fact.document,
                line=fact.line,
            )


def metric_signals(series: Iterable[Series]) -> Iterator[Signal]:
    """Yield a signal for every series and rule that meet, in the order of series and rules."""
    held = sorted(series, key=lambda each: (each.document.path, each.line, each.metric))
    partners = {_key(named(one)[0], one): one for one in reversed(held)}
    for one in held:
        name, transform = named(one)
        for rule in rules_for(name):
            if rule.how.startswith("peer_") or not all(each.holds(one.labels) for each in rule.where):
                continue
            found = _found(rule, one, transform, partners)
            if found is not None:
                yield _signal(rule, one, name, found)
    yield from peer_signals([(one, *named(one)) for one in held])


def named(series: Series) -> tuple[str, str]:
    """Return the metric's name and what was done to it: `value`, `increase` (over a range) or `rate` (per second).

    Functions of PromQL drop the name; it is taken from the query then.
    """
    if series.metric:
        return series.metric, "value"
    query = _GROUPING.sub("", series.query or "")
    function = _FUNCTION.search(query)
    if function is not None:
        return function["name"], "increase" if function["function"] in {"increase", "delta"} else "rate"
    bare = _BARE.search(query)
    return bare["name"] if bare else "", "value"


def _key(name: str, series: Series) -> _Key:
    return name, frozenset(series.labels.items())


def _found(rule: MetricRule, series: Series, transform: str, partners: Mapping[_Key, Series]) -> Found | None:
    if transform != "value":
        return read_out_computed(rule, series.points, is_rate=transform == "rate")
    if not rule.other:
        return read_out(rule, series.points)
    partner = partners.get(_key(rule.other, series))
    return None if partner is None else read_out_share(rule, series.points, partner.points)


def _signal(rule: MetricRule, series: Series, metric: str, found: Found) -> Signal:
    entity, node = entity_of(rule.entity, series), node_of(series)
    attributes: dict[str, Value] = {
        "metric": metric,
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
    if rule.how == "latched_code":
        attributes.update(latched=True, xid=int(found.value), in_catalogue=int(found.value) in xid_entries())
    if node:
        attributes["node"] = node
    return Signal(
        name=_name(rule, series, found),
        entity=entity,
        stamp=_stamp(series, found.at),
        evidence=series.cite(entity=entity),
        family=FAMILY_OF_KIND[series.document.kind],
        attributes=attributes,
    )


def _name(rule: MetricRule, series: Series, found: Found) -> str:
    code = series.labels.get("xid") or series.labels.get("err_code") or "unknown"
    return rule.signal.replace("{value}", f"{found.value:.0f}").replace("{xid}", code)


def _stamp(series: Series, at: datetime | None) -> Stamp:
    """Return when it was, give or take one step of the series; without a time only the place in the document."""
    at = None if at == _UNTIMED else at
    return Stamp(
        clock=Clock.POSITION if at is None else Clock.UTC,
        raw="" if at is None else at.isoformat(),
        at=at,
        uncertainty_s=None if at is None else step_s(series.points),
        series=series.document.path,
        position=series.line,
    )
