"""Stamps the lines of one document: its own times where it has them, its position always."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from functools import cached_property

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document, decode
from firstfault.tools.kinds import Kind
from firstfault.tools.stamps.boots import LARGE_LOG_BYTES, Boots, MarkedLines
from firstfault.tools.stamps.calendar import Calendar
from firstfault.tools.stamps.deltas import Deltas
from firstfault.tools.stamps.dialects import moments
from firstfault.tools.stamps.moments import Moment
from firstfault.tools.stamps.records import RecordTimes
from firstfault.tools.times import Clock, Stamp

_SAMPLE_BYTES = 256 * 1024
_SAMPLE_LINES = 400
_NEIGHBOURS = 64
"""How many lines up and down a line without a stamp looks for one."""
_WIDEST_SPAN_S = 600.0
"""A wider gap between two neighbours says nothing about the line between them; a choice."""
_DRIFT_PER_S = 1e-4
"""How far a kernel's uptime may run from the wall clock: 100 parts in a million, the worst quartz in use."""
_BOOT_TIME_SLACK_S = 1.0
"""`dmesg -T` adds the uptime to one boot time and is not exact after a suspend (dmesg(1), option --ctime)."""


_CUT_OFF_STEP_S = 60.0

_LOG_KINDS = frozenset(
    {
        Kind.KERNEL_LOG, Kind.CONTAINER_LOG, Kind.KUBELET_LOG, Kind.RUNTIME_LOG, Kind.FABRIC_MANAGER_LOG, Kind.SYSLOG,
        Kind.JOURNAL, Kind.APPLICATION_LOG, Kind.PLAIN,
    }
)  # fmt: skip
"""Kinds that are appended to as time goes by, so that a line lies between its neighbours."""


def stamper(document: Document, context: ReadContext, marked: MarkedLines | None = None) -> "Stamper":
    """Return the stamper of `document`. marked: gives the lines that tell its boots, when they are at hand."""
    return Stamper(document, context, marked)


