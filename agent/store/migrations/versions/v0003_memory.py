"""Past incidents, what they are found by, and a full-text index over their words."""

from alembic import op
from sqlalchemy import Column, DateTime, ForeignKey, Text

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the tables and the index of the database at hand."""
    op.create_table(
        "memories",
        Column("id", Text, primary_key=True),
        Column("summary", Text, nullable=False),
        Column("resolution", Text, nullable=False),
        Column("outcome", Text, nullable=False),
        Column("author", Text, nullable=False),
        Column("at", DateTime(timezone=True), nullable=False),
        Column("content", Text),
        Column("words", Text, nullable=False),
    )
    op.create_table(
        "memory_features",
        Column("memory_id", Text, ForeignKey("memories.id"), primary_key=True),
        Column("feature", Text, primary_key=True),
    )
    op.create_index("memory_features_feature", "memory_features", ["feature"])
    for statement in _SQLITE if op.get_context().dialect.name == "sqlite" else _POSTGRES:
        op.execute(statement)


_SQLITE = (
    "CREATE VIRTUAL TABLE memory_words USING fts5(words, content='memories', content_rowid='rowid')",
    """CREATE TRIGGER memories_inserted AFTER INSERT ON memories
        BEGIN INSERT INTO memory_words(rowid, words) VALUES (NEW.rowid, NEW.words); END""",
    """CREATE TRIGGER memories_deleted AFTER DELETE ON memories
        BEGIN INSERT INTO memory_words(memory_words, rowid, words) VALUES ('delete', OLD.rowid, OLD.words); END""",
    """CREATE TRIGGER memories_updated AFTER UPDATE ON memories
        BEGIN
            INSERT INTO memory_words(memory_words, rowid, words) VALUES ('delete', OLD.rowid, OLD.words);
            INSERT INTO memory_words(rowid, words) VALUES (NEW.rowid, NEW.words);
        END""",
)

_POSTGRES = ("CREATE INDEX memory_words ON memories USING gin (to_tsvector('simple', words))",)
