"""Compares machines of one job with each other: one that is unlike its peers for minutes is a suspect.

Series of one metric and one job are put on common times; at each time the outliers are found by median and median
absolute deviation; only what stays outside for `LEAST_MINUTES` counts. Idle or unequal machines are not peers: series
without a job in their labels are compared only when nothing else was asked together with them.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from statistics import median

from firstfault.tools.catalogs.metric_rules import MetricRule, metric_rules
from firstfault.tools.extract.labels import entity_of, job_of, label_values, node_of
from firstfault.tools.extract.numbers import Points, increases, outliers, step_s
from firstfault.tools.kinds import FAMILY_OF_KIND
from firstfault.tools.readings import Series
from firstfault.tools.signals import Signal, Value
from firstfault.tools.times import Clock, Stamp

LEAST_PEERS = 4
LEAST_MINUTES = 3.0
"""How long a machine must be unlike its peers. Source: Minder (NSDI 2025) works on windows of minutes; value a choice."""
_LEAST_POINTS = 3

Named = tuple[Series, str, str]
"""A series, its name and what was done to it (`metrics.named`)."""


def peer_signals(series: Sequence[Named]) -> Iterator[Signal]:
    """Yield a signal for every member of a job that stays outside its peers."""
    for rule in metric_rules():
        if not rule.how.startswith("peer_"):
            continue
        groups: dict[tuple[str, str], list[Series]] = defaultdict(list)
        for one, name, transform in series:
            is_kept = rule.names.fullmatch(name) and all(each.holds(one.labels) for each in rule.where)
            if is_kept and (transform == "value" or rule.how == "peer_rate_high"):
                groups[(name, job_of(one.labels))].append(one)
        for key in sorted(groups):
            yield from _of_group(rule, groups[key])


def _of_group(rule: MetricRule, group: Sequence[Series]) -> Iterator[Signal]:
    tables = [_table(rule, one) for one in group]
    times = sorted({at for table in tables for at in table})
    outside: dict[int, list[tuple[datetime, float, float]]] = defaultdict(list)
    for at in times:
        present = [(index, table[at]) for index, table in enumerate(tables) if at in table]
        if len(present) < LEAST_PEERS:
            continue
        values = [value for _, value in present]
        middle = median(values)
        for position in outliers(
            values, least_step=_step(rule, middle), side=-1 if rule.how == "peer_low" else 1
        ):
            index, value = present[position]
            outside[index].append((at, value, middle))
    for index in sorted(outside):
        stays = _lasting(outside[index], times)
        if stays:
            yield _signal(rule, group[index], stays, len(group))


def _table(rule: MetricRule, series: Series) -> dict[datetime, float]:
    """Return the values by time, cut to whole steps so that series scraped apart meet."""
    points: Points = increases(series.points) if rule.how == "peer_rate_high" else series.points
    step = step_s(series.points) or 1.0
    grid = max(1.0, step)
    return {at.fromtimestamp(at.timestamp() // grid * grid, tz=at.tzinfo): value for at, value in points}


def _step(rule: MetricRule, middle: float) -> float:
    """Return how far from the median counts: a share of it, a multiple of it, or degrees."""
    if rule.how == "peer_low":
        return rule.test.threshold * abs(middle)
    if rule.how == "peer_rate_high":
        return (rule.test.threshold - 1) * max(abs(middle), 1.0)
    return rule.test.threshold


def _lasting(
    points: list[tuple[datetime, float, float]], times: Sequence[datetime]
) -> list[tuple[datetime, float, float]]:
    """Return the longest run of neighbouring times outside, when it lasts; a single instant cannot show that."""
    order = {at: index for index, at in enumerate(times)}
    best: list[tuple[datetime, float, float]] = []
    run: list[tuple[datetime, float, float]] = []
    for point in points:
        run = [*run, point] if run and order[point[0]] == order[run[-1][0]] + 1 else [point]
        best = max(best, run, key=len)
    lasts = (best[-1][0] - best[0][0]).total_seconds() / 60 if best else 0.0
    return best if len(best) >= _LEAST_POINTS and lasts >= LEAST_MINUTES else []


def _signal(
    rule: MetricRule, series: Series, stays: list[tuple[datetime, float, float]], peers: int
) -> Signal:
    at = stays[0][0]
    entity = entity_of(rule.entity, series)
    attributes: dict[str, Value] = {
        "value": median(value for _, value, _ in stays),
        "peer_median": median(middle for _, _, middle in stays),
        "peers": peers,
        "minutes": round((stays[-1][0] - at).total_seconds() / 60, 1),
        "unit": rule.unit,
        "meaning": rule.meaning,
        "rule": rule.id,
        **label_values(series.labels),
    }
    node = node_of(series)
    if node:
        attributes["node"] = node
    uncertainty = step_s(series.points)
    return Signal(
        name=rule.signal,
        entity=entity,
        stamp=Stamp(
            clock=Clock.UTC,
            raw=at.isoformat(),
            at=at,
            uncertainty_s=uncertainty,
            series=series.document.path,
            position=series.line,
        ),
        evidence=series.cite(entity=entity),
        family=FAMILY_OF_KIND[series.document.kind],
        attributes=attributes,
    )
