"""The swim-lane picture of a timeline: entities from top to bottom, time from left to right. Pure.

The first fault is a diamond with its name; causes, echoes and symptoms differ in form as well as in colour; signals
that fall on one spot are one mark with their number. A horizontal bar is the uncertainty of a time.
"""

from collections.abc import Iterator, Sequence

from firstfault.agent.render.citations import citations
from firstfault.agent.render.phrases import entity, when
from firstfault.agent.render.safety import one_line
from firstfault.agent.render.sequence import first_entry
from firstfault.agent.render.timeline.axes import axis
from firstfault.agent.render.timeline.grid import (
    LANE,
    LEFT,
    LEGEND,
    PANEL_GAP,
    RIGHT,
    TICK_SIZE,
    TOP,
    WIDTH,
    middle,
)
from firstfault.agent.render.timeline.lanes import Lanes, lanes
from firstfault.agent.render.timeline.panels import Scale, panels, scales
from firstfault.agent.render.timeline.shapes import (
    FIRST_WORDS,
    Box,
    Mark,
    Picture,
    Shape,
    Stroke,
    Tone,
    Words,
    text_width,
)
from firstfault.agent.render.timeline.spots import Spot, labels, marks, spots_of
from firstfault.agent.report.contract import Report, TimelinePart

_FIRST_TONES = {
    "CONFIRMED": Tone.FIRST,
    "LIKELY": Tone.FIRST,
    "INCONCLUSIVE": Tone.SIGN,
    "NO_FAULT": Tone.QUIET,
}
_WHISKER = 9.0
"""A shorter bar of uncertainty would hide under its mark."""


def timeline_picture(report: Report) -> Picture | None:
    """Return the picture, None when the report has no timeline."""
    if not report.timeline:
        return None
    cited, first = citations(report), first_entry(report)
    rows = lanes(report.timeline, first)
    placed = scales(panels(report.timeline, first, cited), LEFT, RIGHT, PANEL_GAP)
    spots = [spot for scale in placed for spot in spots_of(scale, rows, first, _FIRST_TONES[report.verdict])]
    height = TOP + LANE * len(rows.labels) + LEGEND
    shapes: list[Shape] = [
        *_bands(rows),
        *(shape for scale in placed for shape in axis(scale, first, height - LEGEND)),
        *(shape for scale in placed for shape in _whiskers(scale, rows)),
        *marks(spots),
        *labels(spots, placed),
        *_legend(height, spots, placed),
    ]
    return Picture(
        width=WIDTH,
        height=height,
        shapes=tuple(shapes),
        title=f"Timeline of {one_line(report.incident.id, 80)}",
        description=_description(report, first, placed),
    )


def _bands(rows: Lanes) -> Iterator[Shape]:
    for number, label in enumerate(rows.labels):
        top = TOP + number * LANE
        if number % 2 == 0:
            yield Box(x=0, y=top, width=WIDTH, height=LANE, tone=Tone.BAND)
        yield Words(x=12, y=top + LANE / 2 + 4, text=label, tone=Tone.INK, size=12, bold=number == 0)


def _whiskers(scale: Scale, rows: Lanes) -> Iterator[Shape]:
    if not scale.panel.is_time:
        return
    for value, entry in zip(scale.panel.values, scale.panel.entries, strict=True):
        spread = entry.uncertainty_s or 0.0
        left, right = scale.inset(value - spread), scale.inset(value + spread)
        if right - left > _WHISKER:
            y = middle(rows.lane_of(entry.entity)) + 9
            yield Stroke(x1=left, y1=y, x2=right, y2=y, tone=Tone.MUTED, width=1.5)


def _legend(height: float, spots: Sequence[Spot], placed: Sequence[Scale]) -> Iterator[Shape]:
    words = {
        **FIRST_WORDS,
        Tone.CAUSE: "cause",
        Tone.ECHO: "echo of it",
        Tone.SYMPTOM: "symptom",
        Tone.CONTEXT: "context",
    }
    used = {spot.tone for spot in spots}
    x, y = LEFT, height - 14
    for tone, text in words.items():
        if tone in used:
            yield Mark(x=x, x2=x, y=y - 4, tone=tone, count=1, title=text)
            yield Words(x=x + 13, y=y, text=text, tone=Tone.MUTED, size=TICK_SIZE)
            x += 13 + text_width(text, TICK_SIZE) + 22
    notes = (
        ["spacing grows with the logarithm of time"] if any(scale.panel.is_time for scale in placed) else []
    )
    notes += ["panels share no clock"] if len(placed) > 1 else []
    note = "; ".join(notes) or "spacing means order only"
    yield Words(x=RIGHT, y=y, text=note, tone=Tone.MUTED, size=TICK_SIZE, anchor="end")


def _description(report: Report, first: TimelinePart | None, placed: Sequence[Scale]) -> str:
    roles = {
        role: sum(entry.role == role for entry in report.timeline) for role in ("echo", "symptom", "context")
    }
    counted = ", ".join(f"{number} {role}" for role, number in roles.items() if number)
    word = FIRST_WORDS[_FIRST_TONES[report.verdict]].capitalize()
    start = (
        f"{word}: {one_line(first.signal, 80)} on {entity(first.entity)}, {when(first)}."
        if first
        else "No first fault."
    )
    return f"{start} {len(report.timeline)} entries ({counted or 'no others'}) on {len(placed)} clocks."
