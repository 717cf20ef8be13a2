"""What each stage of an investigation made, so that the graph's own state holds digests only."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from firstfault.agent.store.blobs import Blobs
from firstfault.agent.store.database import Database
from firstfault.agent.store.rows import required_incident
from firstfault.agent.store.tables import StageRow


@dataclass(frozen=True, slots=True)
class Stages:
    """Puts and gets stage outputs as bytes; what they mean is the graph's business."""

    database: Database
    blobs: Blobs

    def put(self, incident_id: str, stage: str, payload: bytes, now: datetime) -> str:
        """Return the digest of `payload`, stored as the stage's output; a stage that runs again replaces it.

        Raises UnknownIncidentError.
        """
        sha256 = self.blobs.put(payload, now)
        with self.database.writing() as session:
            required_incident(session, incident_id)
            session.merge(StageRow(incident_id=incident_id, stage=stage, sha256=sha256, stored_at=now))
        return sha256

    def get(self, incident_id: str, stage: str) -> bytes | None:
        """Return the newest output of the stage, or None. Raises StoredBytesError when it is damaged."""
        with self.database.reading() as session:
            row = session.get(StageRow, (incident_id, stage), populate_existing=True)
            sha256 = None if row is None else row.sha256
        return None if sha256 is None else self.blobs.get(sha256)

    def load(self, sha256: str) -> bytes:
        """Return the output with this digest. Raises StoredBytesError when it is missing or damaged."""
        return self.blobs.get(sha256)

    def digests(self, incident_id: str) -> dict[str, str]:
        """Return the digest of every stage's newest output."""
        query = select(StageRow.stage, StageRow.sha256).where(StageRow.incident_id == incident_id)
        with self.database.reading() as session:
            return {row.stage: row.sha256 for row in session.execute(query)}
