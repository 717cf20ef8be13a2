"""Messages as they are to be: the durable outbox of the chat.

A message is wanted under a key that is made from what it is about, and wanted again whenever it is to say something else; only
the newest wish is kept, so that updates nobody has seen yet fall together. Whoever sends makes what is shown equal to what is
wanted. What was being posted when a process died is BEGUN: it may be there, and is looked for before it is posted again.
"""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Select, exists, func, or_, select
from sqlalchemy.orm import Session, aliased

from firstfault.agent.store.canon import canonical, digest, storable
from firstfault.agent.store.chat_tables import MessageRow
from firstfault.agent.store.database import Database
from firstfault.agent.store.errors import UnreachableError

_LOCK = 0x66_66_08


class Delivery(StrEnum):
    """Where a message stands. LOST: it can never be shown (its channel is gone, somebody deleted it)."""

    WAITING = "waiting"
    BEGUN = "begun"
    SHOWN = "shown"
    LOST = "lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What is to be shown. parent: key of the message in whose thread it stands; thread: place of one that is not ours."""

    key: str
    kind: str
    channel: str
    content: Mapping[str, Any]
    incident_id: str | None = None
    parent: str | None = None
    thread: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A message as it is kept.

    thread: the place of the first message of its thread, once that is known. thread_given: that of one that is not ours.
    """

    key: str
    kind: str
    channel: str
    content: Mapping[str, Any] = field(repr=False)
    digest: str
    state: Delivery
    attempts: int
    created_at: datetime
    incident_id: str | None = None
    thread: str | None = None
    thread_given: str | None = None
    stamp: str | None = None
    begun_at: datetime | None = None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A message that does not say yet what it should. is_shown: it is there, and says something else."""

    key: str
    channel: str
    kind: str
    is_shown: bool


