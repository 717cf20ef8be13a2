"""The chat: messages to be shown, requests of people, silences."""

from alembic import op
from sqlalchemy import BigInteger, Column, DateTime, Text

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "chat_messages",
        Column("key", Text, primary_key=True),
        Column("position", BigInteger, nullable=False),
        Column("kind", Text, nullable=False),
        Column("channel", Text, nullable=False),
        Column("incident_id", Text),
        Column("parent", Text),
        Column("thread", Text),
        Column("wanted", Text, nullable=False),
        Column("wanted_digest", Text, nullable=False),
        Column("shown_digest", Text),
        Column("stamp", Text),
        Column("state", Text, nullable=False),
        Column("attempts", BigInteger, nullable=False),
        Column("not_before", DateTime(timezone=True)),
        Column("begun_at", DateTime(timezone=True)),
        Column("why", Text, nullable=False),
        Column("created_at", DateTime(timezone=True), nullable=False),
    )
    op.create_index("chat_messages_incident", "chat_messages", ["incident_id"])
    op.create_index("chat_messages_place", "chat_messages", ["channel", "stamp"])
    op.create_index("chat_messages_position", "chat_messages", ["position"])
    op.create_table(
        "chat_requests",
        Column("key", Text, primary_key=True),
        Column("position", BigInteger, nullable=False),
        Column("kind", Text, nullable=False),
        Column("channel", Text, nullable=False),
        Column("content", Text, nullable=False),
        Column("incident_id", Text),
        Column("received_at", DateTime(timezone=True), nullable=False),
        Column("accepted_at", DateTime(timezone=True)),
        Column("done_at", DateTime(timezone=True)),
    )
    op.create_index("chat_requests_open", "chat_requests", ["done_at", "position"])
    op.create_index("chat_requests_incident", "chat_requests", ["incident_id"])
    op.create_table(
        "chat_silences",
        Column("id", Text, primary_key=True),
        Column("channel", Text, nullable=False),
        Column("subject", Text, nullable=False),
        Column("until", DateTime(timezone=True), nullable=False),
        Column("by", Text, nullable=False),
        Column("why", Text, nullable=False),
        Column("at", DateTime(timezone=True), nullable=False),
    )
    op.create_index("chat_silences_channel", "chat_silences", ["channel", "until"])