class Stamper:
    """Gives every line of one document a stamp: the same one whatever was asked before."""

    def __init__(self, document: Document, context: ReadContext, marked: MarkedLines | None = None) -> None:
        self._document = document
        self._marked = marked
        self._context = context
        self._near: dict[int, Stamp | None] = {}

    def stamp(self, line_number: int, line: str) -> Stamp:
        """Return the stamp of `line`, the 1-based `line_number` of the document; at least its position."""
        return (
            self._own_stamp(line_number, line, moments(line))
            or self._stamp_of_record(line_number)
            or self._stamp_between(line_number)
        )

    def _own_stamp(self, line_number: int, line: str, found: tuple[Moment, ...]) -> Stamp | None:
        uptime = next((moment for moment in found if moment.uptime_s is not None), None)
        wall = max(
            (moment for moment in found if moment.local is not None),
            key=lambda moment: moment.rank,
            default=None,
        )
        if uptime is not None:
            return self._uptime_stamp(line_number, uptime, wall)
        if wall is not None:
            return self._wall_stamp(line_number, wall, raw=found[0].raw)
        return self._delta_stamp(line_number, line)

    def _wall_stamp(self, line_number: int, wall: Moment, *, raw: str) -> Stamp:
        at, assumed = self.calendar.settle(wall)
        stamp = self._stamp(line_number, raw, at, _uncertainty_s(wall), assumed)
        if at is not None or wall.local is None:
            return stamp
        return replace(stamp, uptime_s=wall.seconds_of_year, series=f"{self._document.path}#year")

    def _uptime_stamp(self, line_number: int, uptime: Moment, wall: Moment | None) -> Stamp:
        boot = self._boots.of_line(line_number)
        at, assumed = (None, None) if wall is None else self.calendar.settle(wall)
        slack_s = uptime.resolution_s if wall is None else _uncertainty_s(wall)
        anchored = boot.at(uptime.uptime_s or 0.0) if at is None else None
        if anchored is not None:
            at, slack_s = anchored[0], _BOOT_TIME_SLACK_S + anchored[1] * _DRIFT_PER_S
            assumed = f"uptime tied to the wall clock of line {boot.anchor_line}"
        return Stamp(
            clock=Clock.UPTIME if at is None else Clock.UTC,
            raw=uptime.raw,
            at=at,
            uptime_s=uptime.uptime_s,
            uncertainty_s=slack_s,
            series=boot.series,
            position=line_number,
            assumption=assumed,
        )

    def _delta_stamp(self, line_number: int, line: str) -> Stamp | None:
        delta = self._deltas.of_line(line_number, line) if line.startswith("[") else None
        if delta is None:
            return None
        return self._stamp(
            line_number, delta.raw, delta.at, delta.uncertainty_s, "differences of `dmesg -H` added up"
        )

    def _stamp_of_record(self, line_number: int) -> Stamp | None:
        moment = self._records.of_line(line_number)
        if moment is None:
            return None
        at, assumed = self.calendar.settle(moment)
        note = "time of the record that the line is part of"
        return self._stamp(
            line_number, moment.raw, at, _uncertainty_s(moment), f"{note}; {assumed}" if assumed else note
        )

    def _stamp_between(self, line_number: int) -> Stamp:
        """Return the position, with the span between the stamped neighbours as its time when both are near."""
        above = self._neighbour(line_number, -1)
        below = self._neighbour(line_number, +1) if above is not None else None
        unknown = Stamp(clock=Clock.POSITION, raw="", series=self._document.path, position=line_number)
        if above is None or below is None or above.at is None or below.at is None:
            return unknown
        span_s = (below.at - above.at).total_seconds() + (above.uncertainty_s or 0.0)
        if not 0 <= span_s <= _WIDEST_SPAN_S:
            return unknown
        return Stamp(
            clock=Clock.POSITION,
            raw="",
            at=above.at,
            uncertainty_s=span_s,
            series=self._document.path,
            position=line_number,
            assumption=f"no time of its own: between lines {above.position} and {below.position}",
        )

    def _neighbour(self, line_number: int, step: int) -> Stamp | None:
        if not self._has_times or self._document.kind not in _LOG_KINDS:
            return None
        lines = self._document.lines
        last = min(max(line_number + step * _NEIGHBOURS, 0), len(lines) + 1)
        for number in range(line_number + step, last, step):
            if not 1 <= number <= len(lines):
                continue
            if number not in self._near:
                text = lines[number - 1]
                times = moments(text)
                self._near[number] = self._own_stamp(number, text, times) if times else None
            found = self._near[number]
            if found is not None:
                return found
        return None

    def _stamp(
        self, line: int, raw: str, at: datetime | None, uncertainty_s: float | None, assumed: str | None
    ) -> Stamp:
        return Stamp(
            clock=Clock.POSITION if at is None else Clock.UTC,
            raw=raw,
            at=at,
            uncertainty_s=uncertainty_s,
            series=self._document.path,
            position=line,
            assumption=assumed,
        )

    @cached_property
    def calendar(self) -> Calendar:
        """Return how the document's years and zones are settled."""
        in_container = self._document.kind is Kind.CONTAINER_LOG
        return Calendar.of(self._context, seen=self._complete_time, in_container=in_container)

    def _sample(self) -> Iterator[Moment]:
        """Yield the times in the first lines, as far as they are asked for: mostly one of the first has what is wanted."""
        with self._document.body.open() as stream:
            text = decode(stream.read(_SAMPLE_BYTES))
        for line in text.split("\n", _SAMPLE_LINES)[:_SAMPLE_LINES]:
            yield from moments(line)

    @cached_property
    def _has_times(self) -> bool:
        return self._document.body.size <= LARGE_LOG_BYTES and next(self._sample(), None) is not None

    @cached_property
    def _complete_time(self) -> datetime | None:
        complete = (moment for moment in self._sample() if moment.local is not None and moment.has_year)
        first = next(complete, None)
        return None if first is None else Calendar.of(self._context).settle(first)[0]

    @cached_property
    def _boots(self) -> Boots:
        return Boots.of(self._document, self.calendar, self._marked)

    @cached_property
    def _deltas(self) -> Deltas:
        return Deltas.of(self._document, self.calendar)

    @cached_property
    def _records(self) -> RecordTimes:
        return RecordTimes.of(self._document)


def _uncertainty_s(wall: Moment) -> float:
    """Return half the printed step; whole minutes and days are cut off, so the step itself."""
    if wall.dialect == "dmesg_t":
        return _BOOT_TIME_SLACK_S
    return wall.resolution_s if wall.resolution_s >= _CUT_OFF_STEP_S else wall.resolution_s / 2
