"""History from files: a table or list of past incidents, Alertmanager notifications, an API server's audit log.

The kind of file is recognised by content. What a file does not say is left unknown; a row that cannot be read is an
error that names the row, because a history with holes gives a wrong scorecard.
"""

import csv
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from pydantic import ValidationError

from firstfault.evals.shadow.audit_log import actions_of_events, actions_of_log, span_of_log
from firstfault.evals.shadow.history import HumanAction, KnownCause, PastIncident, Thing, in_order


class HistoryError(Exception):
    """A history file that cannot be used; the message names the row and the remedy."""


COLUMNS = (
    *(
        "id",
        "alert_at",
        "cluster",
        "question",
        "recording",
        "failure_class",
        "acceptable_classes",
        "layer",
        "owner",
    ),
    *("culprit", "first_fault", "expected_actions", "must_not", "false_alarm", "actions", "resolved_at"),
    *("resolution", "outcome", "author"),
)
"""Columns of the table, in any order; only `id` is needed. An empty cell is unknown."""

NOBODY = "none"
"""What stands in the column `actions` when it is known that nobody did anything."""
_LIST = ";"
_NEVER = "0001-01-01T00:00:00Z"


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What a file held: incidents, or what people did. span: between these times nothing else was done."""

    incidents: tuple[PastIncident, ...] = ()
    actions: tuple[HumanAction, ...] = ()
    span: tuple[datetime, datetime] | None = None


def read_history(text: str, name: str) -> Imported:
    """Return what the file holds.

    Raises:
        HistoryError: the kind cannot be recognised, or a row cannot be read.

    """
    documents = _documents(text)
    if documents is None:
        return Imported(incidents=_from_table(text, name))
    if any("audit.k8s.io" in str(each.get("apiVersion")) for each in documents):
        lines = [json.dumps(each) for each in documents]
        return Imported(actions=actions_of_log(lines), span=span_of_log(lines))
    if any("alerts" in each for each in documents):
        return Imported(incidents=_from_notifications(documents, name))
    items = [
        item for each in documents for item in cast("list[Mapping[str, Any]]", each.get("items") or [each])
    ]
    if any("involvedObject" in item or "regarding" in item for item in items):
        return Imported(actions=actions_of_events(items))
    return Imported(incidents=_from_list(documents, name))


def _documents(text: str) -> list[Mapping[str, Any]] | None:
    """Return the JSON objects of a document, a list or lines of JSON; None when it is no JSON."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        whole: object = json.loads(text)
        found = cast("list[object]", whole) if isinstance(whole, list) else [whole]
    except ValueError:
        try:
            found = [json.loads(line) for line in text.splitlines() if line.strip()]
        except ValueError as error:
            msg = f"this is neither JSON nor lines of JSON: {error}"
            raise HistoryError(msg) from error
    objects = [cast("Mapping[str, Any]", each) for each in found if isinstance(each, dict)]
    nested: object = objects[0].get("incidents") if len(objects) == 1 else None
    if not isinstance(nested, list):
        return objects
    return [
        cast("Mapping[str, Any]", each) for each in cast("list[object]", nested) if isinstance(each, dict)
    ]


def _from_list(documents: Iterable[Mapping[str, Any]], name: str) -> tuple[PastIncident, ...]:
    return _unique(
        (_incident(each, f"`{name}`, entry {n}") for n, each in enumerate(documents, start=1)), name
    )


def _incident(values: Mapping[str, object], where: str) -> PastIncident:
    try:
        return PastIncident.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        msg = f"{where}, field `{field}`: {first['msg'].lower()}"
        raise HistoryError(msg) from error


def _unique(incidents: Iterable[PastIncident], name: str) -> tuple[PastIncident, ...]:
    """Return the incidents in order; the same id twice is accepted only when both say the same."""
    by_id: dict[str, PastIncident] = {}
    for incident in incidents:
        known = by_id.setdefault(incident.id, incident)
        if known != incident:
            msg = (
                f"`{name}` tells `{incident.id}` twice and differently: merge the two, or give one another id"
            )
            raise HistoryError(msg)
    return in_order(tuple(by_id.values()))


def _from_table(text: str, name: str) -> tuple[PastIncident, ...]:
    table = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))
    columns = [column.strip() for column in table.fieldnames or ()]
    unknown = [column for column in columns if column not in COLUMNS]
    if "id" not in columns or unknown:
        wrong = f"unknown column `{unknown[0]}`" if unknown else "no column `id`"
        msg = f"`{name}`: {wrong}; the columns are {', '.join(COLUMNS)}"
        raise HistoryError(msg)
    table.fieldnames = columns
    rows = (
        _row(
            {key: value.strip() for key, value in row.items() if value and value.strip()},
            f"`{name}`, row {number}",
        )
        for number, row in enumerate(table, start=2)
    )
    return _unique(rows, name)


