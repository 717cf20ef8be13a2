"""The reports of an incident, every version kept."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select

from firstfault.agent.report.contract import Report
from firstfault.agent.store.blobs import Blobs
from firstfault.agent.store.database import Database
from firstfault.agent.store.rows import required_incident
from firstfault.agent.store.tables import ReportRow

_REPORT_LOCK = 0x66_66_04


@dataclass(frozen=True, slots=True)
class Reports:
    """Puts and gets reports as the JSON that was published, byte for byte."""

    database: Database
    blobs: Blobs

    def put(self, report: Report, now: datetime) -> int:
        """Return the version under which `report` is stored; the same report again keeps its version."""
        incident_id = report.incident.id
        sha256 = self.blobs.put(report.model_dump_json().encode(), now)
        with self.database.writing() as session:
            required_incident(session, incident_id)
            self.database.take_turn(session, _REPORT_LOCK)
            newest = session.scalar(
                select(ReportRow)
                .where(ReportRow.incident_id == incident_id)
                .order_by(ReportRow.version.desc())
                .limit(1)
            )
            if newest is not None and newest.sha256 == sha256:
                return newest.version
            version = 1 if newest is None else newest.version + 1
            row = ReportRow(
                incident_id=incident_id,
                version=version,
                sha256=sha256,
                verdict=report.verdict,
                failure_class=report.diagnosis.failure_class,
                summary=report.diagnosis.summary,
                made_at=now,
            )
            session.add(row)
        return version

    def json(self, incident_id: str, version: int | None = None) -> bytes | None:
        """Return the JSON of a version (None: the newest), or None when there is no such report."""
        query = select(ReportRow.sha256).where(ReportRow.incident_id == incident_id)
        if version is not None:
            query = query.where(ReportRow.version == version)
        with self.database.reading() as session:
            sha256 = session.scalar(query.order_by(ReportRow.version.desc()).limit(1))
        return None if sha256 is None else self.blobs.get(sha256)

    def get(self, incident_id: str, version: int | None = None) -> Report | None:
        """Return the report of a version (None: the newest), or None when there is none."""
        text = self.json(incident_id, version)
        return None if text is None else Report.model_validate_json(text)

    def count(self, incident_id: str) -> int:
        """Return how many versions there are."""
        query = select(func.count()).select_from(ReportRow).where(ReportRow.incident_id == incident_id)
        with self.database.reading() as session:
            return session.scalar(query) or 0
