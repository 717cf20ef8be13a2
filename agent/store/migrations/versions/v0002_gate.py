"""The tables of the gate: decisions, approvals, permits, executions, steps, breakers, switches."""

from alembic import op
from sqlalchemy import BigInteger, Column, DateTime, ForeignKey, Text, UniqueConstraint

revision = "0002"
down_revision = "0001"

_APPEND_ONLY = ("decisions", "votes", "permits", "refusals")
_REFUSE = "EXECUTE FUNCTION firstfault_append_only()"


def upgrade() -> None:
    """Make the tables, and the triggers that refuse to change what was said."""
    _decisions()
    _approvals()
    _executions()
    _controls()
    is_sqlite = op.get_context().dialect.name == "sqlite"
    for table in _APPEND_ONLY:
        for statement in _sqlite_triggers(table) if is_sqlite else _postgres_triggers(table):
            op.execute(statement)


def _text(name: str, *, null: bool = False) -> "Column[str]":
    return Column(name, Text, nullable=null)


def _time(name: str, *, null: bool = False) -> "Column[object]":
    return Column(name, DateTime(timezone=True), nullable=null)


def _signed() -> tuple["Column[str]", "Column[str]"]:
    return _text("key_id"), _text("signature")


def _decisions() -> None:
    op.create_table(
        "decisions",
        Column("id", Text, primary_key=True),
        *(_text(name) for name in ("incident_id", "correlation_id", "action", "target", "failure_class")),
        *(_text(name) for name in ("outcome", "would_be", "mode", "binding")),
        _time("made_at"),
        _time("expires_at", null=True),
        _text("content"),
        *_signed(),
    )
    op.create_index("decisions_incident", "decisions", ["incident_id"])
    op.create_index("decisions_made", "decisions", ["made_at"])
    op.create_index("decisions_open", "decisions", ["outcome", "expires_at"])


def _approvals() -> None:
    op.create_table(
        "approvals",
        Column("id", Text, primary_key=True),
        Column("decision_id", Text, ForeignKey("decisions.id"), nullable=False),
        *(_text(name) for name in ("binding", "action", "requester")),
        Column("needed", BigInteger, nullable=False),
        _time("asked_at"),
        _time("expires_at"),
        _text("superseded_why", null=True),
        *_signed(),
        UniqueConstraint("decision_id"),
    )
    op.create_table(
        "votes",
        Column("approval_id", Text, ForeignKey("approvals.id"), primary_key=True),
        Column("approver", Text, primary_key=True),
        Column("is_yes", BigInteger, nullable=False),
        _time("at"),
        _text("via"),
        *_signed(),
    )
    op.create_table(
        "permits",
        Column("id", Text, primary_key=True),
        Column("decision_id", Text, ForeignKey("decisions.id"), nullable=False),
        *(_text(name) for name in ("binding", "holder")),
        _time("issued_at"),
        _time("expires_at"),
        *_signed(),
        UniqueConstraint("decision_id"),
    )


def _executions() -> None:
    op.create_table(
        "refusals",
        Column("decision_id", Text, ForeignKey("decisions.id"), primary_key=True),
        _text("why"),
        _time("at"),
        *_signed(),
    )
    op.create_table(
        "executions",
        Column("id", Text, primary_key=True),
        Column("seq", BigInteger, nullable=False),
        Column("decision_id", Text, ForeignKey("decisions.id"), nullable=False),
        *(_text(name) for name in ("incident_id", "correlation_id", "action", "target", "scopes", "plan")),
        _time("begun_at"),
        _text("link"),
        _time("ended_at", null=True),
        *(_text(name) for name in ("ending", "why")),
        *_signed(),
        UniqueConstraint("seq"),
        UniqueConstraint("decision_id"),
    )
    op.create_index("executions_target", "executions", ["target"])
    op.create_index("executions_begun", "executions", ["begun_at"])
    op.create_table(
        "steps",
        Column("execution_id", Text, ForeignKey("executions.id"), primary_key=True),
        Column("position", BigInteger, primary_key=True, autoincrement=False),
        Column("way", Text, primary_key=True),
        _text("state"),
        _time("begun_at"),
        _time("ended_at", null=True),
        _text("answer"),
        *_signed(),
    )


def _controls() -> None:
    op.create_table(
        "breakers",
        Column("scope", Text, primary_key=True),
        _text("state"),
        _time("since"),
        _text("why"),
        _text("by"),
        *_signed(),
    )
    op.create_table(
        "switches",
        Column("name", Text, primary_key=True),
        Column("is_on", BigInteger, nullable=False),
        _text("by"),
        _text("why"),
        _time("at"),
        *_signed(),
    )


def _sqlite_triggers(table: str) -> tuple[str, ...]:
    return tuple(
        f"CREATE TRIGGER {table}_no_{event.lower()} BEFORE {event} ON {table} "
        f"BEGIN SELECT RAISE(ABORT, '{table} are append-only'); END"
        for event in ("UPDATE", "DELETE")
    )


def _postgres_triggers(table: str) -> tuple[str, ...]:
    return (
        f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW {_REFUSE}",
        f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} FOR EACH STATEMENT {_REFUSE}",
    )
