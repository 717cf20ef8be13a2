"""What people asked for in the chat: kept before it is acknowledged, done once, gone on with after a crash."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from firstfault.agent.store.canon import canonical, digest, storable
from firstfault.agent.store.chat_tables import RequestRow, SilenceRow
from firstfault.agent.store.database import Database
from firstfault.agent.store.rows import insert_new

_LOCK = 0x66_66_09


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request. key: the same for a delivery that is repeated. content: what is needed to do it, JSON-safe."""

    key: str
    kind: str
    channel: str
    content: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)
    incident_id: str | None = None
    received_at: datetime | None = None
    accepted_at: datetime | None = None
    done_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """What a channel does not want to hear of. subject: an incident, a failure class or a name in the alert."""

    channel: str
    subject: str
    until: datetime
    by: str
    why: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Requests:
    """Keeps requests and silences."""

    database: Database

    def keep(self, request: Request, now: datetime) -> bool:
        """Return whether the request is new; a repeated delivery changes nothing."""
        with self.database.writing() as session:
            self.database.take_turn(session, _LOCK)
            position = (session.scalar(select(func.max(RequestRow.position))) or 0) + 1
            values = {
                "key": storable(request.key),
                "position": position,
                "kind": request.kind,
                "channel": storable(request.channel),
                "content": canonical(request.content),
                "incident_id": None if request.incident_id is None else storable(request.incident_id),
                "received_at": now,
                "accepted_at": None,
                "done_at": None,
            }
            return insert_new(session, RequestRow, values)

    def unaccepted(self) -> tuple[Request, ...]:
        """Return what nobody has begun with, the oldest first."""
        return self._open(RequestRow.accepted_at.is_(None))

    def unfinished(self) -> tuple[Request, ...]:
        """Return what was begun and is not done, the oldest first."""
        return self._open(RequestRow.accepted_at.is_not(None))

    def accept(self, key: str, now: datetime, incident_id: str | None = None) -> None:
        """Note that it is begun with, and which incident it is about."""
        with self.database.writing() as session:
            row = self._row(session, key)
            row.accepted_at = row.accepted_at or now
            row.incident_id = incident_id or row.incident_id

    def finish(self, key: str, now: datetime) -> None:
        """Note that it is done."""
        with self.database.writing() as session:
            row = self._row(session, key)
            row.accepted_at, row.done_at = row.accepted_at or now, now

    def channels_of(self, incident_id: str) -> frozenset[str]:
        """Return the channels in which somebody asked about an incident."""
        query = select(RequestRow.channel).where(RequestRow.incident_id == storable(incident_id))
        with self.database.reading() as session:
            return frozenset(session.scalars(query))

    def silence(self, silence: Silence) -> None:
        """Keep a silence; a later one on the same subject in the same channel takes its place."""
        row = SilenceRow(
            id=digest([silence.channel, silence.subject])[:32],
            channel=silence.channel,
            subject=silence.subject,
            until=silence.until,
            by=silence.by,
            why=silence.why,
            at=silence.at,
        )
        with self.database.writing() as session:
            session.merge(row)

    def silences(self, channel: str, now: datetime) -> tuple[Silence, ...]:
        """Return what holds in a channel at `now`."""
        query = (
            select(SilenceRow)
            .where(SilenceRow.channel == storable(channel), SilenceRow.until > now)
            .order_by(SilenceRow.until, SilenceRow.subject)
        )
        with self.database.reading() as session:
            return tuple(
                Silence(
                    channel=row.channel,
                    subject=row.subject,
                    until=row.until,
                    by=row.by,
                    why=row.why,
                    at=row.at,
                )
                for row in session.scalars(query)
            )

    def _open(self, condition: Any) -> tuple[Request, ...]:  # noqa: ANN401 - SQLAlchemy's conditions have no one type
        query = (
            select(RequestRow).where(RequestRow.done_at.is_(None), condition).order_by(RequestRow.position)
        )
        with self.database.reading() as session:
            return tuple(_request(row) for row in session.scalars(query))

    @staticmethod
    def _row(session: Session, key: str) -> RequestRow:
        return session.get_one(RequestRow, storable(key), populate_existing=True)


def _request(row: RequestRow) -> Request:
    return Request(
        key=row.key,
        kind=row.kind,
        channel=row.channel,
        content=json.loads(row.content),
        incident_id=row.incident_id,
        received_at=row.received_at,
        accepted_at=row.accepted_at,
        done_at=row.done_at,
    )
