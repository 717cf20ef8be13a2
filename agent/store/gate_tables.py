"""The tables of the gate: decisions, approvals, permits, executions and their steps, breakers, switches.

Every row carries a signature whose key is not in the database: whoever can write the tables cannot make a row that counts.
Decisions, votes and permits are append-only by triggers.
"""

from datetime import datetime

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from firstfault.agent.store.tables import Table


class Signed:
    """The columns of a signed row."""

    key_id: Mapped[str]
    signature: Mapped[str]


class DecisionRow(Signed, Table):
    """One word of the gate. `content` holds proposal, facts, history and decision as canonical JSON."""

    __tablename__ = "decisions"

    id: Mapped[str] = mapped_column(primary_key=True)
    incident_id: Mapped[str]
    correlation_id: Mapped[str]
    action: Mapped[str]
    target: Mapped[str]
    failure_class: Mapped[str]
    outcome: Mapped[str]
    would_be: Mapped[str]
    mode: Mapped[str]
    binding: Mapped[str]
    made_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    content: Mapped[str]

    __table_args__ = (
        Index("decisions_incident", "incident_id"),
        Index("decisions_made", "made_at"),
        Index("decisions_open", "outcome", "expires_at"),
    )


class ApprovalRow(Signed, Table):
    """One request for a yes to one decision."""

    __tablename__ = "approvals"

    id: Mapped[str] = mapped_column(primary_key=True)
    decision_id: Mapped[str] = mapped_column(ForeignKey("decisions.id"), unique=True)
    binding: Mapped[str]
    action: Mapped[str]
    requester: Mapped[str]
    needed: Mapped[int]
    asked_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    superseded_why: Mapped[str | None]


class VoteRow(Signed, Table):
    """What one person said about one approval; a person speaks once."""

    __tablename__ = "votes"

    approval_id: Mapped[str] = mapped_column(ForeignKey("approvals.id"), primary_key=True)
    approver: Mapped[str] = mapped_column(primary_key=True)
    is_yes: Mapped[int]
    at: Mapped[datetime]
    via: Mapped[str]


class RefusalRow(Signed, Table):
    """A decision that the executor will not run any more, because what was approved is no longer so. Written once."""

    __tablename__ = "refusals"

    decision_id: Mapped[str] = mapped_column(ForeignKey("decisions.id"), primary_key=True)
    why: Mapped[str]
    at: Mapped[datetime]


class PermitRow(Signed, Table):
    """The leave to run one decision once. The row is its own consumption: a second one cannot be written."""

    __tablename__ = "permits"

    id: Mapped[str] = mapped_column(primary_key=True)
    decision_id: Mapped[str] = mapped_column(ForeignKey("decisions.id"), unique=True)
    binding: Mapped[str]
    holder: Mapped[str]
    issued_at: Mapped[datetime]
    expires_at: Mapped[datetime]


class ExecutionRow(Signed, Table):
    """One ledger row: what was begun on what, and how it ended. `link` chains the rows by their unchanging part."""

    __tablename__ = "executions"

    id: Mapped[str] = mapped_column(primary_key=True)
    seq: Mapped[int] = mapped_column(unique=True)
    decision_id: Mapped[str] = mapped_column(ForeignKey("decisions.id"), unique=True)
    incident_id: Mapped[str]
    correlation_id: Mapped[str]
    action: Mapped[str]
    target: Mapped[str]
    scopes: Mapped[str]
    plan: Mapped[str]
    begun_at: Mapped[datetime]
    link: Mapped[str]
    ended_at: Mapped[datetime | None]
    ending: Mapped[str]
    why: Mapped[str]

    __table_args__ = (Index("executions_target", "target"), Index("executions_begun", "begun_at"))


class StepRow(Signed, Table):
    """One step of an execution, done or undone. `answer` is what the cluster said."""

    __tablename__ = "steps"

    execution_id: Mapped[str] = mapped_column(ForeignKey("executions.id"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    way: Mapped[str] = mapped_column(primary_key=True)
    state: Mapped[str]
    begun_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
    answer: Mapped[str]


class BreakerRow(Signed, Table):
    """The breaker of one scope."""

    __tablename__ = "breakers"

    scope: Mapped[str] = mapped_column(primary_key=True)
    state: Mapped[str]
    since: Mapped[datetime]
    why: Mapped[str]
    by: Mapped[str]


class SwitchRow(Signed, Table):
    """One kill switch that lives in the database."""

    __tablename__ = "switches"

    name: Mapped[str] = mapped_column(primary_key=True)
    is_on: Mapped[int]
    by: Mapped[str]
    why: Mapped[str]
    at: Mapped[datetime]
