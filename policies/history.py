"""What was done before: ledger rows and breakers, as far as the gate needs them.

`summarize` is pure: rows, a proposal and a moment in, a handful of numbers out. More rows can only make them stricter.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cached_property

from firstfault.policies.actions import SPECS, Action
from firstfault.policies.canonical import digest

WEEK = timedelta(days=7)
REPAIRS = frozenset(
    {
        Action.DRAIN_NODE,
        Action.GPU_RESET,
        Action.NODE_REBOOT,
        Action.NODE_REPLACE,
        Action.RESTART_POD,
    }
)


class Ending(StrEnum):
    """What became of an executed action. AMBIGUOUS counts as failed."""

    RUNNING = "running"
    DONE = "done"
    UNDONE = "undone"
    FAILED = "failed"
    AMBIGUOUS = "ambiguous"


@dataclass(frozen=True, slots=True, kw_only=True)
class PastAction:
    """One row of the ledger.

    at: aware UTC start. target: `Target.key`. scopes: what it was part of, as `rack/r1`, `pool/h100`, `job/ns/name`.
    """

    action: Action
    target: str
    at: datetime
    ending: Ending
    scopes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class History:
    """The ledger's rows, sorted, and the scopes whose breaker is open.

    open_breakers: `cluster`, `rack/r1` …; None when the breakers could not be read.
    """

    rows: tuple[PastAction, ...] = ()
    open_breakers: frozenset[str] | None = None

    @classmethod
    def of(cls, rows: Iterable[PastAction], open_breakers: Iterable[str] | None) -> "History":
        """Return a history whose order does not depend on the order of `rows`."""
        ordered = sorted(
            rows,
            key=lambda row: (row.at, row.target, row.action, row.ending, row.scopes),
        )
        return cls(
            rows=tuple(ordered),
            open_breakers=None if open_breakers is None else frozenset(open_breakers),
        )

    def until(self, as_of: datetime | None) -> "History":
        """Return the history as it stood at `as_of`: a recording is judged without what came after it."""
        if as_of is None:
            return self
        return History(
            rows=tuple(row for row in self.rows if row.at <= as_of),
            open_breakers=self.open_breakers,
        )

    @cached_property
    def digest(self) -> str:
        """Return the digest of all rows and breakers."""
        return digest({"rows": self.rows, "open_breakers": self.open_breakers})

    @cached_property
    def by_target(self) -> Mapping[str, tuple[PastAction, ...]]:
        """Return the rows of each target, oldest first."""
        found: dict[str, list[PastAction]] = {}
        for row in self.rows:
            found.setdefault(row.target, []).append(row)
        return {target: tuple(rows) for target, rows in found.items()}

    @cached_property
    def times(self) -> tuple[datetime, ...]:
        """Return the start of every row, oldest first."""
        return tuple(row.at for row in self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryNumbers:
    """What the rules compare. None: it never happened.

    last_on_target_s: since something was restarted, reset or rolled back there, or since the same action.
    """

    disruptive_last_hour: int
    disruptive_last_day: int
    reboots_7d: int
    repairs_7d: int
    restarts_24h: int
    failures_24h: int
    running_on_target: int
    last_on_target_s: int | None
    last_same_action_s: int | None
    ahead_of_clock_s: int
    open_breakers: tuple[str, ...]


def summarize(
    history: History,
    action: Action,
    target: str,
    scopes: frozenset[str],
    as_of: datetime,
) -> HistoryNumbers:
    """Return the numbers for one action on one target at one moment; `scopes` are those whose breakers count."""
    mine = history.by_target.get(target, ())
    day = as_of - timedelta(days=1)
    recent = _since(history, day)
    disruptive = [row for row in recent if SPECS[row.action].disruptive or row.action is Action.CORDON_NODE]
    hour = as_of - timedelta(hours=1)
    week = [row for row in mine if row.at >= as_of - WEEK]
    latest = history.times[-1] if history.times else as_of
    return HistoryNumbers(
        disruptive_last_hour=sum(row.at >= hour for row in disruptive),
        disruptive_last_day=len(disruptive),
        reboots_7d=sum(row.action is Action.NODE_REBOOT for row in week),
        repairs_7d=sum(row.action in REPAIRS for row in week),
        restarts_24h=sum(row.at >= day and row.action in _RESTARTS for row in mine),
        failures_24h=sum(row.at >= day and row.ending in _FAILED for row in mine),
        running_on_target=sum(row.ending is Ending.RUNNING for row in mine),
        last_on_target_s=_last(
            [row for row in mine if row.action in _SETTLING or row.action is action],
            as_of,
        ),
        last_same_action_s=_last([row for row in recent if row.action is action], as_of),
        ahead_of_clock_s=max(0, int((latest - as_of).total_seconds())),
        open_breakers=tuple(sorted((history.open_breakers or frozenset()) & scopes)),
    )


_RESTARTS = frozenset({Action.RESTART_POD, Action.RESTART_JOB_FROM_CHECKPOINT})
_SETTLING = frozenset(
    _RESTARTS
    | {
        Action.GPU_RESET,
        Action.NODE_REBOOT,
        Action.NODE_REPLACE,
        Action.ROLLBACK_CHANGE,
    }
)
_FAILED = frozenset({Ending.FAILED, Ending.AMBIGUOUS, Ending.UNDONE})


def _since(history: History, start: datetime) -> tuple[PastAction, ...]:
    return history.rows[bisect_left(history.times, start) :]


def _last(rows: list[PastAction], as_of: datetime) -> int | None:
    return min((_age_s(row.at, as_of) for row in rows), default=None)


def _age_s(at: datetime, as_of: datetime) -> int:
    return max(0, int((as_of - at).total_seconds()))
