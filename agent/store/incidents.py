"""What is being investigated, and where that stands."""

import dataclasses
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import func, select

from firstfault.agent.findings import Incident
from firstfault.agent.store.database import Database
from firstfault.agent.store.errors import UnknownIncidentError
from firstfault.agent.store.rows import insert_new, required_incident
from firstfault.agent.store.shapes import from_text, to_text
from firstfault.agent.store.tables import IncidentRow, ReportRow


class Status(StrEnum):
    """Where an incident stands. Evidence of an open one is never pruned."""

    OPEN = "open"
    CLOSED = "closed"
    RESOLVED = "resolved"


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentRecord:
    """An incident as the store knows it. verdict … summary: of its newest report, None before the first."""

    incident: Incident
    status: Status
    created_at: datetime
    closed_at: datetime | None
    reports: int = 0
    verdict: str | None = None
    failure_class: str | None = None
    summary: str | None = None


@dataclass(frozen=True, slots=True)
class Incidents:
    """Opens, finds and closes incidents."""

    database: Database

    def open(self, incident: Incident, now: datetime) -> Incident:
        """Return the incident under this id: `incident` when it is new, else the one that was opened before.

        The stored one keeps its correlation id, so that a run that goes on after a crash leaves one trail.
        """
        values = {
            "id": incident.id,
            "correlation_id": incident.correlation_id,
            "question": incident.question,
            "status": Status.OPEN.value,
            "created_at": now,
            "closed_at": None,
            "incident": to_text(incident),
        }
        with self.database.writing() as session:
            insert_new(session, IncidentRow, values)
            return self.get(incident.id).incident

    def reopen(self, incident: Incident, now: datetime) -> Incident:
        """Return `incident`, stored anew with its correlation id: a finished one is investigated once more."""
        self.open(incident, now)
        with self.database.writing() as session:
            row = required_incident(session, incident.id)
            row.correlation_id, row.question = incident.correlation_id, incident.question
            row.status, row.closed_at, row.incident = Status.OPEN.value, None, to_text(incident)
        return incident

    def get(self, incident_id: str) -> IncidentRecord:
        """Return the incident. Raises UnknownIncidentError."""
        with self.database.reading() as session:
            row = required_incident(session, incident_id)
            return _with_report(_record(row), *self._reports([incident_id]).get(incident_id, (0, None)))

    def find(self, incident_id: str) -> IncidentRecord | None:
        """Return the incident, or None."""
        try:
            return self.get(incident_id)
        except UnknownIncidentError:
            return None

    def recent(self, *, status: Status | None = None, limit: int | None = None) -> tuple[IncidentRecord, ...]:
        """Return incidents, the newest first."""
        query = select(IncidentRow).order_by(IncidentRow.created_at.desc(), IncidentRow.id).limit(limit)
        if status is not None:
            query = query.where(IncidentRow.status == status.value)
        with self.database.reading() as session:
            records = [_record(row) for row in session.scalars(query)]
            reports = self._reports([record.incident.id for record in records])
            return tuple(_with_report(each, *reports.get(each.incident.id, (0, None))) for each in records)

    def set_status(self, incident_id: str, status: Status, now: datetime) -> None:
        """Note where the incident stands. Raises UnknownIncidentError."""
        with self.database.writing() as session:
            row = required_incident(session, incident_id)
            row.status = status.value
            row.closed_at = None if status is Status.OPEN else (row.closed_at or now)

    def _reports(self, ids: list[str]) -> dict[str, tuple[int, ReportRow | None]]:
        newest = (
            select(ReportRow.incident_id, func.max(ReportRow.version).label("version"))
            .where(ReportRow.incident_id.in_(ids))
            .group_by(ReportRow.incident_id)
            .subquery()
        )
        query = select(ReportRow).join(
            newest, (ReportRow.incident_id == newest.c.incident_id) & (ReportRow.version == newest.c.version)
        )
        with self.database.reading() as session:
            return {row.incident_id: (row.version, row) for row in session.scalars(query)}


def _record(row: IncidentRow) -> IncidentRecord:
    return IncidentRecord(
        incident=from_text(Incident, row.incident),
        status=Status(row.status),
        created_at=row.created_at,
        closed_at=row.closed_at,
    )


def _with_report(record: IncidentRecord, count: int, row: ReportRow | None) -> IncidentRecord:
    if row is None:
        return record
    return dataclasses.replace(
        record, reports=count, verdict=row.verdict, failure_class=row.failure_class, summary=row.summary
    )