@dataclass(frozen=True, slots=True)
class Messages:
    """Keeps wishes and what became of them."""

    database: Database

    def want(self, wish: Wish, now: datetime) -> bool:
        """Return whether the wish is new; one under a known key replaces what that was to say, and it stays where it is."""
        text, content_digest = canonical(wish.content), digest(wish.content)
        if self._says(wish.key) == content_digest:
            return False
        with self.database.writing() as session:
            self.database.take_turn(session, _LOCK)
            row = session.get(MessageRow, storable(wish.key), populate_existing=True)
            if row is None:
                session.add(_row(wish, text, _next_position(session), now))
                return True
            row.wanted, row.wanted_digest = text, content_digest
            return False

    def _says(self, key: str) -> str | None:
        with self.database.reading() as session:
            query = select(MessageRow.wanted_digest).where(MessageRow.key == storable(key))
            return session.scalar(query)

    def due(self, now: datetime) -> tuple[Due, ...]:
        """Return what is to be sent now: first what begins a thread, then replies whose thread is there; the oldest first."""
        above = aliased(MessageRow)
        is_behind = or_(
            MessageRow.shown_digest.is_(None), MessageRow.shown_digest != MessageRow.wanted_digest
        )
        query = (
            select(MessageRow.key, MessageRow.channel, MessageRow.kind, MessageRow.stamp)
            .outerjoin(above, above.key == MessageRow.parent)
            .where(
                is_behind,
                MessageRow.state != Delivery.LOST.value,
                or_(MessageRow.not_before.is_(None), MessageRow.not_before <= now),
                or_(MessageRow.parent.is_(None), above.stamp.is_not(None)),
            )
            .order_by(MessageRow.parent.is_not(None), MessageRow.position)
        )
        with self.database.reading() as session:
            return tuple(
                Due(key=row.key, channel=row.channel, kind=row.kind, is_shown=row.stamp is not None)
                for row in session.execute(query)
            )

    def begin(self, key: str, now: datetime) -> None:
        """Note that it is being posted: from now on it may be there."""
        with self.database.writing() as session:
            row = _required(session, key)
            row.state, row.begun_at = Delivery.BEGUN.value, now

    def shown(self, key: str, stamp: str, shown_digest: str) -> None:
        """Note where it is shown and what it says there."""
        with self.database.writing() as session:
            row = _required(session, key)
            row.state, row.stamp, row.shown_digest = Delivery.SHOWN.value, stamp, shown_digest
            row.attempts, row.not_before, row.why = 0, None, ""

    def put_off(self, key: str, until: datetime, why: str, *, is_sent: bool = False) -> None:
        """Note that it is to be tried again then. is_sent: it may be there all the same."""
        with self.database.writing() as session:
            row = _required(session, key)
            row.not_before, row.why, row.attempts = until, why, row.attempts + 1
            if not is_sent and row.stamp is None:
                row.state = Delivery.WAITING.value

    def lose(self, key: str, why: str) -> None:
        """Note that it can never be shown, nor what would stand in its thread."""
        with self.database.writing() as session:
            _required(session, key)
            condition = or_(MessageRow.key == storable(key), MessageRow.parent == storable(key))
            for row in session.scalars(select(MessageRow).where(condition)):
                row.state, row.why = Delivery.LOST.value, why

    def get(self, key: str) -> Kept | None:
        """Return one message, or None."""
        return next(iter(self._where(MessageRow.key == storable(key))), None)

    def of_incident(self, incident_id: str) -> tuple[Kept, ...]:
        """Return the messages about an incident, the oldest first."""
        return self._where(MessageRow.incident_id == storable(incident_id))

    def at(self, channel: str, stamp: str) -> Kept | None:
        """Return the message that is shown at that place, or None."""
        found = self._where(MessageRow.channel == storable(channel), MessageRow.stamp == storable(stamp))
        return next(iter(found), None)

    def incident_of_thread(self, channel: str, thread: str) -> str | None:
        """Return the incident that was answered in the thread of somebody's message, or None."""
        found = self._where(MessageRow.channel == storable(channel), MessageRow.thread == storable(thread))
        return next((each.incident_id for each in found if each.incident_id is not None), None)

    def may_have_begun(self, channel: str) -> bool:
        """Return whether a message that begins a thread is being posted there: people may see it before its place is kept."""
        is_one = (
            MessageRow.channel == channel,
            MessageRow.parent.is_(None),
            MessageRow.thread.is_(None),
            MessageRow.state == Delivery.BEGUN.value,
            MessageRow.stamp.is_(None),
        )
        with self.database.reading() as session:
            return session.scalar(select(exists().where(*is_one))) is True

    def incidents_in(self, channel: str, limit: int) -> tuple[str, ...]:
        """Return the incidents that were shown in a channel, the newest first."""
        query = (
            select(MessageRow.incident_id)
            .where(MessageRow.channel == storable(channel), MessageRow.incident_id.is_not(None))
            .group_by(MessageRow.incident_id)
            .order_by(func.max(MessageRow.position).desc())
            .limit(limit)
        )
        with self.database.reading() as session:
            return tuple(found for found in session.scalars(query) if found is not None)

    def counts(self) -> Mapping[str, int]:
        """Return how many messages stand where; `behind`: shown or not, they do not say yet what they should."""
        query = select(MessageRow.state, MessageRow.shown_digest, MessageRow.wanted_digest)
        counted: Counter[str] = Counter()
        with self.database.reading() as session:
            for state, shown_digest, wanted_digest in session.execute(query):
                counted[state] += 1
                counted["behind"] += state != Delivery.LOST.value and shown_digest != wanted_digest
        return dict(counted)

    def _where(self, *conditions: Any) -> tuple[Kept, ...]:  # noqa: ANN401 - SQLAlchemy's conditions have no one type
        above = aliased(MessageRow)
        query = (
            select(MessageRow, above.stamp)
            .outerjoin(above, above.key == MessageRow.parent)
            .where(*conditions)
            .order_by(MessageRow.position)
        )
        return self._read(query)

    def _read(self, query: Select[MessageRow, str | None]) -> tuple[Kept, ...]:
        with self.database.reading() as session:
            return tuple(_kept(row, above) for row, above in session.execute(query))


def _row(wish: Wish, text: str, position: int, now: datetime) -> MessageRow:
    return MessageRow(
        key=wish.key,
        position=position,
        kind=wish.kind,
        channel=wish.channel,
        incident_id=wish.incident_id,
        parent=wish.parent,
        thread=wish.thread,
        wanted=text,
        wanted_digest=digest(wish.content),
        shown_digest=None,
        stamp=None,
        state=Delivery.WAITING.value,
        attempts=0,
        not_before=None,
        begun_at=None,
        why="",
        created_at=now,
    )


def _next_position(session: Session) -> int:
    return (session.scalar(select(func.max(MessageRow.position))) or 0) + 1


def _required(session: Session, key: str) -> MessageRow:
    row = session.get(MessageRow, storable(key), populate_existing=True)
    if row is None:
        msg = f"the message `{key}` is not in the database any more: was it pruned while it was sent?"
        raise UnreachableError(msg)
    return row


def _kept(row: MessageRow, above: str | None) -> Kept:
    return Kept(
        key=row.key,
        kind=row.kind,
        channel=row.channel,
        content=json.loads(row.wanted),
        digest=row.wanted_digest,
        state=Delivery(row.state),
        attempts=row.attempts,
        created_at=row.created_at,
        incident_id=row.incident_id,
        thread=row.thread or above,
        thread_given=row.thread,
        stamp=row.stamp,
        begun_at=row.begun_at,
        why=row.why,
    )
