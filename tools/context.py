"""What a reader must know about the incident to read times that people and tools print incompletely."""

from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadContext:
    """The frame in which documents are read.

    opened_at: when the incident was opened, aware. zone: the zone of the people and hosts (`Europe/London`, `CET`,
    `+02:00`), None when nobody said. as_of: nothing later is visible (DESIGN §9); it is also "now" for ages such as
    `39m`. year: the year of the recording when nothing else gives it.
    """

    opened_at: datetime | None = None
    zone: str | None = None
    as_of: datetime | None = None
    year: int | None = None

    @property
    def now(self) -> datetime | None:
        """Return the moment that ages count back from in UTC, or None when it is not known."""
        now = self.as_of or self.opened_at
        if now is None:
            return None
        return now.replace(tzinfo=UTC) if now.tzinfo is None else now.astimezone(UTC)

    @property
    def now_name(self) -> str:
        """Return how `now` is called in an assumption."""
        return "as_of" if self.as_of is not None else "opened_at"


NO_CONTEXT = ReadContext()
"""Nothing is known: years, zones and ages stay open."""
