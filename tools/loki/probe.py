"""A look at Loki itself: reachable, its clock, how far back it keeps, and which kinds of log its labels show."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import cast

from firstfault.tools.kinds import Kind
from firstfault.tools.loki.client import Asker, LokiError
from firstfault.tools.loki.source import kind_of
from firstfault.tools.probes import Clock, Note, Probe, skew

LOOK_BACK = timedelta(hours=1)
_RETENTION = re.compile(r"(?m)^\s*retention_period:\s*(\S+)")
_SECONDS_TO_NS = 1_000_000_000
NODE_LABELS = frozenset({"node", "node_name", "hostname", "host", "nodename"})
ASKED_BY = ("job", "namespace", "node", "unit")
"""Loki wants a matcher that cannot be empty: streams that have one of these are found."""
COLLECTOR = "send the node journal with one of deploy/collectors"


def probe_loki(asker: Asker, clock: Clock) -> Probe:
    """Return which streams came in within the last hour, and what kinds they are."""
    asked = clock()
    within = {
        "start": str(int((asked - LOOK_BACK).timestamp()) * _SECONDS_TO_NS),
        "end": str(int(asked.timestamp()) * _SECONDS_TO_NS),
    }
    streams: list[dict[str, str]] = []
    ahead: float | None = None
    try:
        for label in ASKED_BY:
            before = clock()
            found, date = asker.heard("/loki/api/v1/series", {"match[]": f'{{{label}=~".+"}}', **within})
            ahead = skew(date, before, clock()) if ahead is None else ahead
            streams += _streams(found)
    except LokiError as error:
        return Probe(source="loki", problem=str(error))
    return Probe(
        source="loki",
        version=f"{len({repr(sorted(each.items())) for each in streams})} streams within the last hour",
        kinds=frozenset(_kinds(streams)),
        skew_s=ahead,
        retention=_retention(asker),
        notes=tuple(_notes(streams)),
    )


def _notes(streams: list[dict[str, str]]) -> Iterator[Note]:
    if not streams:
        yield Note(
            said="no stream within the last hour: no data, or another tenant",
            blind="everything that machines and containers wrote",
            remedy=f"set `loki.tenant`, or {COLLECTOR}",
        )
    elif not any(NODE_LABELS & set(stream) for stream in streams):
        yield Note(
            said="no stream names its machine",
            blind="what the machines of an incident wrote: their lines are not found",
            remedy=f"set one of the labels {', '.join(sorted(NODE_LABELS))}: {COLLECTOR}",
        )


def _kinds(streams: list[dict[str, str]]) -> set[Kind]:
    kinds = {kind_of(stream) for stream in streams}
    # The journal holds the units: kubelet, runtime and fabric manager say there what they say.
    if Kind.JOURNAL in kinds:
        kinds |= {Kind.SYSLOG}
    if any("fabricmanager" in stream.get("unit", "") for stream in streams):
        kinds |= {Kind.FABRIC_MANAGER_LOG}
    return kinds


def _streams(body: object) -> list[dict[str, str]]:
    """Return the label sets of an answer. Raises LokiError."""
    # Without any stream Loki says `"data": null`, or nothing.
    found: object = (cast("dict[str, object]", body).get("data") or []) if isinstance(body, dict) else None
    if not isinstance(found, list):
        msg = "Loki's answer cannot be read: it is JSON, but not what Loki says"
        raise LokiError(msg)
    return [
        {str(name): str(value) for name, value in cast("dict[object, object]", each).items()}
        for each in cast("list[object]", found)
        if isinstance(each, dict)
    ]


def _retention(asker: Asker) -> str | None:
    found = _RETENTION.search(asker.text("/config") or "")
    if found is None:
        return None
    return "for ever" if found[1] in {"0s", "0"} else found[1]
