"""Whether a cell may go further, and whether it must go back. Pure: a scorecard, limits and a mode in, reasons out.

Nothing here writes: a person promotes (`shadow promote`), and only with a scorecard that meets every number.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from firstfault.evals.shadow.rows import CellRow
from firstfault.evals.shares import wilson
from firstfault.policies.actions import SPECS, Action
from firstfault.policies.limits import Limits
from firstfault.policies.modes import Mode

_ORDER = tuple(Mode)


class CellNameError(Exception):
    """A cell that cannot be promoted because it is none; the message says how to write one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What speaks for and against a cell. row: its line of the scorecard, None when it was never used.

    known_signature: the class has a decisive predicate of its own. is_worse: this version does worse than the last.
    """

    failure_class: str
    action: Action
    row: CellRow | None
    known_signature: bool = False
    is_worse: bool = False


@lru_cache(maxsize=1)
def promotion_limits() -> Limits:
    """Return the shipped limits."""
    text = resources.files("firstfault.evals.promotion").joinpath("limits.toml").read_text(encoding="utf-8")
    return Limits.parse(text)


def parse_cell(text: str) -> tuple[str, Action]:
    """Return the class and the action of `CLASS:ACTION`.

    Raises:
        CellNameError: the text is no cell, or the action executes nothing and so has no mode.

    """
    failure_class, _, name = text.partition(":")
    known = {action.value: action for action in SPECS}
    if not failure_class or name not in known:
        msg = f"`{text}` is no cell: write CLASS:ACTION, with one of {', '.join(sorted(known))}"
        raise CellNameError(msg)
    return failure_class, known[name]


def unmet(standing: Standing, mode: Mode, limits: Limits) -> tuple[str, ...]:
    """Return every reason why the cell may not be in `mode`, with the numbers; empty when it may."""
    if mode is Mode.SHADOW:
        return ()
    row = standing.row
    if row is None:
        return ("it was never recommended in shadow",)
    reasons = [
        _at_least(row.scored, limits[f"{mode}_min_incidents"], "incidents with a known outcome"),
        _at_least(row.days, limits["recommend_min_days"], "days between the first and the last of them"),
        _at_least(round(row.low * 100, 2), limits[f"{mode}_min_percent"], "% Wilson lower bound"),
        _at_most(len(row.harm), limits["harm_max"], "harmful recommendations"),
        "this version does worse than the one before it" if standing.is_worse else None,
    ]
    if mode is Mode.AUTO:
        reasons += _auto_only(standing, row)
    return tuple(reason for reason in reasons if reason is not None)


def _auto_only(standing: Standing, row: CellRow) -> list[str | None]:
    return [
        None if SPECS[standing.action].reversible else f"{standing.action} cannot be undone",
        None
        if standing.known_signature
        else f"{standing.failure_class} has no decisive signature of its own",
        f"{row.shared_cause} of its incidents had a cause that machines shared" if row.shared_cause else None,
    ]


def refusals(standing: Standing, now: Mode, wanted: Mode, limits: Limits) -> tuple[str, ...]:
    """Return why a person may not move the cell from `now` to `wanted`; going back needs no reason."""
    if _ORDER.index(wanted) <= _ORDER.index(now):
        return () if wanted is not now else (f"it is in {now} mode already",)
    if wanted is Mode.AUTO and now is not Mode.APPROVE:
        return ("auto mode is for cells that have proved themselves in approve mode",)
    return unmet(standing, wanted, limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Demotion:
    """A cell that must go back, to which mode, and why."""

    failure_class: str
    action: Action
    mode_before: Mode
    mode: Mode
    reasons: tuple[str, ...]


def demotion(standing: Standing, now: Mode, limits: Limits) -> Demotion | None:
    """Return how far the cell must go back, None when it may stay.

    Harm, and a version that does worse, put it in shadow; a bound that is no longer met in the next mode that is.
    A scorecard of few incidents does not send a cell back unless even their upper bound is too low.
    """
    if now is Mode.SHADOW or standing.row is None:
        return None
    reasons = _lost(standing, standing.row, now, limits)
    if not reasons:
        return None
    is_grave = standing.is_worse or len(standing.row.harm) > limits["harm_max"]
    return Demotion(
        failure_class=standing.failure_class,
        action=standing.action,
        mode_before=now,
        mode=Mode.SHADOW if is_grave else _next_that_holds(standing, standing.row, now, limits),
        reasons=reasons,
    )


def _lost(standing: Standing, row: CellRow, mode: Mode, limits: Limits) -> tuple[str, ...]:
    reasons: list[str | None] = [
        _at_most(len(row.harm), limits["harm_max"], "harmful recommendations"),
        "this version does worse than the one before it" if standing.is_worse else None,
        _bound_lost(row, mode, limits),
    ]
    if mode is Mode.AUTO:
        reasons += _auto_only(standing, row)
    return tuple(reason for reason in reasons if reason is not None)


def _bound_lost(row: CellRow, mode: Mode, limits: Limits) -> str | None:
    """Return why the share of successes is too low; of few incidents only what even their upper bound cannot reach."""
    wanted = limits[f"{mode}_min_percent"]
    if row.scored >= limits[f"{mode}_min_incidents"]:
        return _at_least(round(row.low * 100, 2), wanted, "% Wilson lower bound")
    high = wilson(row.successes, row.scored)[1]
    return _at_least(round(high * 100, 2), wanted, "% Wilson upper bound")


def _next_that_holds(standing: Standing, row: CellRow, now: Mode, limits: Limits) -> Mode:
    lower: Sequence[Mode] = _ORDER[1 : _ORDER.index(now)]
    return next((mode for mode in reversed(lower) if not _lost(standing, row, mode, limits)), Mode.SHADOW)


def _at_least(value: float, wanted: int, what: str) -> str | None:
    return None if value >= wanted else f"{value:g} {what}, {wanted} are needed"


def _at_most(value: int, allowed: int, what: str) -> str | None:
    return None if value <= allowed else f"{value} {what}, {allowed} are allowed"
