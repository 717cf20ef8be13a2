"""Arithmetic on series: increases over counter resets, runs that hold a test, comparison with peers. Pure."""

from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import pairwise
from statistics import median

Points = Sequence[tuple[datetime, float]]
Holds = Callable[[float], bool]

_MAD_TO_SIGMA = 1.4826
"""Scales a median absolute deviation to a standard deviation of normal data."""
OUTLIER_SIGMAS = 6.0
"""How far outside its peers a value must lie, besides the step that the rule asks for; a choice."""


def increases(points: Points) -> list[tuple[datetime, float]]:
    """Return (time, growth since the point before) of a counter; after a reset the new value is the growth."""
    return [
        (at, value - before if value >= before else value) for (_, before), (at, value) in pairwise(points)
    ]


def minutes(points: Points) -> float:
    """Return the minutes that the points span."""
    return (points[-1][0] - points[0][0]).total_seconds() / 60 if len(points) > 1 else 0.0


def step_s(points: Points) -> float | None:
    """Return the usual distance of two points in seconds, None for a single one."""
    gaps = [(later - earlier).total_seconds() for (earlier, _), (later, _) in pairwise(points)]
    return median(gaps) if gaps else None


def first_that(points: Points, holds: Holds) -> int | None:
    """Return the index of the first point that passes, or None."""
    return next((index for index, (_, value) in enumerate(points) if holds(value)), None)


def start_of_last_run(points: Points, holds: Holds) -> int | None:
    """Return where the run of passing points at the end begins, or None when the last point does not pass."""
    start: int | None = None
    for index in range(len(points) - 1, -1, -1):
        if not holds(points[index][1]):
            break
        start = index
    return start


def steps(points: Points, jitter: float) -> list[int]:
    """Return the indices at which the value moved by more than `jitter`."""
    return [index for index in range(1, len(points)) if abs(points[index][1] - points[index - 1][1]) > jitter]


def outliers(values: Sequence[float], *, least_step: float, side: int) -> list[int]:
    """Return the indices of values unlike the others: below (`side` -1) or above (`side` 1) their median.

    An outlier lies `least_step` and `OUTLIER_SIGMAS` robust standard deviations away; fewer than four values have none.
    """
    if len(values) < 4:  # noqa: PLR2004 - with three values one bad one moves the median
        return []
    middle = median(values)
    spread = median(abs(value - middle) for value in values) * _MAD_TO_SIGMA
    needed = max(least_step, OUTLIER_SIGMAS * spread)
    return [index for index, value in enumerate(values) if side * (value - middle) > needed]
