"""A look at Loki itself: reachable, its clock, how far back it keeps, and which kinds of log its labels show."""

import re
from datetime import timedelta
from typing import cast

import httpx

from firstfault.tools.kinds import Kind
from firstfault.tools.loki.source import kind_of
from firstfault.tools.probes import Clock, Probe, skew

LOOK_BACK = timedelta(hours=1)
_OK = 200
_RETENTION = re.compile(r"(?m)^\s*retention_period:\s*(\S+)")
_SECONDS_TO_NS = 1_000_000_000
NODE_LABELS = frozenset({"node", "node_name", "hostname", "host", "nodename"})


def probe_loki(client: httpx.Client, clock: Clock) -> Probe:
    """Return which streams came in within the last hour, and what kinds they are."""
    asked = clock()
    query = {
        # Loki wants a matcher that cannot be empty.
        "match[]": '{job=~".+"}',
        "start": str(int((asked - LOOK_BACK).timestamp()) * _SECONDS_TO_NS),
        "end": str(int(asked.timestamp()) * _SECONDS_TO_NS),
    }
    try:
        answer = client.get("/loki/api/v1/series", params=query)
        streams = _streams(answer)
        others = [
            _streams(client.get("/loki/api/v1/series", params={**query, "match[]": f'{{{label}=~".+"}}'}))
            for label in ("namespace", "node", "unit")
        ]
    except (httpx.HTTPError, ValueError) as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        return Probe(source="loki", problem=f"`{client.base_url}` gives no usable answer: {reason}")
    ahead = skew(answer.headers.get("Date"), asked, clock())
    streams += [stream for other in others for stream in other]
    notes: list[str] = []
    if not streams:
        notes.append("no stream within the last hour: no data, or another tenant")
    elif not any(NODE_LABELS & set(stream) for stream in streams):
        notes.append(f"no stream names its machine: set one of the labels {', '.join(sorted(NODE_LABELS))}")
    return Probe(
        source="loki",
        version=f"{len({repr(sorted(each.items())) for each in streams})} streams",
        kinds=frozenset(_kinds(streams)),
        skew_s=ahead,
        retention=_retention(client),
        notes=tuple(notes),
    )


def _kinds(streams: list[dict[str, str]]) -> set[Kind]:
    kinds = {kind_of(stream) for stream in streams}
    # The journal holds the units: kubelet, runtime and fabric manager say there what they say.
    if Kind.JOURNAL in kinds:
        kinds |= {Kind.SYSLOG}
    if any("fabricmanager" in stream.get("unit", "") for stream in streams):
        kinds |= {Kind.FABRIC_MANAGER_LOG}
    return kinds


def _streams(answer: httpx.Response) -> list[dict[str, str]]:
    if answer.status_code != _OK:
        msg = f"HTTP {answer.status_code}: {answer.text[:100]}"
        raise ValueError(msg)
    body: object = answer.json()
    found = cast("dict[str, object]", body).get("data") if isinstance(body, dict) else None
    if found is None:
        found = []
    if not isinstance(found, list):
        msg = "the answer is not Loki's"
        raise ValueError(msg)  # noqa: TRY004 - one error for everything that is not usable
    rows = cast("list[object]", found)
    return [
        {str(name): str(value) for name, value in cast("dict[object, object]", each).items()}
        for each in rows
        if isinstance(each, dict)
    ]


def _retention(client: httpx.Client) -> str | None:
    try:
        answer = client.get("/config")
    except httpx.HTTPError:
        return None
    found = _RETENTION.search(answer.text) if answer.status_code == _OK else None
    if found is None:
        return None
    return "for ever" if found[1] in {"0s", "0"} else found[1]
