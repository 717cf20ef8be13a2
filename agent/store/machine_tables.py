"""The table of what machines looked like."""

from datetime import datetime

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from firstfault.agent.store.tables import Table


class MachineRow(Table):
    """One machine for as long as it looked the same. replaced_at: when it was first seen to look otherwise."""

    __tablename__ = "machines"

    cluster: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(primary_key=True)
    first_seen: Mapped[datetime] = mapped_column(primary_key=True)
    last_seen: Mapped[datetime]
    replaced_at: Mapped[datetime | None]
    body: Mapped[str]

    __table_args__ = (Index("machines_newest", "cluster", "replaced_at"),)
