"""The swim-lane picture of a timeline: entities from top to bottom, time from left to right. Pure.

The first fault is a diamond with its name; causes, echoes and symptoms differ in form as well as in colour; signals
that fall on one spot are one mark with their number. A horizontal bar is the uncertainty of a time.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from firstfault.agent.render.citations import citations
from firstfault.agent.render.phrases import entity, seconds, when
from firstfault.agent.render.safety import cut, one_line
from firstfault.agent.render.sequence import first_entry
from firstfault.agent.render.timeline.lanes import Lanes, lanes
from firstfault.agent.render.timeline.panels import Panel, Scale, panels, scales
from firstfault.agent.render.timeline.shapes import Box, Mark, Picture, Shape, Stroke, Tone, Words, text_width
from firstfault.agent.report.contract import Report, TimelinePart

WIDTH = 1080.0
_LEFT, _RIGHT = 210.0, WIDTH - 24.0
_TOP, _LANE, _LEGEND = 56.0, 30.0, 34.0
_PANEL_GAP, _INSET = 26.0, 16.0
_NEAR = 14.0
"""Marks of one lane and role that are nearer than this to the last one become one bar."""
_WHISKER = 9.0
"""A shorter bar of uncertainty would hide under its mark."""
_TICK_SIZE, _LABEL_SIZE = 11.0, 11.5
_EXACT_BELOW_S = 1000.0
"""Offsets below this that would read alike are shown to the millisecond."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spot:
    """Signals drawn as one mark."""

    x: float
    x2: float
    lane: int
    tone: Tone
    entries: tuple[TimelinePart, ...]


