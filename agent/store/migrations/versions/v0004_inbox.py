"""Alerts that were received: the durable inbox."""

from alembic import op
from sqlalchemy import BigInteger, Boolean, Column, DateTime, ForeignKey, Text

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "alerts",
        Column("key", Text, primary_key=True),
        Column("position", BigInteger, nullable=False),
        Column("received_at", DateTime(timezone=True), nullable=False),
        Column("starts_at", DateTime(timezone=True), nullable=False),
        Column("is_firing", Boolean, nullable=False),
        Column("ends_at", DateTime(timezone=True)),
        Column("incident_id", Text, ForeignKey("incidents.id")),
        Column("alert", Text, nullable=False),
    )
    op.create_index("alerts_unassigned", "alerts", ["incident_id", "position"])
