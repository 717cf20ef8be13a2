"""Adds up the differences that `dmesg -H` and `dmesg -d` print instead of times."""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from firstfault.tools.evidence import Document
from firstfault.tools.stamps.boots import LARGE_LOG_BYTES
from firstfault.tools.stamps.calendar import Calendar
from firstfault.tools.stamps.captures import MONTHS
from firstfault.tools.stamps.moments import ANY_YEAR, Moment

_BASE = re.compile(r"^\[(?P<b>[A-Z][a-z]{2})\s?(?P<d>\d{1,2}) (?P<H>\d\d):(?P<M>\d\d)\] ")
_DELTA = re.compile(r"^(?P<raw>\[\s*\+(?P<s>\d{1,9}\.\d{1,9})\])")
_MINUTE_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """The time of one line, as far as the differences before it give one."""

    raw: str
    at: datetime | None
    uncertainty_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Deltas:
    """The running sum of one document, by line; empty when the document prints no differences."""

    by_line: dict[int, Delta] = field(default_factory=dict[int, Delta])

    @staticmethod
    def of(document: Document, calendar: Calendar) -> "Deltas":
        """Return the summed times of all lines; a base such as `[Aug19 02:04]` is exact to the minute."""
        by_line: dict[int, Delta] = {}
        base: datetime | None = None
        since_base_s = 0.0
        if document.body.size > LARGE_LOG_BYTES:
            return Deltas()
        for number, line in enumerate(document.lines, start=1):
            start = _BASE.match(line)
            if start is not None:
                base, since_base_s = _settled(start, calendar), 0.0
                by_line[number] = Delta(raw=start[0].strip(), at=base, uncertainty_s=_MINUTE_S)
                continue
            delta = _DELTA.match(line)
            if delta is not None:
                since_base_s += float(delta["s"])
                at = None if base is None else base + timedelta(seconds=since_base_s)
                by_line[number] = Delta(
                    raw=delta["raw"], at=at, uncertainty_s=None if base is None else _MINUTE_S
                )
        return Deltas(by_line=by_line)

    def of_line(self, number: int, line: str) -> Delta | None:
        """Return the time of line `number`, or None when it prints no difference."""
        return self.by_line.get(number) if line.startswith("[") else None


def _settled(match: re.Match[str], calendar: Calendar) -> datetime | None:
    month = MONTHS.get(match["b"])
    if month is None:
        return None
    try:
        local = datetime(ANY_YEAR, month, int(match["d"]), int(match["H"]), int(match["M"]), tzinfo=UTC)
    except ValueError:
        return None
    return calendar.settle(
        Moment(
            raw=match[0],
            dialect="dmesg_human",
            local=local.replace(tzinfo=None),
            has_year=False,
            resolution_s=_MINUTE_S,
        )
    )[0]
