"""Which PromQL is asked for an incident: the metrics that rules exist for, on the machines in scope, coarse enough. Pure."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import quote

from firstfault.tools.catalogs.metric_rules import metric_rules
from firstfault.tools.lengths import LONGEST_PART, LONGEST_QUERY, in_parts

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
    """One query over a window. what: the label part of its path in the report.

    parts: selectors of which each can be asked alone, in an address of less than 8 KiB.
    """

    what: str
    parts: tuple[str, ...]
    step_s: int

    @property
    def promql(self) -> str:
        """Return all parts as one expression: a series that two of them select is there once."""
        return " or ".join(self.parts)


def step_for(length: timedelta) -> int:
    """Return the step in seconds that keeps a window of this length within MAX_POINTS."""
    return max(LEAST_STEP_S, math.ceil(length.total_seconds() / MAX_POINTS))


def wanted_metrics() -> tuple[str, ...]:
    """Return what the names of all metrics that a rule reads look like: regular expressions, in order."""
    return tuple(sorted({rule.metric for rule in metric_rules()}))


def queries_for(nodes: Sequence[str], namespaces: Sequence[str], length: timedelta) -> tuple[RangeQuery, ...]:
    """Return the queries for machines and namespaces in scope; none without a scope: the fleet is never asked whole."""
    step = step_for(length)
    choices = [f'__name__=~"{_in_quotes("|".join(names))}"' for names in _chunks(wanted_metrics())]
    # Parts with other names in them never stand in one query: `or` drops what differs in its name alone.
    return tuple(
        RangeQuery(what=f"{what}-{number}", parts=parts, step_s=step)
        for what, labels, values in (
            ("nodes", NODE_LABELS, nodes),
            ("namespaces", ("namespace",), namespaces),
        )
        for number, parts in enumerate(
            (packed for choice in choices for packed in _packed(_selectors(choice, labels, values))), start=1
        )
    )


def queries_named(
    metric: str, nodes: Sequence[str], namespaces: Sequence[str], length: timedelta
) -> tuple[RangeQuery, ...]:
    """Return the queries for one metric by its exact name; none without a scope, none when it is no name."""
    if not METRIC_NAME.fullmatch(metric):
        return ()
    choice = f'__name__="{metric}"'
    selectors = (*_selectors(choice, NODE_LABELS, nodes), *_selectors(choice, ("namespace",), namespaces))
    return tuple(
        RangeQuery(
            what=f"metric-{metric}" + (f"-{number}" if number > 1 else ""),
            parts=parts,
            step_s=step_for(length),
        )
        for number, parts in enumerate(_packed(selectors), start=1)
    )


def _selectors(choice: str, labels: Iterable[str], values: Sequence[str]) -> Iterator[str]:
    """Yield a selector for each label and as many values as it has room for."""
    longest = max(labels, key=len)
    room = LONGEST_PART - len(quote(f'{{{choice},{longest}=~""}}'))
    for part in in_parts(map(_exactly, values), room, lambda value: len(quote(f"{value}|"))):
        yield from (f'{{{choice},{label}=~"{"|".join(part)}"}}' for label in labels)


def _packed(selectors: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Yield selectors together, as many as one query has room for."""
    return in_parts(selectors, LONGEST_QUERY, lambda selector: len(selector.encode()) + len(" or "))


def _exactly(name: str) -> str:
    """Return a name as a regular expression inside a PromQL string: it is matched as it stands."""
    return _in_quotes(re.escape(name))


def _in_quotes(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _chunks(names: Sequence[str]) -> list[Sequence[str]]:
    return [names[start : start + METRICS_PER_QUERY] for start in range(0, len(names), METRICS_PER_QUERY)]
