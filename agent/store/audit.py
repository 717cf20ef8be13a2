"""The audit log: append-only, hash-chained, its head signed with a key that the database does not hold.

Appending the same event again adds nothing, so a stage that is run again after a crash leaves no double. Writers take
turns, so the chain never forks however many processes append.
"""

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, fields

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from firstfault.agent.store.canon import storable
from firstfault.agent.store.chain import (
    GENESIS,
    Anchor,
    AuditEvent,
    ChainCheck,
    Head,
    NewEvent,
    check_end,
    drafted,
    head_verifies,
    sign_head,
    walk,
)
from firstfault.agent.store.database import Database
from firstfault.agent.store.errors import ChainError
from firstfault.agent.store.signing import SigningKey
from firstfault.agent.store.tables import AuditHeadRow, AuditRow

_HEAD_ID = 1
_APPEND_LOCK = 0x66_66_02
_BATCH = 500
_FIELDS = tuple(field.name for field in fields(AuditEvent))


@dataclass(frozen=True, slots=True, kw_only=True)
class Trail:
    """What a report says of its own trail: its events so far, and the digest of the last of them."""

    events: int
    head_digest: str


class AuditLog:
    """Writes and reads the chain."""

    def __init__(self, database: Database, key: SigningKey) -> None:
        """Take the database and the key that signs the head."""
        self._database = database
        self._key = key

    def append(self, event: NewEvent) -> AuditEvent:
        """Return `event` in the chain: newly written, or the one that is already there under its key.

        Raises ChainError when the head is not signed with our key: what was rewritten is never signed again.
        """
        return self.append_all((event,))[0]

    def append_all(self, events: Iterable[NewEvent]) -> tuple[AuditEvent, ...]:
        """Return all `events` in the chain, written in one transaction and in this order; see `append`."""
        with self._database.writing() as session:
            self._database.take_turn(session, _APPEND_LOCK)
            row = session.get(AuditHeadRow, _HEAD_ID, populate_existing=True)
            head = self._trusted(session, row)
            written: list[AuditEvent] = []
            for event in events:
                known = _same(session, event)
                if known is None:
                    known = drafted(event, head.count + 1, head.digest)
                    session.add(AuditRow(**{name: getattr(known, name) for name in _FIELDS}))
                    session.flush()
                    head = sign_head(self._key, known.seq, known.digest)
                written.append(known)
            _keep_head(session, row, head)
            return tuple(written)

    def events(
        self,
        *,
        correlation_id: str | None = None,
        subject: str | None = None,
        after: int = 0,
        limit: int | None = None,
    ) -> Generator[AuditEvent]:
        """Give the events in order, filtered, read in batches: memory stays flat."""
        query = select(AuditRow)
        if correlation_id is not None:
            query = query.where(AuditRow.correlation_id == storable(correlation_id))
        if subject is not None:
            query = query.where(AuditRow.subject == storable(subject))
        with self._database.reading() as session:
            yield from _stream(session, query, after, limit)

    def trail(self, correlation_id: str) -> Trail:
        """Return how many events one investigation has left, and the digest of its last."""
        with self._database.reading() as session:
            mine = AuditRow.correlation_id == storable(correlation_id)
            count = session.scalar(select(func.count()).select_from(AuditRow).where(mine)) or 0
            last = session.scalar(select(AuditRow.digest).where(mine).order_by(AuditRow.seq.desc()).limit(1))
            return Trail(events=count, head_digest=last or GENESIS)

    def count(self, kind: str) -> int:
        """Return how many events of a kind there are."""
        with self._database.reading() as session:
            return (
                session.scalar(select(func.count()).select_from(AuditRow).where(AuditRow.kind == kind)) or 0
            )

    def last(self) -> AuditEvent | None:
        """Return the newest event, or None before the first."""
        with self._database.reading() as session:
            row = session.scalar(select(AuditRow).order_by(AuditRow.seq.desc()).limit(1))
            return None if row is None else _event(row)

    def head(self) -> Head | None:
        """Return the signed head, or None before the first event."""
        with self._database.reading() as session:
            row = session.get(AuditHeadRow, _HEAD_ID, populate_existing=True)
            return None if row is None else _head(row)

    def verify(self, anchors: Sequence[Anchor] = ()) -> ChainCheck:
        """Return what a walk over the whole chain finds: changed, missing, swapped or cut-off events."""
        with self._database.reading() as session:
            row = session.get(AuditHeadRow, _HEAD_ID, populate_existing=True)
            head = None if row is None else _head(row)
            return walk(_stream(session, select(AuditRow), 0, None), head, self._key, anchors)

    def verify_end(self) -> ChainCheck:
        """Return what is wrong with the last event and the signed head; `verify` walks the whole chain."""
        with self._database.reading() as session:
            row = session.get(AuditHeadRow, _HEAD_ID, populate_existing=True)
            newest = session.scalar(select(AuditRow).order_by(AuditRow.seq.desc()).limit(1))
            return check_end(
                None if newest is None else _event(newest), None if row is None else _head(row), self._key
            )

    def _trusted(self, session: Session, row: AuditHeadRow | None) -> Head:
        if row is None:
            if session.scalar(select(AuditRow.seq).limit(1)) is not None:
                msg = "the audit has events but no signed head: run `firstfault audit verify`"
                raise ChainError(msg)
            return sign_head(self._key, 0, GENESIS)
        head = _head(row)
        if head.key_id != self._key.id:
            msg = f"the audit is signed with key {head.key_id}, this is key {self._key.id}: name the right key file"
            raise ChainError(msg)
        if not head_verifies(self._key, head):
            msg = "the signature of the audit head is not ours: run `firstfault audit verify`"
            raise ChainError(msg)
        return head


def _same(session: Session, event: NewEvent) -> AuditEvent | None:
    row = session.scalar(
        select(AuditRow).where(
            AuditRow.correlation_id == storable(event.correlation_id),
            AuditRow.kind == storable(event.kind),
            AuditRow.key == storable(event.key),
        )
    )
    return None if row is None else _event(row)


def _keep_head(session: Session, row: AuditHeadRow | None, head: Head) -> None:
    if head.count == (row.count if row else 0):
        return
    if row is None:
        row = AuditHeadRow(id=_HEAD_ID)
        session.add(row)
    row.count, row.digest, row.key_id, row.signature = head.count, head.digest, head.key_id, head.signature
    session.flush()


def _stream(
    session: Session, query: Select[AuditRow], after: int, limit: int | None
) -> Generator[AuditEvent]:
    left = limit
    while left is None or left > 0:
        size = _BATCH if left is None else min(_BATCH, left)
        rows = session.scalars(query.where(AuditRow.seq > after).order_by(AuditRow.seq).limit(size)).all()
        for row in rows:
            session.expunge(row)
            yield _event(row)
        if len(rows) < size:
            return
        after, left = rows[-1].seq, None if left is None else left - len(rows)


def _event(row: AuditRow) -> AuditEvent:
    return AuditEvent(**{name: getattr(row, name) for name in _FIELDS})


def _head(row: AuditHeadRow) -> Head:
    return Head(count=row.count, digest=row.digest, key_id=row.key_id, signature=row.signature)
