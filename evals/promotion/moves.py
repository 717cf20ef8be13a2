"""Moves of cells: a person promotes on the strength of a kept scorecard, and what got worse goes back by itself."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from firstfault.agent.classes.definitions import Strength, load_classes
from firstfault.agent.ledger.reading import sound_rows
from firstfault.agent.ledger.rows import LedgerRow, Move, modes_of
from firstfault.agent.ledger.writing import move_cell
from firstfault.agent.store import Store
from firstfault.evals.promotion.promotion import Standing, demotion, promotion_limits, refusals
from firstfault.evals.shadow.comparison import VersionComparison
from firstfault.evals.shadow.records import KeptScorecard
from firstfault.evals.shadow.scorecard import ShadowScorecard
from firstfault.policies.actions import Action
from firstfault.policies.modes import Mode

Cell = tuple[str, Action]
ITSELF = "firstfault"
"""Who sends a cell back. No person may sign a promotion with this name."""


class PromotionRefused(Exception):
    """A cell that may not go further; reasons are the numbers that are not met."""

    def __init__(self, cell: str, mode: Mode, reasons: Sequence[str]) -> None:
        """Take the cell as users write it, the mode that was asked for, and every reason."""
        super().__init__(f"{cell} may not go to {mode} mode: {'; '.join(reasons)}")
        self.reasons = tuple(reasons)


@lru_cache(maxsize=1)
def decisive_classes() -> frozenset[str]:
    """Return the classes that have a decisive signature of their own."""
    return frozenset(
        definition.failure_class
        for definition in load_classes()
        if any(criterion.strength is Strength.DECISIVE for criterion in definition.looks_for)
    )


def promote_cell(  # noqa: PLR0913 - who, what, when, why and on what: each by its name
    store: Store,
    state: Path,
    kept: Sequence[KeptScorecard],
    cell: Cell,
    mode: Mode,
    *,
    by: str,
    why: str,
    digest: str | None,
    version: str,
    now: datetime,
) -> LedgerRow:
    """Return the new ledger row. version: of the agent that runs now; a scorecard of another one proves nothing.

    Raises:
        PromotionRefused: a number is not met, there is no such scorecard, or no person signs.
        LedgerError: the ledger cannot be trusted.

    """
    name = f"{cell[0]}:{cell[1]}"
    before = modes_of(sound_rows(store, state)).get(cell, Mode.SHADOW)
    chosen = _chosen(kept, digest)
    reasons = list(_formal(by, why))
    if chosen is None and _goes_up(before, mode):
        reasons.append(
            "there is no such kept scorecard: run `firstfault shadow backtest` or `shadow score` first"
        )
    elif chosen is not None and chosen.scorecard.digest != chosen.digest:
        reasons.append(f"the scorecard {chosen.digest[:12]} was changed after it was kept")
    elif chosen is not None and _goes_up(before, mode) and version not in chosen.scorecard.versions:
        made_by = ", ".join(chosen.scorecard.versions) or "no version at all"
        reasons.append(f"the scorecard is of {made_by}, this is {version}: score again")
    card = chosen.scorecard if chosen else None
    reasons += [] if reasons else refusals(_standing(card, cell), before, mode, promotion_limits())
    if reasons:
        raise PromotionRefused(name, mode, reasons)
    move = _move(card, cell, before, mode, by=by, why=why, now=now)
    return move_cell(store, state, move.model_copy(update={"source": chosen.source if chosen else "nothing"}))


def demote_where_due(  # noqa: PLR0913 - what is judged, each by its name
    store: Store,
    state: Path,
    scorecard: ShadowScorecard,
    now: datetime,
    *,
    version: str,
    worse: Mapping[str, VersionComparison] | None = None,
) -> tuple[LedgerRow, ...]:
    """Return the rows of all cells that had to go back. worse: by class, how this version compares with the last.

    Raises LedgerError when the ledger cannot be trusted (every cell is in shadow then anyway).
    """
    written: list[LedgerRow] = []
    for cell, mode in sorted(modes_of(sound_rows(store, state)).items()):
        comparison = (worse or {}).get(cell[0])
        standing = _standing(scorecard, cell, is_worse=comparison is not None and comparison.is_worse)
        due = demotion(standing, mode, promotion_limits())
        if due is not None:
            why = "; ".join(due.reasons)
            move = _move(scorecard, cell, mode, due.mode, by=ITSELF, why=why, now=now)
            told = {"version": version, "source": "a new scorecard"}
            written.append(move_cell(store, state, move.model_copy(update=told)))
    return tuple(written)


def _chosen(kept: Sequence[KeptScorecard], digest: str | None) -> KeptScorecard | None:
    fitting = [each for each in kept if digest is None or each.digest.startswith(digest)]
    return fitting[-1] if fitting else None


def _formal(by: str, why: str) -> Sequence[str]:
    reasons: list[str] = []
    if not by.strip() or by.strip().lower() == ITSELF:
        reasons.append("a person has to sign with their name (`--by`)")
    if not why.strip():
        reasons.append("a reason is needed (`--why`)")
    return reasons


def _goes_up(before: Mode, mode: Mode) -> bool:
    order = tuple(Mode)
    return order.index(mode) > order.index(before)


def _standing(card: ShadowScorecard | None, cell: Cell, *, is_worse: bool = False) -> Standing:
    return Standing(
        failure_class=cell[0],
        action=cell[1],
        row=card.cell(f"{cell[0]}:{cell[1]}") if card else None,
        known_signature=cell[0] in decisive_classes(),
        is_worse=is_worse,
    )


def _move(  # noqa: PLR0913 - the fields of a move
    card: ShadowScorecard | None, cell: Cell, before: Mode, mode: Mode, *, by: str, why: str, now: datetime
) -> Move:
    row = card.cell(f"{cell[0]}:{cell[1]}") if card else None
    return Move(
        failure_class=cell[0],
        action=cell[1],
        mode_before=before,
        mode=mode,
        by=by,
        why=why,
        at=now,
        scorecard=card.digest if card else "",
        source="",
        scored=row.scored if row else 0,
        successes=row.successes if row else 0,
        low=row.low if row else 0.0,
        version=", ".join(card.versions) if card else "",
    )