def timeline_picture(report: Report) -> Picture | None:
    """Return the picture, None when the report has no timeline."""
    if not report.timeline:
        return None
    cited, first = citations(report), first_entry(report)
    rows = lanes(report.timeline, first)
    placed = scales(panels(report.timeline, first, cited), _LEFT, _RIGHT, _PANEL_GAP)
    spots = [spot for scale in placed for spot in _spots(scale, rows, first)]
    height = _TOP + _LANE * len(rows.labels) + _LEGEND
    shapes: list[Shape] = [
        *_bands(rows),
        *(shape for scale in placed for shape in _axis(scale, first, height - _LEGEND)),
        *(shape for scale in placed for shape in _whiskers(scale, rows)),
        *_marks(spots),
        *_labels(spots, placed),
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
        top = _TOP + number * _LANE
        if number % 2 == 0:
            yield Box(x=0, y=top, width=WIDTH, height=_LANE, tone=Tone.BAND)
        yield Words(x=12, y=top + _LANE / 2 + 4, text=label, tone=Tone.INK, size=12, bold=number == 0)


def _axis(scale: Scale, first: TimelinePart | None, bottom: float) -> Iterator[Shape]:
    room = scale.right - scale.left
    letters = int(room / (_TICK_SIZE * 0.56))
    yield Words(x=scale.left, y=16, text=cut(scale.panel.caption, letters), tone=Tone.MUTED, size=_TICK_SIZE)
    yield Stroke(x1=scale.left, y1=_TOP, x2=scale.right, y2=_TOP, tone=Tone.MUTED)
    if scale.left > _LEFT:
        middle = scale.left - _PANEL_GAP / 2
        yield Stroke(x1=middle, y1=8, x2=middle, y2=bottom, tone=Tone.MUTED, dashed=True)
    for x, text in _ticks(scale, first):
        yield Stroke(x1=x, y1=_TOP - 5, x2=x, y2=bottom, tone=Tone.GRID)
        yield Words(x=x, y=_TOP - 10, text=text, tone=Tone.MUTED, size=_TICK_SIZE, anchor="middle")


def _ticks(scale: Scale, first: TimelinePart | None) -> Iterator[tuple[float, str]]:
    """Yield tick places and texts that do not overlap, the first fault's own first."""
    panel = scale.panel
    origin = _origin(panel, first)
    wanted = sorted(panel.distinct, key=lambda value: (value != origin, value))
    taken: list[tuple[float, float]] = []
    for value in wanted:
        x, text = _inset(scale, value), _tick_text(panel, value, origin)
        half = text_width(text, _TICK_SIZE) / 2 + 5
        if all(x + half < left or x - half > right for left, right in taken):
            taken.append((x - half, x + half))
            yield x, text


def _tick_text(panel: Panel, value: float, origin: float) -> str:
    if panel.clock == "position":
        return f"line {value:.0f}"
    if not panel.is_time:
        return f"{value + 1:.0f}"
    offset = value - origin
    text = seconds(offset)
    twins = [other for other in panel.distinct if other != value and seconds(other - origin) == text]
    if twins and abs(offset) < _EXACT_BELOW_S:
        text = f"{offset:.3f} s"
    return text if offset <= 0 else f"+{text}"


def _origin(panel: Panel, first: TimelinePart | None) -> float:
    if first is not None and first in panel.entries:
        return panel.values[panel.entries.index(first)]
    return panel.distinct[0]


def _inset(scale: Scale, value: float) -> float:
    share = (scale.x(value) - scale.left) / (scale.right - scale.left)
    return scale.left + _INSET + share * (scale.right - scale.left - 2 * _INSET)


def _spots(scale: Scale, rows: Lanes, first: TimelinePart | None) -> list[_Spot]:
    """Return the marks of one panel; near ones of one lane and tone are one mark."""
    groups: dict[tuple[int, Tone], list[list[tuple[float, TimelinePart]]]] = {}
    by_value = sorted(zip(scale.panel.values, scale.panel.entries, strict=True), key=lambda pair: pair[0])
    for value, entry in by_value:
        tone = Tone.FIRST if entry is first else Tone(entry.role)
        runs = groups.setdefault((rows.lane_of[entry.entity], tone), [])
        x = _inset(scale, value)
        if runs and x - runs[-1][-1][0] < _NEAR:
            runs[-1].append((x, entry))
        else:
            runs.append([(x, entry)])
    return [
        _Spot(x=run[0][0], x2=run[-1][0], lane=lane, tone=tone, entries=tuple(entry for _, entry in run))
        for (lane, tone), runs in groups.items()
        for run in runs
    ]


def _whiskers(scale: Scale, rows: Lanes) -> Iterator[Shape]:
    if not scale.panel.is_time:
        return
    for value, entry in zip(scale.panel.values, scale.panel.entries, strict=True):
        spread = entry.uncertainty_s or 0.0
        left, right = _inset(scale, value - spread), _inset(scale, value + spread)
        if right - left > _WHISKER:
            y = _middle(rows.lane_of[entry.entity]) + 9
            yield Stroke(x1=left, y1=y, x2=right, y2=y, tone=Tone.MUTED, width=1.5)


def _marks(spots: Iterable[_Spot]) -> Iterator[Shape]:
    order = {Tone.CONTEXT: 0, Tone.SYMPTOM: 1, Tone.ECHO: 2, Tone.CAUSE: 3, Tone.FIRST: 4}
    for spot in sorted(spots, key=lambda spot: (order[spot.tone], spot.lane, spot.x)):
        count = sum(entry.count for entry in spot.entries)
        title = _title(spot, count)
        yield Mark(x=spot.x, x2=spot.x2, y=_middle(spot.lane), tone=spot.tone, count=count, title=title)


def _title(spot: _Spot, count: int) -> str:
    entry = spot.entries[0]
    word = "first fault" if spot.tone is Tone.FIRST else entry.role
    more = f" and {count - 1} more here" if count > 1 else ""
    return f"{word}: {one_line(entry.signal, 80)} on {cut(entity(entry.entity), 80)}, {when(entry)}{more}"


def _labels(spots: Sequence[_Spot], placed: Sequence[Scale]) -> Iterator[Shape]:
    """Yield the names of signals beside their marks, right or left, where there is room; each name once a lane."""
    named: set[tuple[int, str]] = set()
    taken: list[tuple[int, float, float]] = [(spot.lane, spot.x - 8, spot.x2 + 8) for spot in spots]
    for spot in sorted(spots, key=lambda spot: (spot.tone is not Tone.FIRST, spot.lane, spot.x)):
        signal = one_line(spot.entries[0].signal, 40)
        if spot.tone is Tone.CONTEXT or (spot.lane, signal) in named:
            continue
        words = f"first fault: {signal}" if spot.tone is Tone.FIRST else signal
        width = text_width(words, _LABEL_SIZE)
        edge = next((s.right for s in placed if s.left <= spot.x <= s.right), _RIGHT) + _PANEL_GAP / 2
        sides = ((spot.x2 + 12, spot.x2 + 14 + width), (spot.x - 14 - width, spot.x - 12))
        for at, (left, right) in enumerate(sides):
            if left >= _LEFT and right <= edge and not _meets(taken, spot.lane, left, right):
                taken.append((spot.lane, left, right))
                named.add((spot.lane, signal))
                yield _name(spot, words, right=at == 0)
                break


def _meets(taken: Sequence[tuple[int, float, float]], lane: int, left: float, right: float) -> bool:
    return any(other == lane and left < end and right > start for other, start, end in taken)


def _name(spot: _Spot, words: str, *, right: bool) -> Words:
    return Words(
        x=spot.x2 + 13 if right else spot.x - 13,
        y=_middle(spot.lane) + 4,
        text=words,
        tone=spot.tone if spot.tone is Tone.FIRST else Tone.INK,
        size=_LABEL_SIZE,
        anchor="start" if right else "end",
        bold=spot.tone is Tone.FIRST,
    )


def _legend(height: float, spots: Sequence[_Spot], placed: Sequence[Scale]) -> Iterator[Shape]:
    words = {
        Tone.FIRST: "first fault",
        Tone.CAUSE: "cause",
        Tone.ECHO: "echo of it",
        Tone.SYMPTOM: "symptom",
        Tone.CONTEXT: "context",
    }
    used = {spot.tone for spot in spots}
    x, y = _LEFT, height - 14
    for tone, text in words.items():
        if tone in used:
            yield Mark(x=x, x2=x, y=y - 4, tone=tone, count=1, title=text)
            yield Words(x=x + 13, y=y, text=text, tone=Tone.MUTED, size=_TICK_SIZE)
            x += 13 + text_width(text, _TICK_SIZE) + 22
    notes = ["spacing grows with the logarithm of time"] if any(scale.panel.is_time for scale in placed) else []
    notes += ["panels share no clock"] if len(placed) > 1 else []
    note = "; ".join(notes) or "spacing means order only"
    yield Words(x=_RIGHT, y=y, text=note, tone=Tone.MUTED, size=_TICK_SIZE, anchor="end")


def _description(report: Report, first: TimelinePart | None, placed: Sequence[Scale]) -> str:
    roles = {role: sum(entry.role == role for entry in report.timeline) for role in ("echo", "symptom", "context")}
    counted = ", ".join(f"{number} {role}" for role, number in roles.items() if number)
    start = f"First fault: {one_line(first.signal, 80)} on {entity(first.entity)}, {when(first)}." if first else "No first fault."
    return f"{start} {len(report.timeline)} entries ({counted or 'no others'}) on {len(placed)} clocks."


def _middle(lane: int) -> float:
    return _TOP + lane * _LANE + _LANE / 2
