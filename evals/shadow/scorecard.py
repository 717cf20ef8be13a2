"""The shadow scorecard: what a sceptic audits before a cell may be promoted. Pure, and the same for the same scores."""

import hashlib
import json
from collections.abc import Sequence
from datetime import datetime
from statistics import median

from firstfault.evals.shadow.history import HistoryRecord
from firstfault.evals.shadow.rows import (
    DAY_S,
    CellRow,
    Count,
    GroupRow,
    OffsetRow,
    came_back,
    cell_rows,
    count,
    group_rows,
    offset_row,
)
from firstfault.evals.shadow.scores import Diagnosed, ShadowScore

SCHEMA = "firstfault.shadow/v1"
CALIBRATION_PERCENT = {"CONFIRMED": 99, "LIKELY": 85}
"""How often a verdict word must be right at least (DESIGN §5 gives the words their meaning)."""


class ShadowScorecard(HistoryRecord):
    """Everything that was measured in shadow.

    score_offset_s: the time after the alert that cells, clusters, weeks and verdict words are counted at.
    quiet: incidents where nothing was wrong; false_faults: those of them that were called a fault.
    days: from the first alert to the last, at least one. unknown: incidents whose cause nobody told.
    conflicts: what people disagree about; it is not scored. came_back: the same thing failed again soon after.
    """

    schema_: str = SCHEMA
    versions: tuple[str, ...]
    score_offset_s: int
    incidents: int
    offsets: tuple[OffsetRow, ...]
    cells: tuple[CellRow, ...]
    clusters: tuple[GroupRow, ...]
    weeks: tuple[GroupRow, ...]
    verdicts: dict[str, Count]
    false_confirmed: tuple[str, ...]
    quiet: int
    false_faults: int
    days: float
    undone: int
    came_back: tuple[str, ...]
    missing: tuple[str, ...]
    unknown: tuple[str, ...]
    conflicts: tuple[str, ...]
    misquotes: int
    quotes: int
    seconds_median: float | None
    cost_usd: float | None

    @property
    def false_faults_per_day(self) -> float:
        """Return how many faults a day were reported where there was none."""
        return self.false_faults / self.days

    def cell(self, name: str) -> CellRow | None:
        """Return a cell by the name users write."""
        return next((row for row in self.cells if row.name == name), None)

    @property
    def digest(self) -> str:
        """Return the digest of the whole scorecard."""
        text = json.dumps(
            self.model_dump(mode="json"), sort_keys=True, separators=(",", ":"), ensure_ascii=True
        )
        return hashlib.sha256(text.encode("ascii")).hexdigest()


def make_scorecard(
    scores: Sequence[ShadowScore], *, score_offset_s: int, conflicts: Sequence[str] = ()
) -> ShadowScorecard:
    """Return the scorecard. An incident that was scored twice at one offset counts once, the first time."""
    once: dict[tuple[str, int], ShadowScore] = {}
    for score in scores:
        once.setdefault((score.incident, score.offset_s), score)
    ordered = [once[key] for key in sorted(once, key=lambda key: (key[1], key[0]))]
    offsets = sorted({score.offset_s for score in ordered})
    main = [score for score in ordered if score.offset_s == score_offset_s]
    times: list[datetime] = sorted(score.alert_at for score in main if score.alert_at is not None)
    costs = [score.cost_usd for score in ordered]
    return ShadowScorecard(
        versions=tuple(sorted({score.version for score in ordered})),
        score_offset_s=score_offset_s,
        incidents=len({score.incident for score in ordered}),
        offsets=tuple(offset_row(at, [s for s in ordered if s.offset_s == at]) for at in offsets),
        cells=cell_rows(main),
        clusters=group_rows(main, lambda score: score.cluster),
        weeks=group_rows(main, lambda score: score.week),
        verdicts={
            word: count(score.right for score in main if score.verdict == word)
            for word in sorted({score.verdict for score in main})
        },
        false_confirmed=tuple(score.incident for score in main if score.false_confirmed),
        quiet=sum(score.is_false_fault is not None for score in main),
        false_faults=sum(score.is_false_fault is True for score in main),
        days=max(1.0, round((times[-1] - times[0]).total_seconds() / DAY_S, 3)) if times else 1.0,
        undone=sum(score.undone for score in main),
        came_back=tuple(came_back(main)),
        missing=tuple(f"{score.incident}: {score.missing}" for score in main if score.missing is not None),
        unknown=tuple(score.incident for score in main if score.diagnosed is Diagnosed.UNKNOWN),
        conflicts=tuple(conflicts),
        misquotes=sum(score.misquotes for score in ordered),
        quotes=sum(score.quotes for score in ordered),
        seconds_median=round(median(score.seconds for score in ordered), 3) if ordered else None,
        cost_usd=None
        if any(cost is None for cost in costs)
        else round(sum(cost or 0.0 for cost in costs), 6),
    )
