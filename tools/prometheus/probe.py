"""A look at a metrics server itself: reachable, its clock, how far back it keeps, which exporters it scrapes."""

from collections.abc import Mapping
from typing import cast

import requests
from pydantic import BaseModel, ValidationError

from firstfault.tools.kinds import Kind
from firstfault.tools.probes import Clock, Probe, skew

TIMEOUT_S = 10.0
EXPORTERS = (
    ("DCGM_", "dcgm-exporter", Kind.NVIDIA_SMI),
    ("node_", "node-exporter", Kind.HOST_TOOL),
    ("node_infiniband_", "node-exporter's infiniband collector", Kind.IBSTAT),
    ("kube_", "kube-state-metrics", None),
)
"""Prefix of its metrics, name, and the kind that its counters stand in for."""


class _Flags(BaseModel):
    data: dict[str, str]


def probe_prometheus(url: str, headers: Mapping[str, str], clock: Clock) -> Probe:
    """Return what the server says of itself and which exporters feed it."""
    with requests.Session() as session:
        session.trust_env = False
        session.headers.update(headers)
        asked = clock()
        try:
            answer = session.get(f"{url}/api/v1/label/__name__/values", timeout=TIMEOUT_S)
            names = _names(answer)
        except (requests.RequestException, ValueError) as error:
            reason = " ".join(str(error).split())[:200]
            return Probe(source="prometheus", problem=f"`{url}` gives no usable answer: {reason}")
        ahead = skew(answer.headers.get("Date"), asked, clock())
        retention = _retention(session, url)
    kinds, notes = {Kind.PROMETHEUS_RESPONSE}, list[str]()
    for prefix, exporter, stands_for in EXPORTERS:
        if not any(name.startswith(prefix) for name in names):
            notes.append(f"no metric of {exporter} (`{prefix}…`): not scraped, or not running")
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
        msg = f"HTTP {answer.status_code}"
        raise ValueError(msg)
    body: object = answer.json()
    found = cast("dict[str, object]", body).get("data") if isinstance(body, dict) else None
    if not isinstance(found, list):
        msg = "the answer is not Prometheus'"
        raise ValueError(msg)  # noqa: TRY004 - one error for everything that is not usable
    return [str(each) for each in cast("list[object]", found)]


def _retention(session: requests.Session, url: str) -> str | None:
    """Return what Prometheus keeps; Mimir, Thanos and VictoriaMetrics do not tell here."""
    try:
        answer = session.get(f"{url}/api/v1/status/flags", timeout=TIMEOUT_S)
        flags = _Flags.model_validate_json(answer.content).data if answer.ok else {}
    except (requests.RequestException, ValidationError):
        return None
    time, size = flags.get("storage.tsdb.retention.time"), flags.get("storage.tsdb.retention.size")
    if time is None:
        return None
    kept = "15d (the default)" if str(time) in {"0s", ""} else str(time)
    return kept + (f", at most {size}" if size and str(size) not in {"0B", "0"} else "")
