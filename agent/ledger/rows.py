"""The promotion ledger: who moved which cell to which mode, when, why, and on the strength of which scorecard.

A row is an event of the audit chain with a signature of its own and the digest of the row before it. Whoever can write
the database can neither add a row nor change, drop or reorder one without being found out; then every cell is in shadow.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from firstfault.agent.store import AuditEvent, NewEvent
from firstfault.agent.store.chain import GENESIS
from firstfault.agent.store.signing import SigningKey
from firstfault.policies.actions import Action
from firstfault.policies.modes import Mode, ModeTable

LEDGER = "promotion-ledger"
"""Correlation id of every row."""
PROMOTED, DEMOTED = "ledger.promoted", "ledger.demoted"
PURPOSE = "ledger-row"
"""What signatures of rows are bound to."""

Cell = tuple[str, Action]


class LedgerError(Exception):
    """The ledger cannot be trusted; the message says what was found."""


class Move(BaseModel):
    """One cell moved.

    scorecard: digest of what was shown for it, `source` what that was scored on. row_before: digest of the row before.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    failure_class: str
    action: Action
    mode_before: Mode
    mode: Mode
    by: str
    why: str
    at: AwareDatetime
    scorecard: str
    source: str
    scored: int
    successes: int
    low: float
    version: str
    row_before: str = GENESIS

    @property
    def cell(self) -> Cell:
        """Return which cell it is about."""
        return (self.failure_class, self.action)

    @property
    def name(self) -> str:
        """Return the cell as users write it."""
        return f"{self.failure_class}:{self.action}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRow:
    """A move as it stands in the chain."""

    move: Move
    seq: int
    digest: str


def event_of(move: Move, number: int, key: SigningKey) -> NewEvent:
    """Return the audit event of a move; `number` is its place in the ledger, so that a repeated write adds nothing."""
    content = move.model_dump(mode="json")
    return NewEvent(
        correlation_id=LEDGER,
        kind=PROMOTED if _rank(move.mode) > _rank(move.mode_before) else DEMOTED,
        key=str(number),
        at=move.at,
        actor=move.by,
        subject=move.name,
        why=move.why,
        payload={"move": content, "key_id": key.id, "signature": key.sign(PURPOSE, content)},
    )


def row_of(event: AuditEvent, before: Sequence[LedgerRow], key: SigningKey) -> LedgerRow:
    """Return the row in an event that follows the rows `before` it. Raises LedgerError when it cannot be trusted."""
    where = f"ledger row {len(before) + 1} (audit event {event.seq})"
    move, key_id, signature = _content(event, where)
    if key_id != key.id:
        msg = f"{where} is signed with key {key_id}, this is key {key.id}"
        raise LedgerError(msg)
    if not key.verifies(PURPOSE, move.model_dump(mode="json"), signature):
        msg = f"the signature of {where} is not ours"
        raise LedgerError(msg)
    last = before[-1].digest if before else GENESIS
    if move.row_before != last:
        msg = f"{where} does not follow the row before it"
        raise LedgerError(msg)
    return LedgerRow(move=move, seq=event.seq, digest=event.digest)


def modes_of(rows: Sequence[LedgerRow]) -> Mapping[Cell, Mode]:
    """Return the mode of each cell that was ever moved; shadow again is kept, so that it is not forgotten."""
    return {row.move.cell: row.move.mode for row in rows}


def table_of(modes: Mapping[Cell, Mode]) -> ModeTable:
    """Return the modes as the gate reads them."""
    return ModeTable(cells={cell: mode for cell, mode in modes.items() if mode is not Mode.SHADOW})


def _content(event: AuditEvent, where: str) -> tuple[Move, str, str]:
    try:
        payload: Mapping[str, object] = json.loads(event.payload)
        move = Move.model_validate(payload["move"])
    except (ValueError, KeyError, ValidationError) as error:
        msg = f"{where} cannot be read"
        raise LedgerError(msg) from error
    return move, str(payload.get("key_id")), str(payload.get("signature"))


def _rank(mode: Mode) -> int:
    return list(Mode).index(mode)
