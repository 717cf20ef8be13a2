"""The modes of all cells, from a ledger that was checked. What cannot be trusted puts every cell in shadow."""

from dataclasses import dataclass
from pathlib import Path

from firstfault.agent.ledger.anchor import SoundUntil, keep_anchor, read_anchor
from firstfault.agent.ledger.rows import LEDGER, LedgerError, LedgerRow, modes_of, row_of, table_of
from firstfault.agent.store import AuditEvent, Store
from firstfault.agent.store.chain import event_digest, head_verifies
from firstfault.policies.modes import ModeTable

KEEP_AFTER = 256
"""Events that are checked anew each time before the note moves on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerReading:
    """The modes, and what is wrong with the ledger, None when nothing is."""

    table: ModeTable
    rows: tuple[LedgerRow, ...] = ()
    trouble: str | None = None


def read_ledger(store: Store, state: Path) -> LedgerReading:
    """Return the modes of all cells; when anything in the chain was changed, all shadow and why."""
    try:
        rows = sound_rows(store, state)
    except LedgerError as error:
        return LedgerReading(table=ModeTable(), trouble=str(error))
    return LedgerReading(table=table_of(modes_of(rows)), rows=rows)


def sound_rows(store: Store, state: Path) -> tuple[LedgerRow, ...]:
    """Return the rows of the ledger, oldest first. Raises LedgerError when the chain or a row was changed."""
    head = store.audit.head()
    if head is None:
        if next(store.audit.events(limit=1), None) is not None:
            msg = "the audit chain has events but no signed head"
            raise LedgerError(msg)
        return ()
    if not head_verifies(store.key, head):
        msg = "the signed head of the audit chain is not ours"
        raise LedgerError(msg)
    since = read_anchor(state, store.key)
    _require_standing(store, since, head.count)
    rows, last_seq, last_digest = _walk(store, since, head.count)
    if (last_seq, last_digest) != (head.count, head.digest):
        msg = f"the audit chain ends at event {last_seq}, its signed head says {head.count}"
        raise LedgerError(msg)
    if last_seq - since.seq >= KEEP_AFTER:
        keep_anchor(state, store.key, last_seq, last_digest, rows)
    return rows


def _require_standing(store: Store, since: SoundUntil, count: int) -> None:
    """Return when what was found sound before is still there: the last event then, and every row of the ledger."""
    if since.seq == 0:
        return
    last = next(store.audit.events(after=since.seq - 1, limit=1), None)
    if since.seq > count or last is None or (last.seq, event_digest(last)) != (since.seq, since.digest):
        msg = f"audit event {since.seq}, found sound before, is gone or was changed"
        raise LedgerError(msg)
    held = {event.seq: event_digest(event) for event in store.audit.events(correlation_id=LEDGER)}
    for number, row in enumerate(since.rows, start=1):
        if held.get(row.seq) != row.digest:
            msg = f"ledger row {number} (audit event {row.seq}) is gone or was changed"
            raise LedgerError(msg)


def _walk(store: Store, since: SoundUntil, until: int) -> tuple[tuple[LedgerRow, ...], int, str]:
    rows, seq, digest = list(since.rows), since.seq, since.digest
    for event in store.audit.events(after=since.seq):
        if event.seq > until:
            break
        _check(event, seq, digest)
        if event.correlation_id == LEDGER:
            rows.append(row_of(event, rows, store.key))
        seq, digest = event.seq, event.digest
    return tuple(rows), seq, digest


def _check(event: AuditEvent, seq: int, digest: str) -> None:
    if event.seq != seq + 1:
        msg = f"audit event {seq + 1} is missing"
        raise LedgerError(msg)
    if event.prev_digest != digest or event_digest(event) != event.digest:
        msg = f"audit event {event.seq} was changed after it was written"
        raise LedgerError(msg)
