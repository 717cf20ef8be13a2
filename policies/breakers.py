"""Breakers: when a scope has seen too much, nothing disruptive starts there until a named human says so. Pure.

A breaker trips on actions that fail one after the other, on too many actions in a sliding window, and on the share of the
scope that is unavailable whatever took it away. Recovery is never held up (the rules leave uncordon alone).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from firstfault.policies.history import Ending, PastAction
from firstfault.policies.limits import Limits

CLUSTER = "cluster"
_FAILED = frozenset({Ending.FAILED, Ending.AMBIGUOUS, Ending.UNDONE})


class BreakerState(StrEnum):
    """CLOSED lets through, OPEN does not, HALF_OPEN lets one action through on trial."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Breaker:
    """One scope's breaker. since: when it took this state; what came before does not count any more. by: who set it."""

    scope: str
    state: BreakerState
    since: datetime
    why: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """How much of a scope is unavailable, whatever took it away. None on either side is unknown."""

    nodes: int | None = None
    unavailable: int | None = None


def holds_up(breaker: Breaker, rows: Iterable[PastAction]) -> bool:
    """Return whether the breaker stops new disruptive actions: open, or half open with its one trial already begun."""
    if breaker.state is BreakerState.CLOSED:
        return False
    if breaker.state is BreakerState.OPEN:
        return True
    return any(row.at >= breaker.since and breaker.scope in scopes_of_row(row) for row in rows)


def scopes_of_row(row: PastAction) -> frozenset[str]:
    """Return the scopes that an action counts for."""
    return frozenset({CLUSTER, row.target, *row.scopes})


def reason_to_trip(
    scope: str, rows: Iterable[PastAction], outage: Outage, limits: Limits, now: datetime
) -> str | None:
    """Return why the breaker of `scope` must open, in one line with the numbers, or None.

    rows: of the ledger since the breaker last took its state, in any order.
    """
    mine = sorted((row for row in rows if scope in scopes_of_row(row)), key=lambda row: (row.at, row.target))
    return _failures(mine, limits) or _rate(scope, mine, limits, now) or _outage(outage, limits)


def _failures(rows: list[PastAction], limits: Limits) -> str | None:
    ended = [row for row in rows if row.ending is not Ending.RUNNING]
    streak = 0
    for row in reversed(ended):
        if row.ending not in _FAILED:
            break
        streak += 1
    allowed = limits["breaker_failures_in_a_row"]
    return (
        f"{streak} {_actions(streak)} failed one after the other, and the limit is {allowed}"
        if streak >= allowed
        else None
    )


def _rate(scope: str, rows: list[PastAction], limits: Limits, now: datetime) -> str | None:
    window_s = limits["breaker_window_s"]
    recent = sum(row.at > now - timedelta(seconds=window_s) for row in rows)
    allowed = limits["breaker_cluster_actions_max" if scope == CLUSTER else "breaker_scope_actions_max"]
    return (
        f"{recent} {_actions(recent)} in {window_s} s, and the limit is {allowed}"
        if recent > allowed
        else None
    )


def _outage(outage: Outage, limits: Limits) -> str | None:
    if outage.nodes is None or outage.unavailable is None:
        return None
    percent = limits["breaker_unavailable_max_percent"]
    if outage.unavailable <= 1 or outage.unavailable * 100 <= outage.nodes * percent:
        return None
    return f"{outage.unavailable} of {outage.nodes} GPU nodes are unavailable, and the limit is {percent} %"


def _actions(count: int) -> str:
    return "action" if count == 1 else "actions"
