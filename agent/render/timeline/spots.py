"""Signals as marks on the lanes, with their names where there is room. Near ones of one lane and role are one bar."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from firstfault.agent.render.phrases import entity, when
from firstfault.agent.render.safety import cut, one_line
from firstfault.agent.render.timeline.grid import LABEL_SIZE, LEFT, PANEL_GAP, RIGHT, middle
from firstfault.agent.render.timeline.lanes import Lanes
from firstfault.agent.render.timeline.panels import Scale
from firstfault.agent.render.timeline.shapes import FIRST_WORDS, Mark, Shape, Tone, Words, text_width
from firstfault.agent.report.contract import TimelinePart

NEAR = 14.0
"""Marks of one lane and role that are nearer than this to the last one become one bar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Signals drawn as one mark, from x to x2."""

    x: float
    x2: float
    lane: int
    tone: Tone
    entries: tuple[TimelinePart, ...]


def spots_of(scale: Scale, rows: Lanes, first: TimelinePart | None, first_tone: Tone) -> list[Spot]:
    """Return the marks of one panel; near ones of one lane and tone are one mark."""
    groups: dict[tuple[int, Tone], list[list[tuple[float, TimelinePart]]]] = {}
    by_value = sorted(zip(scale.panel.values, scale.panel.entries, strict=True), key=lambda pair: pair[0])
    for value, entry in by_value:
        tone = first_tone if entry is first else Tone(entry.role)
        runs = groups.setdefault((rows.lane_of(entry.entity), tone), [])
        x = scale.inset(value)
        if runs and x - runs[-1][-1][0] < NEAR:
            runs[-1].append((x, entry))
        else:
            runs.append([(x, entry)])
    return [
        Spot(x=run[0][0], x2=run[-1][0], lane=lane, tone=tone, entries=tuple(entry for _, entry in run))
        for (lane, tone), runs in groups.items()
        for run in runs
    ]


def marks(spots: Iterable[Spot]) -> Iterator[Shape]:
    """Yield the marks, what matters most painted last."""
    order = {Tone.CONTEXT: 0, Tone.SYMPTOM: 1, Tone.ECHO: 2, Tone.CAUSE: 3}
    for spot in sorted(spots, key=lambda spot: (order.get(spot.tone, len(order)), spot.lane, spot.x)):
        count = sum(entry.count for entry in spot.entries)
        title = _title(spot, count)
        yield Mark(x=spot.x, x2=spot.x2, y=middle(spot.lane), tone=spot.tone, count=count, title=title)


def _title(spot: Spot, count: int) -> str:
    entry = spot.entries[0]
    word = FIRST_WORDS.get(spot.tone, entry.role)
    more = f" and {count - 1} more here" if count > 1 else ""
    return f"{word}: {one_line(entry.signal, 80)} on {cut(entity(entry.entity), 80)}, {when(entry)}{more}"


def labels(spots: Sequence[Spot], placed: Sequence[Scale]) -> Iterator[Shape]:
    """Yield the names of signals beside their marks, right or left, where there is room; each name once a lane."""
    named: set[tuple[int, str]] = set()
    taken: list[tuple[int, float, float]] = [(spot.lane, spot.x - 8, spot.x2 + 8) for spot in spots]
    for spot in sorted(spots, key=lambda spot: (spot.tone not in FIRST_WORDS, spot.lane, spot.x)):
        signal = one_line(spot.entries[0].signal, 40)
        if spot.tone is Tone.CONTEXT or (spot.lane, signal) in named:
            continue
        words = f"{FIRST_WORDS[spot.tone]}: {signal}" if spot.tone in FIRST_WORDS else signal
        width = text_width(words, LABEL_SIZE)
        edge = next((s.right for s in placed if s.left <= spot.x <= s.right), RIGHT) + PANEL_GAP / 2
        starts = [spot.x2 + 13, spot.x - 13 - width]
        if spot.tone in FIRST_WORDS:
            starts += sorted(end + 5 for lane, _, end in taken if lane == spot.lane and end > spot.x2)
        for left in starts:
            if (
                left >= LEFT
                and left + width <= edge
                and not _meets(taken, spot.lane, left - 1, left + width + 1)
            ):
                taken.append((spot.lane, left - 1, left + width + 1))
                named.add((spot.lane, signal))
                yield _name(spot, words, left)
                break


def _meets(taken: Sequence[tuple[int, float, float]], lane: int, left: float, right: float) -> bool:
    return any(other == lane and left < end and right > start for other, start, end in taken)


def _name(spot: Spot, words: str, left: float) -> Words:
    is_before = left < spot.x
    return Words(
        x=spot.x - 13 if is_before else left,
        y=middle(spot.lane) + 4,
        text=words,
        tone=spot.tone if spot.tone in FIRST_WORDS else Tone.INK,
        size=LABEL_SIZE,
        anchor="end" if is_before else "start",
        bold=spot.tone in FIRST_WORDS,
    )
