"""Which signals share a clock, and where their times fall on a line.

Signals on one clock share a panel: all wall clocks one, the uptimes of one file one, the lines of one file one. Two
panels side by side say nothing about each other. Inside a panel the step from one time to the next grows with the
logarithm of the time between, so that ten milliseconds and ten minutes can both be seen; it is not to scale.
"""

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from firstfault.agent.render.citations import Citations
from firstfault.agent.render.phrases import moment
from firstfault.agent.render.safety import one_line
from firstfault.agent.report.contract import TimelinePart

MAX_PANELS = 4
"""Panels shown side by side; what is left is gathered in the last one, where only the order of the report counts."""

_SHORTEST_S = 0.001
_STEP, _STEP_PER_DECADE = 0.6, 1.0
"""Width of a step between neighbours, in panel units: at least, and for each power of ten above `_SHORTEST_S`."""

_INSET = 16.0
"""Margin inside a panel, in canvas units."""


@dataclass(frozen=True, kw_only=True)
class Panel:
    """Signals on one clock. values: seconds (or line numbers, or ranks) per entry; is_time: they are seconds."""

    clock: str
    caption: str
    entries: tuple[TimelinePart, ...]
    values: tuple[float, ...]
    is_time: bool

    @cached_property
    def distinct(self) -> tuple[float, ...]:
        """Return the different values, ascending."""
        return tuple(sorted(set(self.values)))

    @cached_property
    def places(self) -> tuple[float, ...]:
        """Return where each distinct value falls, from 0 up, in panel units."""
        distinct = self.distinct
        places = [0.0]
        for earlier, later in pairwise(distinct):
            places.append(places[-1] + (self._step(later - earlier) if self.is_time else 1.0))
        return tuple(places)

    @staticmethod
    def _step(gap_s: float) -> float:
        return _STEP + _STEP_PER_DECADE * math.log10(1 + gap_s / _SHORTEST_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Where the values of one panel fall between two x positions."""

    panel: Panel
    left: float
    right: float

    def x(self, value: float) -> float:
        """Return the x of a value; between known values it is interpolated, outside it is the nearest edge."""
        distinct, places = self.panel.distinct, self.panel.places
        if len(distinct) == 1:
            return (self.left + self.right) / 2
        unit = (self.right - self.left) / places[-1]
        at = bisect_left(distinct, value)
        if at == 0:
            return self.left
        if at == len(distinct):
            return self.right
        share = (value - distinct[at - 1]) / (distinct[at] - distinct[at - 1])
        return self.left + unit * (places[at - 1] + share * (places[at] - places[at - 1]))

    def inset(self, value: float) -> float:
        """Return the x of a value with a margin on both sides, so that marks do not sit on the panel's edges."""
        share = (self.x(value) - self.left) / (self.right - self.left)
        return self.left + _INSET + share * (self.right - self.left - 2 * _INSET)


def panels(
    timeline: Sequence[TimelinePart], first: TimelinePart | None, cited: Citations
) -> tuple[Panel, ...]:
    """Return the panels, the one with the first fault first, then the fuller ones."""
    groups: dict[tuple[str, str], list[TimelinePart]] = {}
    for entry in timeline:
        groups.setdefault(_clock(entry, cited), []).append(entry)
    ordered = sorted(
        groups, key=lambda key: (first is None or first not in groups[key], -len(groups[key]), key)
    )
    kept = ordered if len(ordered) <= MAX_PANELS else ordered[: MAX_PANELS - 1]
    found = [_panel(key, groups[key], cited) for key in kept]
    left = [entry for key in ordered[len(kept) :] for entry in groups[key]]
    if left:
        found.append(_gathered(left, len(ordered) - len(kept)))
    return tuple(found)


def scales(found: Sequence[Panel], left: float, right: float, gap: float) -> tuple[Scale, ...]:
    """Return the panels laid side by side between two x positions; each gets room by what it holds."""
    weights = [max(2.0, math.sqrt(panel.places[-1] + len(panel.entries))) for panel in found]
    room = right - left - gap * (len(found) - 1)
    at = left
    placed: list[Scale] = []
    for panel, weight in zip(found, weights, strict=True):
        width = room * weight / sum(weights)
        placed.append(Scale(panel=panel, left=at, right=at + width))
        at += width + gap
    return tuple(placed)


def _clock(entry: TimelinePart, cited: Citations) -> tuple[str, str]:
    if entry.at is not None:
        return ("utc", "")
    part = cited.first_of(entry.evidence)
    path = part.path if part else ""
    return ("uptime", path) if entry.uptime_s is not None else ("position", path)


def _panel(key: tuple[str, str], entries: Sequence[TimelinePart], cited: Citations) -> Panel:
    clock, path = key
    name = one_line(path, 60) or "an unnamed source"
    read = {"utc": _utc, "uptime": _uptime}.get(clock)
    values = tuple(read(entry) for entry in entries) if read else _lines(entries, cited)
    captions: Mapping[str, str] = {
        "utc": "wall clock",
        "uptime": f"uptime, {name}",
        "position": f"order of lines, {name}",
    }
    caption = captions[clock]
    if clock == "utc":
        earliest = min(entry.at for entry in entries if entry.at is not None)
        caption = f"wall clock, from {moment(earliest)}"
    return Panel(
        clock=clock, caption=caption, entries=tuple(entries), values=values, is_time=clock != "position"
    )


def _gathered(entries: Sequence[TimelinePart], clocks: int) -> Panel:
    return Panel(
        clock="other",
        caption=f"{clocks} other files, no common clock",
        entries=tuple(entries),
        values=tuple(float(number) for number in range(len(entries))),
        is_time=False,
    )


def _utc(entry: TimelinePart) -> float:
    return entry.at.timestamp() if entry.at is not None else 0.0


def _uptime(entry: TimelinePart) -> float:
    return entry.uptime_s or 0.0


def _lines(entries: Sequence[TimelinePart], cited: Citations) -> tuple[float, ...]:
    parts = [cited.first_of(entry.evidence) for entry in entries]
    return tuple(float(part.line_start) if part else 0.0 for part in parts)
