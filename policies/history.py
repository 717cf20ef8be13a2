"""What was done before: ledger rows and breakers, as far as the gate needs them.

`summarize` is pure: rows, a proposal and a moment in, a handful of numbers out. More rows can only make them stricter.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cached_property

from firstfault.policies.actions import SPECS, Action
from firstfault.policies.canonical import digest

HOUR, DAY, WEEK = timedelta(hours=1), timedelta(days=1), timedelta(days=7)
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

    open_breakers: `cluster`, `rack/r1` …; None when the breakers could not be read. noted_until: the time of the last audit
    event, so that a clock that was moved back is seen.
    """

    rows: tuple[PastAction, ...] = ()
    open_breakers: frozenset[str] | None = None
    noted_until: datetime | None = None

    @classmethod
    def of(
        cls,
        rows: Iterable[PastAction],
        open_breakers: Iterable[str] | None,
        noted_until: datetime | None = None,
    ) -> "History":
        """Return a history whose order does not depend on the order of `rows`."""
        ordered = sorted(rows, key=lambda row: (row.at, row.target, row.action, row.ending, row.scopes))
        scopes = None if open_breakers is None else frozenset(open_breakers)
        return cls(rows=tuple(ordered), open_breakers=scopes, noted_until=noted_until)

    def about(self, target: str, as_of: datetime) -> "History":
        """Return the part that a decision on `target` at `as_of` can depend on: enough to decide it again."""
        rows = (row for row in self.rows if row.target == target or row.at >= as_of - DAY)
        return History.of(rows, self.open_breakers, self.noted_until)

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
        return digest([self.rows, self.open_breakers, self.noted_until])

    @cached_property
    def by_target(self) -> Mapping[str, tuple[PastAction, ...]]:
        """Return the rows of each target, oldest first."""
        found: dict[str, list[PastAction]] = {}
        for row in self.rows:
            found.setdefault(row.target, []).append(row)
        return {target: tuple(rows) for target, rows in found.items()}

    @cached_property
    def running(self) -> Counter[str]:
        """Return how many actions are still running on each target."""
        return Counter(row.target for row in self.rows if row.ending is Ending.RUNNING)

    @cached_property
    def disruptive_times(self) -> tuple[datetime, ...]:
        """Return when cordons and disruptive actions began, oldest first."""
        return tuple(row.at for row in self.rows if counts_as_disruptive(row.action))

    @cached_property
    def last_of_action(self) -> Mapping[Action, datetime]:
        """Return when each action last began anywhere."""
        return {row.action: row.at for row in self.rows}


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
    history: History, action: Action, target: str, scopes: frozenset[str], as_of: datetime
) -> HistoryNumbers:
    """Return the numbers for one action on one target at one moment; `scopes` are those whose breakers count."""
    week = _since(history.by_target.get(target, ()), as_of - WEEK)
    day = _since(week, as_of - DAY)
    settling = [row.at for row in week if row.action in _SETTLING or row.action is action]
    latest = max((*(row.at for row in history.rows[-1:]), history.noted_until or as_of))
    return HistoryNumbers(
        disruptive_last_hour=_count_since(history.disruptive_times, as_of - HOUR),
        disruptive_last_day=_count_since(history.disruptive_times, as_of - DAY),
        reboots_7d=sum(row.action is Action.NODE_REBOOT for row in week),
        repairs_7d=sum(row.action in REPAIRS for row in week),
        restarts_24h=sum(row.action in _RESTARTS for row in day),
        failures_24h=sum(row.ending in _FAILED for row in day),
        running_on_target=history.running[target],
        last_on_target_s=_age_s(settling[-1], as_of) if settling else None,
        last_same_action_s=_age_s(history.last_of_action[action], as_of)
        if action in history.last_of_action
        else None,
        ahead_of_clock_s=max(0, int((latest - as_of).total_seconds())),
        open_breakers=tuple(sorted((history.open_breakers or frozenset()) & scopes)),
    )


_RESTARTS = frozenset({Action.RESTART_POD, Action.RESTART_JOB_FROM_CHECKPOINT})
_SETTLING = frozenset(
    _RESTARTS | {Action.GPU_RESET, Action.NODE_REBOOT, Action.NODE_REPLACE, Action.ROLLBACK_CHANGE}
)
_FAILED = frozenset({Ending.FAILED, Ending.AMBIGUOUS, Ending.UNDONE})


def counts_as_disruptive(action: Action) -> bool:
    """Return whether an action counts against rates: a cordon takes capacity away as well."""
    return action is Action.CORDON_NODE or (action in SPECS and SPECS[action].disruptive)


def _since(rows: tuple[PastAction, ...], start: datetime) -> tuple[PastAction, ...]:
    return rows[bisect_left(rows, start, key=_begun) :]


def _begun(row: PastAction) -> datetime:
    return row.at


def _count_since(times: tuple[datetime, ...], start: datetime) -> int:
    return len(times) - bisect_left(times, start)


def _age_s(at: datetime, as_of: datetime) -> int:
    return max(0, int((as_of - at).total_seconds()))
