"""The tables of the database, as the newest migration leaves them (a test compares the two).

Rows never leave this package: repositories return plain values.
"""

from datetime import UTC, datetime
from typing import Any, ClassVar

from sqlalchemy import BigInteger, DateTime, Dialect, ForeignKey, Index, LargeBinary, Text, TypeDecorator
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from firstfault.agent.store.canon import storable

NAMES_BLOB = {"names_blob": True}
"""Marks a column whose digests keep blobs from being pruned."""


class UtcTime(TypeDecorator[datetime]):
    """An aware UTC time on every database (SQLite keeps no zone, so it is put back)."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return `value` in UTC. Raises ValueError when it has no zone."""
        del dialect
        if value is None:
            return None
        if value.tzinfo is None:
            msg = f"the time `{value}` has no zone: times are kept in UTC"
            raise ValueError(msg)
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the stored time, aware."""
        del dialect
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class PlainText(TypeDecorator[str]):
    """Text that every database can hold: NUL and lone surrogates of hostile input become escapes."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Return `value` in a form that can be stored."""
        del dialect
        return None if value is None else storable(value)


class Table(DeclarativeBase):
    """Base of all rows: how Python types become column types."""

    type_annotation_map: ClassVar[dict[Any, Any]] = {
        str: PlainText,
        datetime: UtcTime,
        bytes: LargeBinary,
        int: BigInteger,
    }


class AuditRow(Table):
    """One event of the chain; triggers refuse update and delete."""

    __tablename__ = "audit_events"

    seq: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    correlation_id: Mapped[str]
    causation_id: Mapped[str | None]
    at: Mapped[str]
    actor: Mapped[str]
    kind: Mapped[str]
    key: Mapped[str]
    subject: Mapped[str]
    why: Mapped[str]
    payload: Mapped[str]
    digest: Mapped[str]
    prev_digest: Mapped[str]

    __table_args__ = (
        Index("audit_events_once", "correlation_id", "kind", "key", unique=True),
        Index("audit_events_subject", "subject"),
    )


class AuditHeadRow(Table):
    """The one row that says how long the chain is, signed with a key that is not in the database."""

    __tablename__ = "audit_head"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    count: Mapped[int]
    digest: Mapped[str]
    key_id: Mapped[str]
    signature: Mapped[str]


class BlobRow(Table):
    """Bytes named by their SHA-256; `upload` names the chunks that hold them."""

    __tablename__ = "blobs"

    sha256: Mapped[str] = mapped_column(primary_key=True)
    size: Mapped[int]
    upload: Mapped[str]
    stored_at: Mapped[datetime]


class ChunkRow(Table):
    """One zstd frame of `CHUNK_BYTES` raw bytes (the last one shorter)."""

    __tablename__ = "blob_chunks"

    upload: Mapped[str] = mapped_column(primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    data: Mapped[bytes]
    stored_at: Mapped[datetime]


class IncidentRow(Table):
    """What is investigated. `incident` is the exact value as canonical JSON; the columns are for listing."""

    __tablename__ = "incidents"

    id: Mapped[str] = mapped_column(primary_key=True)
    correlation_id: Mapped[str]
    question: Mapped[str]
    status: Mapped[str]
    created_at: Mapped[datetime]
    closed_at: Mapped[datetime | None]
    incident: Mapped[str]

    __table_args__ = (Index("incidents_created", "created_at"),)


class DocumentRow(Table):
    """One preserved document of an incident. `description` is everything but its bytes, as canonical JSON."""

    __tablename__ = "documents"

    incident_id: Mapped[str] = mapped_column(ForeignKey("incidents.id"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    path: Mapped[str]
    kind: Mapped[str]
    source: Mapped[str]
    sha256: Mapped[str] = mapped_column(info=NAMES_BLOB)
    description: Mapped[str]
    stored_at: Mapped[datetime]

    __table_args__ = (
        Index("documents_once", "incident_id", "path", "source", "sha256", unique=True),
        Index("documents_blob", "sha256"),
    )


class LookedAtRow(Table):
    """One coverage or gap of an incident, as canonical JSON: what was looked at and what was not had."""

    __tablename__ = "looked_at"

    incident_id: Mapped[str] = mapped_column(ForeignKey("incidents.id"), primary_key=True)
    digest: Mapped[str] = mapped_column(primary_key=True)
    position: Mapped[int]
    what: Mapped[str]
    content: Mapped[str]


class StageRow(Table):
    """The output of one stage of one incident, as a blob."""

    __tablename__ = "stages"

    incident_id: Mapped[str] = mapped_column(ForeignKey("incidents.id"), primary_key=True)
    stage: Mapped[str] = mapped_column(primary_key=True)
    sha256: Mapped[str] = mapped_column(info=NAMES_BLOB)
    stored_at: Mapped[datetime]

    __table_args__ = (Index("stages_blob", "sha256"),)


class ReportRow(Table):
    """One version of an incident's report; the JSON itself is a blob."""

    __tablename__ = "reports"

    incident_id: Mapped[str] = mapped_column(ForeignKey("incidents.id"), primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    sha256: Mapped[str] = mapped_column(info=NAMES_BLOB)
    verdict: Mapped[str]
    failure_class: Mapped[str]
    summary: Mapped[str]
    made_at: Mapped[datetime]

    __table_args__ = (Index("reports_blob", "sha256"),)
