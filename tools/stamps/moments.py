"""A time as it was written, before year and zone are settled."""

from dataclasses import dataclass
from datetime import datetime, tzinfo


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """What one line says about its time.

    local: the wall clock as printed, without zone; None when only an uptime is printed. Without a year in the text
    `has_year` is false and the year of `local` means nothing. uptime_s: seconds since boot.
    resolution_s: the smallest step that the text shows.
    """

    raw: str
    dialect: str
    local: datetime | None = None
    zone: tzinfo | None = None
    has_year: bool = True
    uptime_s: float | None = None
    resolution_s: float = 1.0

    @property
    def seconds_of_year(self) -> float | None:
        """Return the seconds since the start of a year that is not stated, for order inside one text."""
        start = (
            None
            if self.local is None
            else self.local.replace(month=1, day=1, hour=0, minute=0, second=0, microsecond=0)
        )
        return None if self.local is None or start is None else (self.local - start).total_seconds()

    @property
    def rank(self) -> tuple[bool, bool, bool, float]:
        """Return a key that is greater the more the text settles: a date, its year, its zone, finer steps."""
        has_date = self.local is not None
        return has_date, has_date and self.has_year, self.zone is not None, -self.resolution_s


ANY_YEAR = 2000
"""The year of a `local` that has none: a leap year, so that 29 February can be held."""
