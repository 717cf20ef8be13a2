"""Answers of the Prometheus HTTP API: query, query_range, alerts, rules, and errors."""

import math
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.readers.located import Node, plain
from firstfault.tools.readers.metrics.blanks import is_blank
from firstfault.tools.readings import Fact, Json, Reading, Series

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def is_answer(node: Node) -> bool:
    """Return whether `node` is an answer of the Prometheus HTTP API."""
    if node.text("status") == "error":
        return node.child("errorType") is not None
    return node.text("status") == "success" and any(
        node.child("data", key) is not None for key in ("resultType", "alerts", "groups")
    )


def answer_reading(node: Node, document: Document, context: ReadContext) -> Reading:
    """Return the series and alerts of one answer; an error is a problem, never an empty result."""
    if node.text("status") == "error":
        return Reading(
            problems=(f"`{document.path}`: the metrics server refused the query: {node.text('error')[:200]}",)
        )
    warnings = tuple(f"`{document.path}`: {warning.text()[:200]}" for warning in node.list("warnings"))
    kind = node.text("data", "resultType")
    if kind in {"vector", "matrix", "scalar"}:
        return Reading(series=tuple(_series(node, kind, document, context)), problems=warnings)
    facts = [fact for alert in _alerts(node) for fact in _alert_facts(alert, document)]
    return Reading(facts=tuple(facts), problems=warnings)


def _series(node: Node, kind: str, document: Document, context: ReadContext) -> Iterator[Series]:
    query = document.query if not document.query.startswith("file ") else None
    result = node.child("data", "result")
    rows = [result] if kind == "scalar" and result is not None else node.list("data", "result")
    for row in rows:
        labels = {
            key: child.text()
            for key, child in ((row.child("metric") or row).keys or {}).items()
            if key not in {"value", "values"}
        }
        metric = labels.pop("__name__", "")
        points, blanks = _points(_samples(row, kind), metric, context)
        yield Series(
            metric=metric,
            labels=labels,
            points=points,
            document=document,
            line=row.line,
            query=query,
            blanks=blanks,
        )


def _samples(row: Node, kind: str) -> Iterator[tuple[str, str]]:
    """Yield the samples of a series as (time, value), as they are printed."""
    held = row if kind == "scalar" else row.child("values" if kind == "matrix" else "value")
    value = None if held is None else plain(held)
    for sample in [value] if kind != "matrix" else value if isinstance(value, list) else []:
        if isinstance(sample, list):
            yield _printed(sample, 0), _printed(sample, 1)


def _printed(sample: list[Json], index: int) -> str:
    part = sample[index] if index < len(sample) else None
    return "" if part is None or isinstance(part, dict | list) else str(part)


def _points(
    samples: Iterable[tuple[str, str]], metric: str, context: ReadContext
) -> tuple[tuple[tuple[datetime, float], ...], int]:
    points: list[tuple[datetime, float]] = []
    blanks = 0
    for time, printed in samples:
        at, value = moment_of(time), number_of(printed)
        if at is None or value is None or (context.as_of is not None and at > context.as_of):
            continue
        if is_blank(metric, value):
            blanks += 1
        else:
            points.append((at, value))
    return tuple(points), blanks


@lru_cache(maxsize=4096)
def moment_of(seconds: str) -> datetime | None:
    """Return the time of a sample, or None when the text is no time."""
    number = number_of(seconds)
    try:
        return None if number is None else _EPOCH + timedelta(seconds=number)
    except OverflowError:
        return None


def number_of(text: str) -> float | None:
    """Return a finite number, or None: NaN and infinities say nothing that can be compared."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _alerts(node: Node) -> Iterator[Node]:
    yield from node.list("data", "alerts")
    for group in node.list("data", "groups"):
        for rule in group.list("rules"):
            yield from rule.list("alerts")


def _alert_facts(alert: Node, document: Document) -> Iterator[Fact]:
    labels = {
        key: child.text() for key, child in ((alert.child("labels") or Node(alert.line)).keys or {}).items()
    }
    name = labels.get("alertname", "")
    if name:
        labels["name"] = name
        yield Fact(
            name="alert.state",
            value=alert.text("state") or "firing",
            document=document,
            line=alert.line,
            labels=labels,
        )
