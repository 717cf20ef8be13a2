"""Splits a kernel log into boots and ties their uptimes to a wall clock where one line shows both."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache

from firstfault.tools.evidence import Document, decode
from firstfault.tools.scan.engine import Scanner
from firstfault.tools.stamps.calendar import Calendar
from firstfault.tools.stamps.dialects import moments

_UPTIME = re.compile(r"\[\s*(\d{1,9}\.\d{3,9})\s*\]")
_HEAD_CHARS = 96
_NEW_BOOT = "Linux version "
_ANCHOR_MARKS = ("audit(", "setting system clock", " kernel: [")
_BACKWARDS_S = 5.0
"""Processors print slightly out of order; only a larger step back is a new boot."""
_HEAD_BYTES = 1 << 20
LARGE_LOG_BYTES = 16 * 1024 * 1024
"""Larger logs are only looked through for marks: their lines do not fit into flat memory. One whose head prints no
uptime is no kernel log and is not read again."""
BOOT_MARKS = ("Linux version ", "audit(", "setting system clock")
"""What the lines hold that start a boot or show two clocks."""

MarkedLines = Callable[[Document], Iterable[tuple[int, str]]]
"""Gives (number, line) of the lines of a document that hold one of `BOOT_MARKS`, in order."""


@dataclass(slots=True, kw_only=True)
class Boot:
    """One run of a kernel inside a document. series: `path#boot1`, what makes its uptimes comparable."""

    series: str
    first_line: int
    anchor_line: int = 0
    anchor_uptime_s: float = 0.0
    anchor_at: datetime | None = None

    def at(self, uptime_s: float) -> tuple[datetime, float] | None:
        """Return the wall clock of an uptime and its distance from the anchor in seconds, or None without one."""
        if self.anchor_at is None:
            return None
        try:
            return self.anchor_at + timedelta(seconds=uptime_s - self.anchor_uptime_s), abs(
                uptime_s - self.anchor_uptime_s
            )
        except OverflowError:
            return None


@dataclass(slots=True, kw_only=True)
class Boots:
    """The boots of one document, in line order; there is always one."""

    boots: list[Boot] = field(default_factory=list[Boot])

    @staticmethod
    def of(document: Document, calendar: Calendar, marked: MarkedLines | None = None) -> "Boots":
        """Return the boots that `document` holds. marked: gives the marked lines of a large one, if they are at hand."""
        found = Boots(boots=[Boot(series=f"{document.path}#boot1", first_line=1)])
        last_uptime_s: float | None = None
        for number, line in _candidate_lines(document, marked or _marked_lines):
            match = _UPTIME.search(line, 0, _HEAD_CHARS)
            if match is None:
                continue
            uptime_s = float(match[1])
            is_back = last_uptime_s is not None and uptime_s < last_uptime_s - _BACKWARDS_S
            if last_uptime_s is not None and (is_back or (_NEW_BOOT in line and uptime_s < _BACKWARDS_S)):
                found.boots.append(
                    Boot(series=f"{document.path}#boot{len(found.boots) + 1}", first_line=number)
                )
            last_uptime_s = uptime_s
            _anchor(found.boots[-1], number, line, uptime_s, calendar)
        return found

    def of_line(self, number: int) -> Boot:
        """Return the boot that line `number` belongs to."""
        return self.boots[max(bisect_right([boot.first_line for boot in self.boots], number) - 1, 0)]


def _anchor(boot: Boot, number: int, line: str, uptime_s: float, calendar: Calendar) -> None:
    """Keep the latest line of the boot that shows both clocks: by then the wall clock has been set right."""
    if not any(mark in line for mark in _ANCHOR_MARKS):
        return
    walls = [moment for moment in moments(line) if moment.local is not None]
    for moment in sorted(walls, key=lambda wall: wall.rank, reverse=True):
        at, _ = calendar.settle(moment)
        if at is not None:
            boot.anchor_line, boot.anchor_uptime_s, boot.anchor_at = number, uptime_s, at
            return


def _candidate_lines(document: Document, marked: MarkedLines) -> Iterable[tuple[int, str]]:
    if document.body.size <= LARGE_LOG_BYTES:
        return enumerate(document.lines, start=1)
    with document.body.open() as stream:
        is_kernel_log = _UPTIME.search(decode(stream.read(_HEAD_BYTES)))
    return marked(document) if is_kernel_log else ()


def _marked_lines(document: Document) -> Iterator[tuple[int, str]]:
    with document.body.open() as stream:
        for hit in _boot_scanner().hits(stream, document.body.size):
            yield hit.line, hit.text


@cache
def _boot_scanner() -> Scanner:
    return Scanner([re.compile(re.escape(mark), re.ASCII) for mark in BOOT_MARKS])
