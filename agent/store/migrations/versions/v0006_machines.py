"""What machines looked like: the snapshots of the topology."""

from alembic import op
from sqlalchemy import Column, DateTime, Text

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "machines",
        Column("cluster", Text, primary_key=True),
        Column("name", Text, primary_key=True),
        Column("first_seen", DateTime(timezone=True), primary_key=True),
        Column("last_seen", DateTime(timezone=True), nullable=False),
        Column("replaced_at", DateTime(timezone=True)),
        Column("body", Text, nullable=False),
    )
    op.create_index("machines_newest", "machines", ["cluster", "replaced_at"])
