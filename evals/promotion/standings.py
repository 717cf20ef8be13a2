"""Where every cell stands: its mode now, and what is still missing for the next one."""

from collections.abc import Mapping, Sequence

from firstfault.evals.promotion.promotion import Standing, promotion_limits, refusals
from firstfault.evals.shadow.rows import CellRow
from firstfault.evals.shadow.scorecard import ShadowScorecard
from firstfault.evals.shadow.standing import CellStanding
from firstfault.policies.actions import Action
from firstfault.policies.modes import Mode

_ORDER = tuple(Mode)


def mode_marks() -> Sequence[tuple[int, str]]:
    """Return the Wilson lower bounds that the modes need, in percent, with their names."""
    limits = promotion_limits()
    return [(limits[f"{mode}_min_percent"], f"{mode} mode") for mode in _ORDER[1:]]


def standings(
    scorecard: ShadowScorecard, modes: Mapping[tuple[str, Action], Mode], decisive: frozenset[str]
) -> Sequence[CellStanding]:
    """Return every cell of the scorecard. decisive: classes with a signature of their own."""
    return tuple(_standing(row, modes, decisive) for row in scorecard.cells)


def _standing(
    row: CellRow, modes: Mapping[tuple[str, Action], Mode], decisive: frozenset[str]
) -> CellStanding:
    action = Action(row.action)
    now = modes.get((row.failure_class, action), Mode.SHADOW)
    place = _ORDER.index(now) + 1
    after = _ORDER[place] if place < len(_ORDER) else None
    here = Standing(
        failure_class=row.failure_class,
        action=action,
        row=row,
        known_signature=row.failure_class in decisive,
    )
    missing = refusals(here, now, after, promotion_limits()) if after is not None else ()
    return CellStanding(row=row, mode=now, next_mode=after, missing=missing)
