"""The table of alerts that were received and not lost."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from firstfault.agent.store.tables import Table


class AlertRow(Table):
    """One occurrence of an alert. alert: the exact value as canonical JSON. incident_id: None until it is assigned."""

    __tablename__ = "alerts"

    key: Mapped[str] = mapped_column(primary_key=True)
    position: Mapped[int]
    received_at: Mapped[datetime]
    starts_at: Mapped[datetime]
    is_firing: Mapped[bool]
    ends_at: Mapped[datetime | None]
    incident_id: Mapped[str | None] = mapped_column(ForeignKey("incidents.id"))
    alert: Mapped[str]

    __table_args__ = (Index("alerts_unassigned", "incident_id", "position"),)