def _row(row: Mapping[str, str], where: str) -> PastIncident:
    cause = {
        key: row[key] for key in ("failure_class", "layer", "owner", "author") if key in row
    } | _structured(row, where)
    values: dict[str, object] = {
        key: row[key]
        for key in (
            "id",
            "alert_at",
            "cluster",
            "question",
            "recording",
            "resolved_at",
            "resolution",
            "outcome",
        )
        if key in row
    }
    if cause:
        values["cause"] = _checked_cause(cause, where)
    if "false_alarm" in row:
        values["is_false_alarm"] = row["false_alarm"]
    if "actions" in row:
        values["actions"] = _row_actions(row["actions"], where)
    return _incident(values, where)


def _structured(row: Mapping[str, str], where: str) -> dict[str, object]:
    found: dict[str, object] = {}
    if "acceptable_classes" in row:
        found["acceptable_classes"] = _split(row["acceptable_classes"])
    if "culprit" in row:
        kind, _, thing = row["culprit"].partition("/")
        found["culprit"] = {"kind": kind if thing else "unknown", "name": thing or kind}
    if "first_fault" in row:
        path, _, line = row["first_fault"].rpartition(":")
        if not line.isdigit() or not path:
            msg = f"{where}, field `first_fault`: write `path:line`"
            raise HistoryError(msg)
        found["first_fault"] = {"path": path, "line": int(line)}
    actions = {"expected": row.get("expected_actions"), "must_not": row.get("must_not")}
    told = {key: _split(value) for key, value in actions.items() if value}
    return found | ({"actions": told} if told else {})


def _checked_cause(cause: Mapping[str, object], where: str) -> KnownCause:
    try:
        return KnownCause.model_validate(cause)
    except ValidationError as error:
        msg = f"{where}: {error.errors()[0]['msg'].lower()}"
        raise HistoryError(msg) from error


def _row_actions(cell: str, where: str) -> tuple[HumanAction, ...]:
    """Return the actions of a cell: `2026-04-01T03:30:00Z alice cordon_node node/gpu-7; …`, or none of them."""
    if cell.lower() == NOBODY:
        return ()
    found: list[HumanAction] = []
    for entry in _split(cell):
        words = entry.split()
        try:
            at, actor, action, target = words
            kind, _, name = target.partition("/")
            thing = Thing(kind=kind, name=name)
            found.append(
                HumanAction(at=_moment(at), actor=actor, action=action, target=thing, source="history table")
            )
        except (ValueError, ValidationError) as error:
            msg = f"{where}, field `actions`: write `TIME WHO ACTION KIND/NAME`, several divided by `;`, or `{NOBODY}`"
            raise HistoryError(msg) from error
    return tuple(found)


def _split(cell: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in cell.split(_LIST) if part.strip())


def _from_notifications(documents: Iterable[Mapping[str, Any]], name: str) -> tuple[PastIncident, ...]:
    """Return one incident for each alert that fired; repeated and resolved notifications of it are the same one."""
    found: dict[str, PastIncident] = {}
    for document in documents:
        for alert in cast("list[Mapping[str, Any]]", document.get("alerts") or []):
            try:
                incident = _from_alert(alert)
            except ValueError as error:
                msg = f"`{name}` holds an alert without a time: {error}"
                raise HistoryError(msg) from error
            known = found.get(incident.id)
            if known is None or (known.resolved_at is None and incident.resolved_at is not None):
                found[incident.id] = incident
    return in_order(tuple(found.values()))


def _from_alert(alert: Mapping[str, Any]) -> PastIncident:
    labels: Mapping[str, str] = alert.get("labels") or {}
    notes: Mapping[str, str] = alert.get("annotations") or {}
    starts, ends = str(alert.get("startsAt")), str(alert.get("endsAt") or _NEVER)
    at = _moment(starts)
    about = ", ".join(f"{key}={value}" for key, value in sorted(labels.items()) if key != "alertname")
    asked = notes.get("summary") or notes.get("description") or labels.get("alertname") or "alert"
    return PastIncident(
        id=f"alert-{alert.get('fingerprint') or labels.get('alertname', 'unnamed')}-{at:%Y%m%dT%H%M%SZ}",
        alert_at=at,
        cluster=labels.get("cluster"),
        question=f"{asked} ({about})" if about else asked,
        resolved_at=None if ends.startswith("0001-") else _moment(ends),
        source="alertmanager",
    )


def _moment(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
