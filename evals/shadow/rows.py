"""Shadow scores added up by offset, cell, cluster and week. A count always says of how many."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from statistics import median

from pydantic import AwareDatetime

from firstfault.evals.shadow.history import HistoryRecord
from firstfault.evals.shadow.scores import CellScore, Diagnosed, ShadowScore
from firstfault.evals.shares import Share, share_of, wilson

DAY_S = 86400.0
RECURRENCE_DAYS = 7.0
"""The same thing that fails in the same way within this time was not repaired (the gate counts repairs over it too)."""


class Count(HistoryRecord):
    """`hits` of `total` where the truth is known."""

    hits: int
    total: int

    @property
    def share(self) -> Share:
        """Return it as a share with its interval."""
        return Share(hits=self.hits, total=self.total)


class OffsetRow(HistoryRecord):
    """Everything at one time after the alert. diagnosed: how many of each kind of diagnosis."""

    offset_s: int
    incidents: int
    diagnosed: dict[Diagnosed, int]
    right: Count
    first_fault: Count
    culprit: Count
    owner: Count
    action: Count
    harm: int
    misquotes: int
    lead_median_s: float | None


class CellRow(HistoryRecord):
    """One cell (failure class × action). scored: incidents whose outcome is known; low: Wilson lower bound.

    harm: what would have been wrong or unsafe. shared_cause: incidents in which machines had a cause in common.
    days: from the first scored incident to the last.
    """

    failure_class: str
    action: str
    scored: int
    successes: int
    unknown: int
    stopped_by_gate: int
    harm: tuple[str, ...]
    shared_cause: int
    first_at: AwareDatetime | None
    last_at: AwareDatetime | None
    days: float
    low: float

    @property
    def name(self) -> str:
        """Return how users write it: `gpu.fell_off_bus:cordon_node`."""
        return f"{self.failure_class}:{self.action}"


class GroupRow(HistoryRecord):
    """The incidents of one cluster or week."""

    name: str
    incidents: int
    right: Count
    action: Count
    harm: int
    false_faults: int


def count(marks: Iterable[bool | None]) -> Count:
    """Return how many marks are true among the known ones."""
    share = share_of(marks)
    return Count(hits=share.hits, total=share.total)


def offset_row(offset_s: int, scores: Sequence[ShadowScore]) -> OffsetRow:
    """Return the sums over the scores at one offset."""
    leads = [score.lead_s for score in scores if score.lead_s is not None]
    return OffsetRow(
        offset_s=offset_s,
        incidents=len(scores),
        diagnosed={kind: sum(score.diagnosed is kind for score in scores) for kind in Diagnosed},
        right=count(score.right for score in scores),
        first_fault=count(score.first_fault for score in scores),
        culprit=count(score.culprit for score in scores),
        owner=count(score.owner for score in scores),
        action=count(score.action for score in scores),
        harm=sum(len(score.harm) for score in scores),
        misquotes=sum(score.misquotes for score in scores),
        lead_median_s=round(median(leads), 3) if leads else None,
    )


def cell_rows(scores: Sequence[ShadowScore]) -> tuple[CellRow, ...]:
    """Return every cell that was used, by name. One incident counts once in a cell, by its worst use."""
    uses: dict[tuple[str, str], list[tuple[ShadowScore, list[CellScore]]]] = {}
    for score in scores:
        here: dict[tuple[str, str], list[CellScore]] = {}
        for cell in score.cells:
            here.setdefault((cell.failure_class, cell.action), []).append(cell)
        for key, cells in here.items():
            uses.setdefault(key, []).append((score, cells))
    return tuple(_cell_row(*key, uses[key]) for key in sorted(uses))


def _cell_row(
    failure_class: str, action: str, uses: Sequence[tuple[ShadowScore, Sequence[CellScore]]]
) -> CellRow:
    passed = [(score, [cell for cell in cells if cell.let_through]) for score, cells in uses]
    outcomes = [(score, _worst(cells)) for score, cells in passed if cells]
    scored = [(score, outcome) for score, outcome in outcomes if outcome is not None]
    times: list[datetime] = sorted(score.alert_at for score, _ in scored if score.alert_at is not None)
    successes = sum(outcome for _, outcome in scored)
    return CellRow(
        failure_class=failure_class,
        action=action,
        scored=len(scored),
        successes=successes,
        unknown=len(outcomes) - len(scored),
        stopped_by_gate=sum(not cells for _, cells in passed),
        harm=tuple(
            f"{score.incident}: {reason}" for score, cells in passed for cell in cells for reason in cell.harm
        ),
        shared_cause=sum(any(cell.shared_cause for cell in cells) for _, cells in passed),
        first_at=times[0] if times else None,
        last_at=times[-1] if times else None,
        days=round((times[-1] - times[0]).total_seconds() / DAY_S, 3) if times else 0.0,
        low=round(wilson(successes, len(scored))[0], 4),
    )


def _worst(cells: Sequence[CellScore]) -> bool | None:
    known = [cell.success for cell in cells if cell.success is not None]
    return all(known) if known else None


def group_rows(
    scores: Sequence[ShadowScore], name: Callable[[ShadowScore], str | None]
) -> tuple[GroupRow, ...]:
    """Return one row for each value of `name`, in order; scores without one are left out."""
    groups: dict[str, list[ShadowScore]] = {}
    for score in scores:
        key = name(score)
        if key is not None:
            groups.setdefault(key, []).append(score)
    return tuple(
        GroupRow(
            name=key,
            incidents=len(group),
            right=count(score.right for score in group),
            action=count(score.action for score in group),
            harm=sum(len(score.harm) for score in group),
            false_faults=sum(score.is_false_fault is True for score in group),
        )
        for key, group in sorted(groups.items())
    )


def came_back(scores: Sequence[ShadowScore]) -> Iterator[str]:
    """Yield each incident in which the same thing failed in the same way again within `RECURRENCE_DAYS`."""
    last: dict[tuple[str | None, str, str], ShadowScore] = {}
    timed = [score for score in scores if score.alert_at is not None and score.at_fault is not None]
    for score in sorted(timed, key=lambda score: (score.alert_at, score.incident)):
        if score.failure_class == "unknown" or score.failure_class.startswith("none."):
            continue
        key = (score.cluster, score.failure_class, score.at_fault or "")
        before = last.get(key)
        last[key] = score
        if before is None or before.alert_at is None or score.alert_at is None:
            continue
        days = (score.alert_at - before.alert_at).total_seconds() / DAY_S
        if days <= RECURRENCE_DAYS:
            yield f"{score.incident}: {score.failure_class} on {score.at_fault} again, {days:.1f} days after {before.incident}"
