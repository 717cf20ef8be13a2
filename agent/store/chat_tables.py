"""The tables of the chat: what is to be shown where, what people asked for, and what they do not want to hear."""

from datetime import datetime

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from firstfault.agent.store.tables import Table


class MessageRow(Table):
    """One message as it is to be, and as it is known to be shown.

    wanted: canonical JSON of what it is to say; wanted_digest and shown_digest differ while it is to be sent. parent: key of
    the message in whose thread it stands; thread: the same for a message that is not ours. stamp: where it is shown.
    """

    __tablename__ = "chat_messages"

    key: Mapped[str] = mapped_column(primary_key=True)
    position: Mapped[int]
    kind: Mapped[str]
    channel: Mapped[str]
    incident_id: Mapped[str | None]
    parent: Mapped[str | None]
    thread: Mapped[str | None]
    wanted: Mapped[str]
    wanted_digest: Mapped[str]
    shown_digest: Mapped[str | None]
    stamp: Mapped[str | None]
    state: Mapped[str]
    attempts: Mapped[int]
    not_before: Mapped[datetime | None]
    begun_at: Mapped[datetime | None]
    why: Mapped[str]
    created_at: Mapped[datetime]

    __table_args__ = (
        Index("chat_messages_incident", "incident_id"),
        Index("chat_messages_place", "channel", "stamp"),
        Index("chat_messages_position", "position"),
    )


class RequestRow(Table):
    """One thing that somebody asked for in the chat, kept before it is acknowledged."""

    __tablename__ = "chat_requests"

    key: Mapped[str] = mapped_column(primary_key=True)
    position: Mapped[int]
    kind: Mapped[str]
    channel: Mapped[str]
    content: Mapped[str]
    incident_id: Mapped[str | None]
    received_at: Mapped[datetime]
    accepted_at: Mapped[datetime | None]
    done_at: Mapped[datetime | None]

    __table_args__ = (
        Index("chat_requests_open", "done_at", "position"),
        Index("chat_requests_incident", "incident_id"),
    )


class SilenceRow(Table):
    """What a channel does not want to hear of until a time."""

    __tablename__ = "chat_silences"

    id: Mapped[str] = mapped_column(primary_key=True)
    channel: Mapped[str]
    subject: Mapped[str]
    until: Mapped[datetime]
    by: Mapped[str]
    why: Mapped[str]
    at: Mapped[datetime]

    __table_args__ = (Index("chat_silences_channel", "channel", "until"),)
