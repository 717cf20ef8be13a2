"""When something happened, and how well that is known.

A `Stamp` never pretends: without an anchor an uptime stays an uptime, a line without a stamp has only its position.
`order` compares two stamps and says UNKNOWN where the uncertainties overlap (DESIGN §5, Time).
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum


class Clock(StrEnum):
    """Which clock a stamp was read from."""

    UTC = "utc"
    UPTIME = "uptime"
    POSITION = "position"


class Order(StrEnum):
    """What is known of the order of two stamps."""

    BEFORE = "before"
    SAME = "same"
    AFTER = "after"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A closed span of aware UTC times; None on a side means open."""

    start: datetime | None = None
    end: datetime | None = None

    def contains(self, at: datetime) -> bool:
        """Return whether `at` lies inside, both ends included."""
        return (self.start is None or at >= self.start) and (self.end is None or at <= self.end)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """One time as read from a source.

    at: aware UTC, or None when no wall clock is known. uptime_s: seconds on the clock of `series`: since boot, minus
    the age (`39m`), or since the start of a year that is not stated.
    uncertainty_s: half-width in seconds; None when unknown (a relative age such as `39m` has ±60 s).
    series: what makes two uptimes or positions comparable: the boot they belong to, or the document. A `#` separates
    the document from a clock of its own inside it (`raw/kernel.log#boot2`, `raw/events.txt#age`).
    position: 1-based line number within `series` for the position clock and as a tie breaker.
    assumption: what was assumed to read it (year, zone), shown in the report.
    """

    clock: Clock
    raw: str
    at: datetime | None = None
    uptime_s: float | None = None
    uncertainty_s: float | None = None
    series: str = ""
    position: int = 0
    assumption: str | None = None

    @property
    def own_clock(self) -> str:
        """Return which clock inside its document `uptime_s` counts on (`boot2`, `age`, `year`), empty for the document's one."""
        return self.series.partition("#")[2]

    @property
    def earliest(self) -> datetime | None:
        """Return the earliest wall time this stamp allows, or None without a wall clock."""
        return None if self.at is None else self.at - timedelta(seconds=self.uncertainty_s or 0.0)

    @property
    def latest(self) -> datetime | None:
        """Return the latest wall time this stamp allows, or None without a wall clock."""
        return None if self.at is None else self.at + timedelta(seconds=self.uncertainty_s or 0.0)


def order(first: Stamp, second: Stamp) -> Order:
    """Return how `first` stands to `second`, trusting only clocks that are comparable.

    Same boot: uptimes decide. Else wall clocks, UNKNOWN where their uncertainties overlap. Else, in one document,
    the position of the line decides (logs are appended). Everything else is UNKNOWN.
    """
    one_series = bool(first.series) and first.series == second.series
    one_document = bool(first.series) and first.series.partition("#")[0] == second.series.partition("#")[0]
    by_position = _compare(first.position, second.position) if one_document else Order.UNKNOWN
    if one_series and first.uptime_s is not None and second.uptime_s is not None:
        by_uptime = _compare(first.uptime_s, second.uptime_s)
        return by_position if by_uptime is Order.SAME else by_uptime
    if first.at is None or second.at is None:
        return by_position
    by_wall = _by_wall_clock(first, second)
    return by_position if by_wall in {Order.UNKNOWN, Order.SAME} and one_document else by_wall


def _by_wall_clock(first: Stamp, second: Stamp) -> Order:
    first_at, second_at = (
        _required(first.at).timestamp(),
        _required(second.at).timestamp(),
    )
    slack = (first.uncertainty_s or 0.0) + (second.uncertainty_s or 0.0)
    if slack and abs(first_at - second_at) <= slack:
        return Order.UNKNOWN
    return _compare(first_at, second_at)


def _required(at: datetime | None) -> datetime:
    if at is None:
        msg = "a wall clock is needed here"
        raise ValueError(msg)
    return at


def _compare(left: float, right: float) -> Order:
    if left < right:
        return Order.BEFORE
    return Order.AFTER if left > right else Order.SAME
