"""Gives the lines of records that go over several lines the time of their record: printed JSON, exported journals."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from firstfault.tools.evidence import Document
from firstfault.tools.stamps.dialects import moments
from firstfault.tools.stamps.moments import Moment

_MAX_BYTES = 16 * 1024 * 1024
_MAX_LEVELS_UP = 2
_EXPORT_TIME = "__REALTIME_TIMESTAMP="
_SNIFF_CHARS = 4096
_OPENS = re.compile(r"[\[{]\s*$")
_CLOSES = re.compile(r"^\s*[\]}]")
_TIME_KEY = re.compile(
    r'^\s*"(?:timestamp|@timestamp|time|ts|date|eventTime|lastTimestamp|last_time|lastTransitionTime|finishedAt|finished_at|'
    r'requestReceivedTimestamp|activeAt|startsAt)"\s*:\s*"?(?P<value>\d[^",]{7,40})'
)
"""Keys that say when the record happened; creation and start times of objects say something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordTimes:
    """The time of every line's innermost record that has one, 1-based; empty when the document is no such text."""

    by_line: tuple[Moment | None, ...] = ()

    @staticmethod
    def of(document: Document) -> "RecordTimes":
        """Return the record times of a JSON text printed over several lines, or of an exported journal."""
        if document.body.size > _MAX_BYTES:
            return RecordTimes()
        if _EXPORT_TIME in document.text[:_SNIFF_CHARS]:
            return RecordTimes(by_line=tuple(_export_times(document.lines)))
        if document.text.lstrip()[:1] not in {"{", "["}:
            return RecordTimes()
        records = _Records()
        owners = [records.owner(line) for line in document.lines]
        return RecordTimes(by_line=tuple(records.time_of(owner) for owner in owners))

    def of_line(self, number: int) -> Moment | None:
        """Return the time of the record that line `number` is part of, or None."""
        return self.by_line[number - 1] if 1 <= number <= len(self.by_line) else None


def _export_times(lines: Sequence[str]) -> Iterator[Moment | None]:
    """Yield the time of the block that each line stands in; an empty line ends a block (`journalctl -o export`)."""
    start = 0
    while start < len(lines):
        end = (
            next((index for index in range(start, len(lines)) if not lines[index].strip()), len(lines) - 1)
            + 1
        )
        marked = next((line for line in lines[start:end] if line.startswith(_EXPORT_TIME)), None)
        found = moments(marked) if marked is not None else ()
        yield from (found[0] if found else None for _ in range(start, end))
        start = end


class _Records:
    """Follows the brackets at line ends, which is how printers of JSON break lines."""

    def __init__(self) -> None:
        self._parents: list[int] = [0]
        self._times: dict[int, Moment] = {}
        self._stack: list[int] = [0]

    def owner(self, line: str) -> int:
        """Return the record that `line` is part of and take in what it opens, closes and says."""
        current = self._stack[-1]
        if _CLOSES.match(line) and len(self._stack) > 1:
            self._stack.pop()
        if _OPENS.search(line):
            self._parents.append(self._stack[-1])
            self._stack.append(len(self._parents) - 1)
            current = self._stack[-1]
        match = _TIME_KEY.match(line)
        if match is not None and current not in self._times:
            found = moments(match["value"])
            if found:
                self._times[current] = found[0]
        return current

    def time_of(self, record: int) -> Moment | None:
        """Return the time of `record` or of one close around it."""
        return next((self._times[owner] for owner in self._line_up(record) if owner in self._times), None)

    def _line_up(self, record: int) -> Iterator[int]:
        owner = record
        for _ in range(_MAX_LEVELS_UP + 1):
            yield owner
            owner = self._parents[owner]
