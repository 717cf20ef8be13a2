"""The time axis above each panel."""

from collections import Counter
from collections.abc import Iterator

from firstfault.agent.render.phrases import seconds
from firstfault.agent.render.safety import cut
from firstfault.agent.render.timeline.grid import LEFT, PANEL_GAP, TICK_SIZE, TOP
from firstfault.agent.render.timeline.panels import Panel, Scale
from firstfault.agent.render.timeline.shapes import LETTER, Shape, Stroke, Tone, Words, text_width
from firstfault.agent.report.contract import TimelinePart

_EXACT_BELOW_S = 1000.0
"""Offsets below this that would read alike are shown to the millisecond."""


def axis(scale: Scale, first: TimelinePart | None, bottom: float) -> Iterator[Shape]:
    """Yield the caption, the line and the ticks of one panel, and the divider to the panel on its left."""
    room = scale.right - scale.left
    letters = int(room / (TICK_SIZE * LETTER))
    yield Words(x=scale.left, y=16, text=cut(scale.panel.caption, letters), tone=Tone.MUTED, size=TICK_SIZE)
    yield Stroke(x1=scale.left, y1=TOP, x2=scale.right, y2=TOP, tone=Tone.MUTED)
    if scale.left > LEFT:
        divider = scale.left - PANEL_GAP / 2
        yield Stroke(x1=divider, y1=8, x2=divider, y2=bottom, tone=Tone.MUTED, dashed=True)
    for x, text in _ticks(scale, first):
        yield Stroke(x1=x, y1=TOP - 5, x2=x, y2=bottom, tone=Tone.GRID)
        yield Words(x=x, y=TOP - 10, text=text, tone=Tone.MUTED, size=TICK_SIZE, anchor="middle")


def _ticks(scale: Scale, first: TimelinePart | None) -> Iterator[tuple[float, str]]:
    """Yield tick places and texts that do not overlap, the first fault's own first."""
    panel = scale.panel
    origin = _origin(panel, first)
    wanted = sorted(panel.distinct, key=lambda value: (value != origin, value))
    alike = Counter(seconds(value - origin) for value in wanted)
    taken: list[tuple[float, float]] = []
    for value in wanted:
        x, text = scale.inset(value), _tick_text(panel, value - origin if panel.is_time else value, alike)
        half = text_width(text, TICK_SIZE) / 2 + 5
        if all(x + half < left or x - half > right for left, right in taken):
            taken.append((x - half, x + half))
            yield x, text


def _tick_text(panel: Panel, value: float, alike: Counter[str]) -> str:
    if panel.clock == "position":
        return f"line {value:.0f}"
    if not panel.is_time:
        return f"{value + 1:.0f}"
    text = seconds(value)
    if alike[text] > 1 and abs(value) < _EXACT_BELOW_S:
        text = f"{value:.3f} s"
    return text if value <= 0 else f"+{text}"


def _origin(panel: Panel, first: TimelinePart | None) -> float:
    if first is not None and first in panel.entries:
        return panel.values[panel.entries.index(first)]
    return panel.distinct[0]
