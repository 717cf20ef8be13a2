"""What the gate said, with everything it was said from: enough to decide it again."""

import json
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import select

from firstfault.agent.store.canon import canonical, digest
from firstfault.agent.store.database import Database
from firstfault.agent.store.errors import StoredBytesError, UnknownDecisionError
from firstfault.agent.store.gate_tables import DecisionRow, PermitRow, RefusalRow
from firstfault.agent.store.rows import insert_new
from firstfault.agent.store.seals import require_sealed, seal
from firstfault.agent.store.signing import SigningKey
from firstfault.policies import Facts, History, Outcome, PastAction, PolicyDecision, Proposal
from firstfault.policies.actions import EXECUTABLE
from firstfault.policies.approvals import binding_of
from firstfault.policies.canonical import plain
from firstfault.policies.contexts import Inputs

_PURPOSE = "decision"


class Origin(StrEnum):
    """Where the facts of a decision came from."""

    RECORDING = "recording"
    LIVE = "live"


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRecord:
    """One decision and its inputs. limits: name → value. rows, open_breakers, noted_until: of the history.

    origin: LIVE when the facts were read from a cluster at that moment; only such a decision is ever run.
    """

    id: str
    incident_id: str
    correlation_id: str
    made_at: datetime
    proposal: Proposal
    facts: Facts
    decision: PolicyDecision
    limits: dict[str, int]
    origin: Origin = Origin.RECORDING
    rows: tuple[PastAction, ...] = ()
    open_breakers: frozenset[str] | None = None
    noted_until: datetime | None = None

    @property
    def binding(self) -> str:
        """Return the digest that an approval of this decision is bound to."""
        return binding_of(self.proposal, self.decision.digests)

    @property
    def history(self) -> History:
        """Return the history as the decision saw it."""
        return History.of(self.rows, self.open_breakers, self.noted_until)


_ADAPTER = TypeAdapter(DecisionRecord)


def decision_record(
    inputs: Inputs, decision: PolicyDecision, *, correlation_id: str, made_at: datetime, origin: Origin
) -> DecisionRecord:
    """Return the record of a decision.

    The id says what was decided in which run, not when: a stage that runs again after a crash keeps the decision it had.
    """
    proposal, history = inputs.proposal, inputs.history
    known = history.about(proposal.target.key, inputs.facts.as_of or made_at) if history is not None else None
    words = [decision.decision.name, decision.would_be.name, decision.mode.value]
    content = [correlation_id, proposal.incident_id, binding_of(proposal, decision.digests), *words]
    return DecisionRecord(
        id=f"dec-{digest(content)[:16]}",
        incident_id=proposal.incident_id,
        correlation_id=correlation_id,
        made_at=made_at,
        proposal=proposal,
        facts=inputs.facts,
        decision=decision,
        limits=inputs.limits.values,
        origin=origin,
        rows=known.rows if known else (),
        open_breakers=known.open_breakers if known else None,
        noted_until=known.noted_until if known else None,
    )


class Decisions:
    """Puts and gets decisions; nothing changes them."""

    def __init__(self, database: Database, key: SigningKey) -> None:
        """Take the database and the key that signs."""
        self._database = database
        self._key = key

    def put(self, record: DecisionRecord) -> DecisionRecord:
        """Return `record` as stored; the same decision again is stored once."""
        values = _values(record)
        with self._database.writing() as session:
            insert_new(session, DecisionRow, seal(self._key, _PURPOSE, values))
        return self.get(record.id)

    def get(self, decision_id: str) -> DecisionRecord:
        """Return the decision. Raises UnknownDecisionError or ForgedRowError."""
        with self._database.reading() as session:
            row = session.get(DecisionRow, decision_id)
            if row is None:
                msg = f"there is no decision `{decision_id}`: see `firstfault policy decisions`"
                raise UnknownDecisionError(msg)
            return self._record(row)

    def recent(self, limit: int) -> tuple[DecisionRecord, ...]:
        """Return decisions, the newest first."""
        query = select(DecisionRow).order_by(DecisionRow.made_at.desc(), DecisionRow.id).limit(limit)
        with self._database.reading() as session:
            return tuple(self._record(row) for row in session.scalars(query))

    def of_incident(self, incident_id: str) -> tuple[DecisionRecord, ...]:
        """Return the decisions of an incident, the newest first."""
        query = (
            select(DecisionRow)
            .where(DecisionRow.incident_id == incident_id)
            .order_by(DecisionRow.made_at.desc(), DecisionRow.id)
        )
        with self._database.reading() as session:
            return tuple(self._record(row) for row in session.scalars(query))

    def waiting(self, now: datetime) -> tuple[str, ...]:
        """Return the ids of decisions that may still run: executable, not denied, not expired, not begun, not refused."""
        query = (
            select(DecisionRow.id)
            .outerjoin(PermitRow, PermitRow.decision_id == DecisionRow.id)
            .outerjoin(RefusalRow, RefusalRow.decision_id == DecisionRow.id)
            .where(
                DecisionRow.outcome.in_([Outcome.ALLOW.name, Outcome.NEEDS_APPROVAL.name]),
                DecisionRow.action.in_([action.value for action in EXECUTABLE]),
                DecisionRow.expires_at > now,
                PermitRow.id.is_(None),
                RefusalRow.decision_id.is_(None),
            )
            .order_by(DecisionRow.made_at, DecisionRow.id)
        )
        with self._database.reading() as session:
            return tuple(session.scalars(query))

    def _record(self, row: DecisionRow) -> DecisionRecord:
        try:
            record = _ADAPTER.validate_python(json.loads(row.content))
        except (ValidationError, ValueError) as error:
            msg = f"the stored decision `{row.id}` cannot be read back: restore a backup"
            raise StoredBytesError(msg) from error
        record = replace(record, id=row.id)
        require_sealed(self._key, _PURPOSE, {**_values(record), **_columns(row)}, row)
        return record


def _values(record: DecisionRecord) -> dict[str, object]:
    return {
        "id": record.id,
        "incident_id": record.incident_id,
        "correlation_id": record.correlation_id,
        "action": record.proposal.action.value,
        "target": record.proposal.target.key,
        "failure_class": record.proposal.failure_class,
        "outcome": record.decision.decision.name,
        "would_be": record.decision.would_be.name,
        "mode": record.decision.mode.value,
        "binding": record.binding,
        "made_at": record.made_at,
        "expires_at": record.proposal.expires_at,
        "content": canonical(plain(record)),
    }


def _columns(row: DecisionRow) -> dict[str, object]:
    """Return what the columns say: a column that was changed alone breaks the seal as well."""
    return {name: getattr(row, name) for name in _NAMES}


_NAMES = (
    "incident_id",
    "correlation_id",
    "action",
    "target",
    "failure_class",
    "outcome",
    "would_be",
    "mode",
    "binding",
    "made_at",
    "expires_at",
    "content",
)
