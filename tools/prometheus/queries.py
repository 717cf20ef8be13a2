"""Which PromQL is asked for an incident: the metrics that rules exist for, on the machines in scope, coarse enough. Pure."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from firstfault.tools.catalogs.metric_rules import metric_rules

NODE_LABELS = ("Hostname", "hostname", "node", "exported_node", "kubernetes_node", "nodename")
"""Labels that name the machine. dcgm-exporter renamed `Hostname` to `hostname` in May 2026: both are asked for."""
MAX_POINTS = 300
"""Points per series: enough to see minutes in five hours; the server's own limit is 11,000."""
LEAST_STEP_S = 15
"""Usual scrape interval: a finer step repeats the same sample."""
METRICS_PER_QUERY = 40
METRIC_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
"""Source: Prometheus documentation, data model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeQuery:
    """One query over a window. what: the label part of its path in the report."""

    what: str
    promql: str
    step_s: int


def step_for(length: timedelta) -> int:
    """Return the step in seconds that keeps a window of this length within MAX_POINTS."""
    return max(LEAST_STEP_S, math.ceil(length.total_seconds() / MAX_POINTS))


def wanted_metrics() -> tuple[str, ...]:
    """Return what the names of all metrics that a rule reads look like: regular expressions, in order."""
    return tuple(sorted({rule.metric for rule in metric_rules()}))


def queries_for(nodes: Sequence[str], namespaces: Sequence[str], length: timedelta) -> tuple[RangeQuery, ...]:
    """Return the queries for machines and namespaces in scope; none without a scope: the fleet is never asked whole."""
    step = step_for(length)
    groups = _chunks(wanted_metrics())
    found: list[RangeQuery] = []
    for number, names in enumerate(groups, start=1):
        choice = "|".join(names).replace("\\", "\\\\").replace('"', '\\"')
        if nodes:
            parts = [f'{{__name__=~"{choice}",{label}=~"{_any_of(nodes)}"}}' for label in NODE_LABELS]
            found.append(RangeQuery(what=f"nodes-{number}", promql=" or ".join(parts), step_s=step))
        if namespaces:
            promql = f'{{__name__=~"{choice}",namespace=~"{_any_of(namespaces)}"}}'
            found.append(RangeQuery(what=f"namespaces-{number}", promql=promql, step_s=step))
    return tuple(found)


def queries_named(
    metric: str, nodes: Sequence[str], namespaces: Sequence[str], length: timedelta
) -> tuple[RangeQuery, ...]:
    """Return the queries for one metric by its exact name; none without a scope, none when it is no name."""
    if not METRIC_NAME.fullmatch(metric):
        return ()
    scopes = [f'{label}=~"{_any_of(nodes)}"' for label in NODE_LABELS] if nodes else []
    scopes += [f'namespace=~"{_any_of(namespaces)}"'] if namespaces else []
    promql = " or ".join(f'{{__name__="{metric}",{scope}}}' for scope in scopes)
    return (RangeQuery(what=f"metric-{metric}", promql=promql, step_s=step_for(length)),) if promql else ()


def _any_of(names: Iterable[str]) -> str:
    """Return names as one regular expression inside a PromQL string: each is matched as it stands."""
    return "|".join(re.escape(name).replace("\\", "\\\\").replace('"', '\\"') for name in names)


def _chunks(names: Sequence[str]) -> list[Sequence[str]]:
    return [names[start : start + METRICS_PER_QUERY] for start in range(0, len(names), METRICS_PER_QUERY)]
