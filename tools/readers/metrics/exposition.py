"""The text format that exporters serve, and tables of series in CSV."""

import csv
import re
from collections.abc import Iterator
from datetime import datetime

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.readers.columns import csv_line
from firstfault.tools.readers.metrics.answers import moment_of, number_of
from firstfault.tools.readers.metrics.blanks import is_blank
from firstfault.tools.readers.signs import sign
from firstfault.tools.readings import Fact, Reading, Series
from firstfault.tools.stamps import Calendar
from firstfault.tools.stamps.dialects import moments

_SAMPLE = re.compile(
    r"^(?P<metric>[a-zA-Z_:][\w:]*)(?:\{(?P<labels>.*)\})?\s+(?P<value>[-+]?(?:\d[\d.eE+-]*|NaN|Inf))(?:\s+(?P<ms>\d{12,14}))?\s*$"
)
_LABEL = re.compile(r'(?<!\w)(?P<name>[a-zA-Z_]\w*)="(?P<value>(?:[^"\\]|\\.)*)"')
EXPOSITION_SIGN = sign(r"^# (?:HELP|TYPE) [a-zA-Z_:][\w:]* |^[a-zA-Z_:][\w:]*\{[a-zA-Z_]\w*=\"")
_TIME_HEADINGS = {"time", "timestamp", "date", "datetime"}


def exposition_reading(document: Document, context: ReadContext) -> Reading:
    """Return the samples: as series where their time is known, else as facts `metric.<name>`."""
    series: list[Series] = []
    facts: list[Fact] = []
    for number, raw in enumerate(document.lines, start=1):
        match = _SAMPLE.match(raw.rstrip("\r")) if not raw.startswith("#") else None
        if match is None:
            continue
        value = number_of(match["value"])
        labels = {
            label["name"]: label["value"].replace('\\"', '"')
            for label in _LABEL.finditer(match["labels"] or "")
        }
        at = moment_of(str(int(match["ms"]) / 1000)) if match["ms"] else context.now
        blank = value is not None and is_blank(match["metric"], value)
        if at is not None and not (context.as_of is not None and at > context.as_of):
            points = () if value is None or blank else ((at, value),)
            series.append(
                Series(
                    metric=match["metric"],
                    labels=labels,
                    points=points,
                    document=document,
                    line=number,
                    blanks=int(blank),
                )
            )
        elif value is not None and not blank and not match["ms"]:
            facts.append(
                Fact(
                    name=f"metric.{match['metric']}",
                    value=value,
                    document=document,
                    line=number,
                    entity=document.entity,
                    labels=labels,
                )
            )
    return Reading(series=tuple(series), facts=tuple(facts))


def is_csv(document: Document) -> bool:
    """Return whether the first line is a header with a time column (`Time,node-1,node-2`)."""
    head = next(iter(document.lines), "")
    cells = [cell.strip().strip('"').lower() for cell in head.split(",")]
    return len(cells) > 1 and cells[0] in _TIME_HEADINGS


def csv_series(document: Document, context: ReadContext) -> Iterator[Series]:
    """Yield one series per column beside the time, as dashboards export them."""
    rows = csv.reader(map(csv_line, document.lines))
    head = next(rows, list[str]())
    points: list[list[tuple[datetime, float]]] = [[] for _ in head]
    blanks = [0 for _ in head]
    calendar = Calendar.of(context)
    for row in rows:
        at = _time(row[0], calendar) if row else None
        if at is None or (context.as_of is not None and at > context.as_of):
            continue
        for index, cell in enumerate(row[1 : len(head)], start=1):
            value = number_of(cell.strip())
            if value is not None and is_blank(head[index], value):
                blanks[index] += 1
            elif value is not None:
                points[index].append((at, value))
    for index, title in enumerate(head[1:], start=1):
        metric, labels = _titled(title)
        yield Series(
            metric=metric,
            labels=labels,
            points=tuple(points[index]),
            document=document,
            line=1,
            blanks=blanks[index],
        )


def _time(cell: str, calendar: Calendar) -> datetime | None:
    found = moments(cell.strip() + " ")
    return calendar.settle(found[0])[0] if found else None


def _titled(title: str) -> tuple[str, dict[str, str]]:
    match = _SAMPLE.match(f"{title.strip()} 0")
    if match is None:
        return title.strip(), {}
    return match["metric"], {
        label["name"]: label["value"] for label in _LABEL.finditer(match["labels"] or "")
    }
