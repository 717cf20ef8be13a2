"""Forgets what has been kept long enough: never the audit, never anything of an open incident.

A further kind is one more row in `_prune`; a table whose rows keep blobs marks its column with `NAMES_BLOB`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, exists, func, or_, select
from sqlalchemy.orm import Session

from firstfault.agent.store.chat_tables import MessageRow, RequestRow
from firstfault.agent.store.database import Database
from firstfault.agent.store.incidents import Status
from firstfault.agent.store.machine_tables import MachineRow
from firstfault.agent.store.tables import (
    BlobRow,
    ChunkRow,
    DocumentRow,
    IncidentRow,
    LookedAtRow,
    ReportRow,
    StageRow,
    Table,
)

LEFTOVER_AFTER = timedelta(days=1)
"""Bytes that nothing names are removed after this: what is being stored right now is not named yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How long each kind is kept after its incident was closed; snapshots, after they were taken. None: for ever. Units: days."""

    evidence_days: int | None = None
    stages_days: int | None = None
    reports_days: int | None = None
    snapshots_days: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """What was removed, or would be: rows by kind, and bytes as stored."""

    rows: Mapping[str, int]
    stored_bytes: int


_IncidentRows = type[DocumentRow | LookedAtRow | StageRow | ReportRow | MessageRow | RequestRow]


@dataclass(frozen=True, slots=True)
class Pruning:
    """Removes what is old, in one transaction."""

    database: Database

    def prune(self, retention: Retention, now: datetime, *, dry_run: bool = False) -> Pruned:
        """Return what was removed; with `dry_run` what would be."""
        with self.database.writing() as session:
            savepoint = session.begin_nested()
            pruned = _prune(session, retention, now)
            if dry_run:
                savepoint.rollback()
        if not dry_run and pruned.stored_bytes and self.database.is_sqlite:
            self._shrink()
        return pruned

    def _shrink(self) -> None:
        """Give the room back to the disk."""
        connection = self.database.engine.raw_connection()
        try:
            connection.cursor().execute("VACUUM")
        finally:
            connection.close()


def _prune(session: Session, retention: Retention, now: datetime) -> Pruned:
    kinds: tuple[tuple[str, _IncidentRows, int | None], ...] = (
        ("evidence", DocumentRow, retention.evidence_days),
        ("looked_at", LookedAtRow, retention.evidence_days),
        ("stages", StageRow, retention.stages_days),
        ("reports", ReportRow, retention.reports_days),
        ("messages", MessageRow, retention.reports_days),
        ("requests", RequestRow, retention.reports_days),
    )
    rows = {kind: _of_closed(session, table, days, now) for kind, table, days in kinds}
    rows["snapshots"] = _snapshots(session, retention.snapshots_days, now)
    fresh = now - LEFTOVER_AFTER
    unnamed = select(BlobRow.sha256).where(BlobRow.stored_at < fresh, ~_is_named())
    connection = session.connection()
    rows["blobs"] = connection.execute(delete(BlobRow).where(BlobRow.sha256.in_(unnamed))).rowcount
    is_orphan = (ChunkRow.stored_at < fresh) & ~exists().where(BlobRow.upload == ChunkRow.upload)
    stored_bytes = session.scalar(
        select(func.coalesce(func.sum(func.length(ChunkRow.data)), 0)).where(is_orphan)
    )
    connection.execute(delete(ChunkRow).where(is_orphan))
    return Pruned(rows=rows, stored_bytes=int(stored_bytes or 0))


def _of_closed(session: Session, table: _IncidentRows, days: int | None, now: datetime) -> int:
    """Remove the rows of incidents that were closed more than `days` ago; return how many."""
    if days is None:
        return 0
    closed = select(IncidentRow.id).where(
        IncidentRow.status != Status.OPEN.value, IncidentRow.closed_at < now - timedelta(days=days)
    )
    return session.connection().execute(delete(table).where(table.incident_id.in_(closed))).rowcount


def _snapshots(session: Session, days: int | None, now: datetime) -> int:
    """Remove looks of machines that ended more than `days` ago, and machines not seen since; return how many."""
    if days is None:
        return 0
    return (
        session.connection()
        .execute(delete(MachineRow).where(MachineRow.last_seen < now - timedelta(days=days)))
        .rowcount
    )


def _is_named() -> ColumnElement[bool]:
    """Return the condition that some row of some table names the blob."""
    columns = [
        column
        for table in Table.metadata.sorted_tables
        for column in table.columns
        if column.info.get("names_blob")
    ]
    return or_(*(exists().where(column == BlobRow.sha256) for column in columns))
