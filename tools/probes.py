"""What a look at a live source tells about the source itself: reachable, how its clock stands, what it holds.

A probe never raises for what the world does: a source that does not answer is a result.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from firstfault.tools.kinds import Kind

Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class Right:
    """What the server said to `may I?`. name: `get pods/log`. wanted: whether firstfault should have it."""

    name: str
    allowed: bool
    wanted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Something that is less than it could be. blind: what is not seen because of it. remedy: what to do."""

    said: str
    blind: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What was found out. problem: why it cannot be used, None when it can.

    kinds: the kinds of document it can give. skew_s: seconds that the server's clock is ahead of ours, None when it did
    not say. retention: how far back it keeps, in its own words, None when it does not tell. has_clock: a file has none.
    """

    source: str
    problem: str | None = None
    version: str | None = None
    kinds: frozenset[Kind] = frozenset()
    skew_s: float | None = None
    retention: str | None = None
    rights: tuple[Right, ...] = ()
    notes: tuple[Note, ...] = ()
    has_clock: bool = True


def age_in_words(age: timedelta) -> str:
    """Return how old something is, roughly: `3 days`, `5 h`, `20 min`, `8 s`."""
    seconds = max(0.0, age.total_seconds())
    for name, length in (("days", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * length or (name != "days" and seconds >= length):
            return f"{seconds / length:.0f} {name}"
    return f"{seconds:.0f} s"


def skew(date: str | None, asked: datetime, answered: datetime) -> float | None:
    """Return how far the clock of a `Date` header is ahead of ours, at least; None without one.

    The header knows whole seconds and was written somewhere between question and answer: inside that it is 0.
    """
    try:
        said = parsedate_to_datetime(date or "")
    except ValueError:
        return None
    said = said.replace(tzinfo=UTC) if said.tzinfo is None else said
    ahead = (said - answered).total_seconds()
    behind = (asked - said).total_seconds() - 1.0
    return ahead if ahead > 0 else -behind if behind > 0 else 0.0
