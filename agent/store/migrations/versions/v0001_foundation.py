"""The first tables: audit, blobs, incidents, documents, stages, reports."""

from alembic import op
from sqlalchemy import BigInteger, Column, DateTime, ForeignKey, LargeBinary, Text

revision = "0001"
down_revision = None

_APPEND_ONLY = "audit events are append-only"
_NO_RETREAT = "the audit head never goes back"


def upgrade() -> None:
    """Make the tables, and the triggers that refuse to change the past."""
    _audit()
    _blobs()
    _incidents()
    _evidence()
    _results()
    for statement in _SQLITE_TRIGGERS if op.get_context().dialect.name == "sqlite" else _POSTGRES_TRIGGERS:
        op.execute(statement)


def _audit() -> None:
    op.create_table(
        "audit_events",
        Column("seq", BigInteger, primary_key=True, autoincrement=False),
        Column("correlation_id", Text, nullable=False),
        Column("causation_id", Text),
        Column("at", Text, nullable=False),
        Column("actor", Text, nullable=False),
        Column("kind", Text, nullable=False),
        Column("key", Text, nullable=False),
        Column("subject", Text, nullable=False),
        Column("why", Text, nullable=False),
        Column("payload", Text, nullable=False),
        Column("digest", Text, nullable=False),
        Column("prev_digest", Text, nullable=False),
    )
    op.create_index("audit_events_once", "audit_events", ["correlation_id", "kind", "key"], unique=True)
    op.create_index("audit_events_subject", "audit_events", ["subject"])
    op.create_table(
        "audit_head",
        Column("id", BigInteger, primary_key=True, autoincrement=False),
        Column("count", BigInteger, nullable=False),
        Column("digest", Text, nullable=False),
        Column("key_id", Text, nullable=False),
        Column("signature", Text, nullable=False),
    )


def _blobs() -> None:
    op.create_table(
        "blobs",
        Column("sha256", Text, primary_key=True),
        Column("size", BigInteger, nullable=False),
        Column("upload", Text, nullable=False),
        Column("stored_at", DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "blob_chunks",
        Column("upload", Text, primary_key=True),
        Column("position", BigInteger, primary_key=True, autoincrement=False),
        Column("data", LargeBinary, nullable=False),
        Column("stored_at", DateTime(timezone=True), nullable=False),
    )


def _incidents() -> None:
    op.create_table(
        "incidents",
        Column("id", Text, primary_key=True),
        Column("correlation_id", Text, nullable=False),
        Column("question", Text, nullable=False),
        Column("status", Text, nullable=False),
        Column("created_at", DateTime(timezone=True), nullable=False),
        Column("closed_at", DateTime(timezone=True)),
        Column("incident", Text, nullable=False),
    )
    op.create_index("incidents_created", "incidents", ["created_at"])


def _evidence() -> None:
    op.create_table(
        "documents",
        Column("incident_id", Text, ForeignKey("incidents.id"), primary_key=True),
        Column("position", BigInteger, primary_key=True, autoincrement=False),
        Column("path", Text, nullable=False),
        Column("kind", Text, nullable=False),
        Column("source", Text, nullable=False),
        Column("sha256", Text, nullable=False),
        Column("description", Text, nullable=False),
        Column("stored_at", DateTime(timezone=True), nullable=False),
    )
    op.create_index("documents_once", "documents", ["incident_id", "path", "source", "sha256"], unique=True)
    op.create_index("documents_blob", "documents", ["sha256"])
    op.create_table(
        "looked_at",
        Column("incident_id", Text, ForeignKey("incidents.id"), primary_key=True),
        Column("digest", Text, primary_key=True),
        Column("position", BigInteger, nullable=False),
        Column("what", Text, nullable=False),
        Column("content", Text, nullable=False),
    )


def _results() -> None:
    op.create_table(
        "stages",
        Column("incident_id", Text, ForeignKey("incidents.id"), primary_key=True),
        Column("stage", Text, primary_key=True),
        Column("sha256", Text, nullable=False),
        Column("stored_at", DateTime(timezone=True), nullable=False),
    )
    op.create_index("stages_blob", "stages", ["sha256"])
    op.create_table(
        "reports",
        Column("incident_id", Text, ForeignKey("incidents.id"), primary_key=True),
        Column("version", BigInteger, primary_key=True, autoincrement=False),
        Column("sha256", Text, nullable=False),
        Column("verdict", Text, nullable=False),
        Column("failure_class", Text, nullable=False),
        Column("summary", Text, nullable=False),
        Column("made_at", DateTime(timezone=True), nullable=False),
    )
    op.create_index("reports_blob", "reports", ["sha256"])


_SQLITE_TRIGGERS = (
    f"""CREATE TRIGGER audit_events_no_update BEFORE UPDATE ON audit_events
        BEGIN SELECT RAISE(ABORT, '{_APPEND_ONLY}'); END""",
    f"""CREATE TRIGGER audit_events_no_delete BEFORE DELETE ON audit_events
        BEGIN SELECT RAISE(ABORT, '{_APPEND_ONLY}'); END""",
    f"""CREATE TRIGGER audit_head_no_delete BEFORE DELETE ON audit_head
        BEGIN SELECT RAISE(ABORT, '{_NO_RETREAT}'); END""",
    f"""CREATE TRIGGER audit_head_no_retreat BEFORE UPDATE ON audit_head WHEN NEW.count <= OLD.count
        BEGIN SELECT RAISE(ABORT, '{_NO_RETREAT}'); END""",
)

_POSTGRES_TRIGGERS = (
    f"""CREATE FUNCTION firstfault_append_only() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION '{_APPEND_ONLY}'; END $$""",
    f"""CREATE FUNCTION firstfault_no_retreat() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION '{_NO_RETREAT}'; END $$""",
    """CREATE TRIGGER audit_events_append_only BEFORE UPDATE OR DELETE ON audit_events
        FOR EACH ROW EXECUTE FUNCTION firstfault_append_only()""",
    """CREATE TRIGGER audit_events_no_truncate BEFORE TRUNCATE ON audit_events
        FOR EACH STATEMENT EXECUTE FUNCTION firstfault_append_only()""",
    """CREATE TRIGGER audit_head_no_delete BEFORE DELETE ON audit_head
        FOR EACH ROW EXECUTE FUNCTION firstfault_no_retreat()""",
    """CREATE TRIGGER audit_head_no_truncate BEFORE TRUNCATE ON audit_head
        FOR EACH STATEMENT EXECUTE FUNCTION firstfault_no_retreat()""",
    """CREATE TRIGGER audit_head_no_retreat BEFORE UPDATE ON audit_head
        FOR EACH ROW WHEN (NEW.count <= OLD.count) EXECUTE FUNCTION firstfault_no_retreat()""",
)
