"""A look at a metrics server itself: reachable, its clock, how far back it keeps, which exporters it scrapes."""

from collections.abc import Mapping
from typing import cast

import orjson
import requests
from pydantic import BaseModel, ValidationError

from firstfault.tools.kinds import Kind
from firstfault.tools.patience import ANSWER_S, cause, not_json, remedy
from firstfault.tools.probes import Clock, Note, Probe, skew
from firstfault.tools.prometheus.transport import open_session

TIMEOUT_S = 10.0
EXPORTERS = (
    (
        "DCGM_",
        "dcgm-exporter",
        Kind.NVIDIA_SMI,
        "temperatures, clocks, memory errors and links of GPUs before the fault",
    ),
    ("node_", "node-exporter", Kind.HOST_TOOL, "memory, disks, pressure and clocks of machines"),
    (
        "node_infiniband_",
        "node-exporter's infiniband collector",
        Kind.IBSTAT,
        "errors and states of InfiniBand and RoCE ports",
    ),
    ("kube_", "kube-state-metrics", None, "states of pods and nodes that no event tells any more"),
)
"""Prefix of its metrics, name, the kind that its counters stand in for, and what is not seen without it."""


class _Flags(BaseModel):
    data: dict[str, str]


def probe_prometheus(
    url: str,
    headers: Mapping[str, str],
    clock: Clock,
    *,
    timeout_s: float = TIMEOUT_S,
    answer_s: float = ANSWER_S,
) -> Probe:
    """Return what the server says of itself and which exporters feed it."""
    with open_session(url, headers, answer_s=answer_s) as session:
        asked = clock()
        try:
            answer = session.get(f"{url}/api/v1/label/__name__/values", timeout=timeout_s)
            names = _names(answer)
        except requests.RequestException as error:
            return Probe(source="prometheus", problem=f"`{url}` gives no usable answer: {cause(error)}")
        except ValueError as error:
            return Probe(source="prometheus", problem=f"`{url}` gives no usable answer: {error}")
        ahead = skew(answer.headers.get("Date"), asked, clock())
        retention = _retention(session, url, timeout_s)
    kinds, notes = {Kind.PROMETHEUS_RESPONSE}, list[Note]()
    for prefix, exporter, stands_for, unseen in EXPORTERS:
        if not any(name.startswith(prefix) for name in names):
            said = f"no metric of {exporter} (`{prefix}…`): not scraped, or not running"
            notes.append(
                Note(said=said, blind=unseen, remedy=f"run {exporter} and have this server scrape it")
            )
        elif stands_for is not None:
            kinds.add(stands_for)
    if not names:
        kinds.clear()
    return Probe(
        source="prometheus",
        version=f"{len(names)} metrics",
        kinds=frozenset(kinds),
        skew_s=ahead,
        retention=retention,
        notes=tuple(notes),
    )


def _names(answer: requests.Response) -> list[str]:
    if answer.status_code != requests.codes.ok:
        msg = f"HTTP {answer.status_code}{remedy(answer.status_code)}"
        raise ValueError(msg)
    try:
        body: object = orjson.loads(answer.content)
    except ValueError:
        raise ValueError(not_json(answer.headers.get("Content-Type"))) from None
    found = cast("dict[str, object]", body).get("data") if isinstance(body, dict) else None
    if not isinstance(found, list):
        msg = "it is JSON, but not what Prometheus says"
        raise ValueError(msg)  # noqa: TRY004 - one error for everything that is not usable
    return [str(each) for each in cast("list[object]", found)]


def _retention(session: requests.Session, url: str, timeout_s: float) -> str | None:
    """Return what Prometheus keeps; Mimir, Thanos and VictoriaMetrics do not tell here."""
    try:
        answer = session.get(f"{url}/api/v1/status/flags", timeout=timeout_s)
        flags = _Flags.model_validate_json(answer.content).data if answer.ok else {}
    except (requests.RequestException, ValidationError):
        return None
    time, size = flags.get("storage.tsdb.retention.time"), flags.get("storage.tsdb.retention.size")
    if time is None:
        return None
    kept = "15d (the default)" if str(time) in {"0s", ""} else str(time)
    return kept + (f", at most {size}" if size and str(size) not in {"0B", "0"} else "")
