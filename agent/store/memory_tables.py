"""The tables of past incidents. The full-text index beside them is made by the migration."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from firstfault.agent.store.tables import Table


class MemoryRow(Table):
    """One past incident. words: what full text searches, as plain words parted by blanks."""

    __tablename__ = "memories"

    id: Mapped[str] = mapped_column(primary_key=True)
    summary: Mapped[str]
    resolution: Mapped[str]
    outcome: Mapped[str]
    author: Mapped[str]
    at: Mapped[datetime]
    content: Mapped[str | None]
    words: Mapped[str]


class MemoryFeatureRow(Table):
    """One feature that a past incident is found by."""

    __tablename__ = "memory_features"

    memory_id: Mapped[str] = mapped_column(ForeignKey("memories.id"), primary_key=True)
    feature: Mapped[str] = mapped_column(primary_key=True)

    __table_args__ = (Index("memory_features_feature", "feature"),)
