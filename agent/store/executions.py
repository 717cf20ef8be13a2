"""The ledger: permits, executions and their steps as signed rows.

A permit can be written once per decision: the database decides which of two executors has it. Executions are chained, so
that a row taken out of the middle is found, and counted against the audit, so that one taken off the end is.
"""

import json
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from firstfault.agent.store.canon import canonical, digest
from firstfault.agent.store.database import Database
from firstfault.agent.store.errors import ForgedRowError, TakenError, UnknownDecisionError
from firstfault.agent.store.gate_tables import ExecutionRow, PermitRow, RefusalRow
from firstfault.agent.store.ledger import Execution, Permit
from firstfault.agent.store.rows import insert_new
from firstfault.agent.store.seals import require_sealed, seal
from firstfault.agent.store.signing import SigningKey
from firstfault.policies.actions import Action
from firstfault.policies.history import Ending, PastAction

_PERMIT, _EXECUTION, _REFUSAL = "permit", "execution", "refusal"
_LEDGER_LOCK = 0x66_66_05
GENESIS = "0" * 64


class Executions:
    """Puts and gets the ledger."""

    def __init__(self, database: Database, key: SigningKey) -> None:
        """Take the database and the key that signs."""
        self._database = database
        self._key = key

    def begin(self, permit: Permit, execution: Execution) -> None:
        """Write the permit and the execution together. Raises TakenError when the decision has had its permit."""
        with self._database.writing() as session:
            self._database.take_turn(session, _LEDGER_LOCK)
            if not insert_new(session, PermitRow, seal(self._key, _PERMIT, _permit_values(permit))):
                msg = f"decision `{permit.decision_id}` has been run already: a permit is used once"
                raise TakenError(msg)
            last = session.scalar(select(ExecutionRow).order_by(ExecutionRow.seq.desc()).limit(1))
            unchanging = _unchanging(execution, (last.seq if last else 0) + 1)
            link = digest([last.link if last else GENESIS, unchanging])
            values = {**unchanging, "link": link, **_changing(execution)}
            session.add(ExecutionRow(**seal(self._key, _EXECUTION, values)))

    def end(self, execution_id: str, ending: Ending, why: str, at: datetime) -> None:
        """Note how an execution ended; the first ending stays. Raises UnknownDecisionError or ForgedRowError."""
        with self._database.writing() as session:
            row = self._row(session, execution_id)
            require_sealed(self._key, _EXECUTION, _row_values(row), row)
            if row.ending != Ending.RUNNING.value:
                return
            row.ending, row.why, row.ended_at = ending.value, why, at
            sealed = seal(self._key, _EXECUTION, _row_values(row))
            row.signature, row.key_id = str(sealed["signature"]), self._key.id

    def get(self, execution_id: str) -> Execution:
        """Return one execution. Raises UnknownDecisionError or ForgedRowError."""
        with self._database.reading() as session:
            return self._execution(self._row(session, execution_id))

    def of_decision(self, decision_id: str) -> Execution | None:
        """Return the execution of a decision, or None."""
        with self._database.reading() as session:
            row = session.scalar(select(ExecutionRow).where(ExecutionRow.decision_id == decision_id))
            return None if row is None else self._execution(row)

    def running(self) -> tuple[Execution, ...]:
        """Return what has begun and not ended, the oldest first. Raises ForgedRowError."""
        query = (
            select(ExecutionRow).where(ExecutionRow.ending == Ending.RUNNING.value).order_by(ExecutionRow.seq)
        )
        with self._database.reading() as session:
            return tuple(self._execution(row) for row in session.scalars(query))

    def ledger(self) -> tuple[PastAction, ...]:
        """Return all rows as the gate needs them. Raises ForgedRowError for a row that is not ours, or that is missing."""
        with self._database.reading() as session:
            rows = session.scalars(select(ExecutionRow).order_by(ExecutionRow.seq)).all()
            self._check_chain(rows)
            return tuple(self._execution(row).as_past for row in rows)

    def count(self) -> int:
        """Return how many executions have begun."""
        with self._database.reading() as session:
            return session.scalar(select(func.count()).select_from(ExecutionRow)) or 0

    def refuse(self, decision_id: str, why: str, at: datetime) -> None:
        """Note that a decision is never run; the first reason stays."""
        values = {"decision_id": decision_id, "why": why, "at": at}
        with self._database.writing() as session:
            insert_new(session, RefusalRow, seal(self._key, _REFUSAL, values))

    def refusal_of(self, decision_id: str) -> str | None:
        """Return why a decision is never run, or None. Raises ForgedRowError."""
        with self._database.reading() as session:
            row = session.get(RefusalRow, decision_id)
            if row is None:
                return None
            values = {"decision_id": row.decision_id, "why": row.why, "at": row.at}
            require_sealed(self._key, _REFUSAL, values, row)
            return row.why

    def _row(self, session: Session, execution_id: str) -> ExecutionRow:
        row = session.get(ExecutionRow, execution_id, populate_existing=True)
        if row is None:
            msg = f"there is no execution `{execution_id}`: see `firstfault policy decisions`"
            raise UnknownDecisionError(msg)
        return row

    def _execution(self, row: ExecutionRow) -> Execution:
        require_sealed(self._key, _EXECUTION, _row_values(row), row)
        return Execution(
            id=row.id,
            decision_id=row.decision_id,
            incident_id=row.incident_id,
            correlation_id=row.correlation_id,
            action=Action(row.action),
            target=row.target,
            scopes=tuple(json.loads(row.scopes)),
            plan=row.plan,
            begun_at=row.begun_at,
            ended_at=row.ended_at,
            ending=Ending(row.ending),
            why=row.why,
        )

    def _check_chain(self, rows: Sequence[ExecutionRow]) -> None:
        link = GENESIS
        for position, row in enumerate(rows, start=1):
            execution = self._execution(row)
            link = digest([link, _unchanging(execution, position)])
            if row.seq != position or row.link != link:
                msg = f"the ledger is broken at row {position}: run `firstfault audit verify`"
                raise ForgedRowError(msg)


def _permit_values(permit: Permit) -> dict[str, object]:
    return {name: getattr(permit, name) for name in Permit.__dataclass_fields__}


def _unchanging(execution: Execution, seq: int) -> dict[str, object]:
    return {
        "id": execution.id,
        "seq": seq,
        "decision_id": execution.decision_id,
        "incident_id": execution.incident_id,
        "correlation_id": execution.correlation_id,
        "action": execution.action.value,
        "target": execution.target,
        "scopes": canonical(list(execution.scopes)),
        "plan": execution.plan,
        "begun_at": execution.begun_at,
    }


def _changing(execution: Execution) -> dict[str, object]:
    return {"ended_at": execution.ended_at, "ending": execution.ending.value, "why": execution.why}


def _row_values(row: ExecutionRow) -> dict[str, object]:
    return {name: getattr(row, name) for name in _FIELDS}


_FIELDS = (
    "id",
    "seq",
    "decision_id",
    "incident_id",
    "correlation_id",
    "action",
    "target",
    "scopes",
    "plan",
    "begun_at",
    "link",
    "ended_at",
    "ending",
    "why",
)
