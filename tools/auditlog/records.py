"""Which audit records are changes worth keeping, and what of them. Pure.

Bodies of requests are left out: they may hold Secrets. Of a node's patch the one field that cordons it stays.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

import orjson

from firstfault.tools.readings import Json

Record = Mapping[str, Json]
WRITES = frozenset({"create", "update", "patch", "delete", "deletecollection"})
_STAGES = frozenset({"ResponseComplete", "Panic"})
_NOISE = frozenset(
    {
        "events", "leases", "tokenreviews", "subjectaccessreviews", "selfsubjectaccessreviews", "selfsubjectreviews",
        "endpoints", "endpointslices", "serviceaccounts", "bindings",
    }
)  # fmt: skip
"""Written all the time, by nobody's decision."""
_ROUTINE = ("system:node:", "system:kube-", "system:apiserver", "system:serviceaccount:kube-system:")
"""Users whose writes follow from the decisions of others. Source: Kubernetes, default roles and role bindings."""
_KEPT = (
    "kind", "apiVersion", "auditID", "stage", "verb", "requestURI", "user", "impersonatedUser", "userAgent",
    "objectRef", "responseStatus", "requestReceivedTimestamp", "stageTimestamp",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Concern:
    """What an incident is about: records of these are told. since, until: aware UTC."""

    nodes: tuple[str, ...]
    namespaces: tuple[str, ...]
    since: datetime
    until: datetime

    def touches(self, record: Record) -> bool:
        """Return whether a record is in time and in scope; what belongs to no namespace is, but for other machines."""
        at = when(record)
        if at is None or not self.since <= at <= self.until:
            return False
        target = part(record, "objectRef")
        namespace = target.get("namespace")
        if namespace:
            return namespace in self.namespaces
        return target.get("resource") != "nodes" or target.get("name") in self.nodes


def records(data: bytes) -> Iterator[Record]:
    """Yield the records of a list or of lines; what is no JSON (a line that was cut) is left out."""
    try:
        whole: object = orjson.loads(data)
    except ValueError:
        whole = None
    if isinstance(whole, dict):
        body = cast("dict[str, Json]", whole)
        items = body.get("items")
        yield from (row for row in (items if isinstance(items, list) else [body]) if isinstance(row, dict))
        return
    for line in data.splitlines():
        try:
            found: object = orjson.loads(line) if line.startswith(b"{") else None
        except ValueError:
            continue
        if isinstance(found, dict):
            yield cast("dict[str, Json]", found)


def is_change(record: Record) -> bool:
    """Return whether somebody changed something: a finished write that is neither noise nor routine."""
    target = part(record, "objectRef")
    status = part(record, "responseStatus").get("code")
    return (
        record.get("verb") in WRITES
        and record.get("stage") in _STAGES
        and target.get("resource") not in _NOISE
        and target.get("subresource") not in {"status", "token", "log"}
        and not str(part(record, "user").get("username") or "").startswith(_ROUTINE)
        and not (isinstance(status, int) and status >= _REFUSED)
    )


_REFUSED = 400
"""HTTP status from which on nothing was changed."""


def line_of(record: Record) -> bytes:
    """Return the record as one line without bodies."""
    kept: dict[str, Json] = {name: record[name] for name in _KEPT if name in record}
    cordons = part(part(record, "requestObject"), "spec").get("unschedulable")
    if part(record, "objectRef").get("resource") == "nodes" and cordons is not None:
        kept["requestObject"] = {"spec": {"unschedulable": cordons}}
    return orjson.dumps(kept)


def when(record: Record) -> datetime | None:
    """Return when the write was done, aware UTC, or None when the record does not say."""
    text = record.get("stageTimestamp") or record.get("requestReceivedTimestamp")
    if not isinstance(text, str):
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def part(record: Mapping[str, Json], name: str) -> Mapping[str, Json]:
    """Return a mapping inside a record, empty when there is none."""
    found = record.get(name)
    return found if isinstance(found, dict) else {}
