"""One run of the whole pipeline over a folder of cases, scored.

The pipeline is handed in as one function, so that a run can be tested without it and compared between versions.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from firstfault.agent.report.contract import Report
from firstfault.evals.baselines import baselines
from firstfault.evals.cases import Case
from firstfault.evals.scoring import Score, score_missing, score_report
from firstfault.evals.summary import Summary, summarize
from firstfault.evals.truth import read_truth


@dataclass(frozen=True, slots=True, kw_only=True)
class NoReport:
    """An investigation that ended without a report, and the one line it said."""

    why: str


Investigate = Callable[[Path], Report | NoReport]
"""Investigates one case folder. What a user would see as an error comes back as NoReport; a bug raises."""

Clock = Callable[[], float]
"""Seconds on a clock that never goes back."""


def run_cases(
    cases: Sequence[Case], investigate: Investigate, clock: Clock = time.perf_counter
) -> Iterator[Score]:
    """Yield the score of each case in order; the truth is read after the report was made."""
    for case in cases:
        started_s = clock()
        outcome = investigate(case.folder)
        seconds = clock() - started_s
        truth = read_truth(case.folder)
        if isinstance(outcome, NoReport):
            yield score_missing(case.id, truth, outcome.why, seconds=seconds)
        else:
            yield score_report(case.id, outcome, truth, case.lines, seconds=seconds)


def summarize_run(cases: Sequence[Case], scores: Sequence[Score]) -> Summary:
    """Return the scores added up, with the baselines scored on the same cases."""
    truths = {score.case: score.truth for score in scores}
    return summarize(scores, baselines(cases, truths))
