"""How far the reading of a recording is, on one line of a terminal."""

import sys
import time
from collections.abc import Callable
from typing import TextIO

from firstfault.tools.recording.progress import SILENT, Progress, Tally

_CLEAR = "\r\x1b[2K"
_EVERY_S = 0.1
_MB = 1_000_000


def reading_progress(stream: TextIO | None = None) -> Progress:
    """Return a line on stderr, or nothing when stderr is no terminal."""
    target = sys.stderr if stream is None else stream
    return ReadingLine(target, time.monotonic) if target.isatty() else SILENT


class ReadingLine:
    """Shows files, bytes, lines and the seconds that are left. clock: seconds that never go back."""

    def __init__(self, stream: TextIO, clock: Callable[[], float]) -> None:
        self._stream = stream
        self._clock = clock
        self._total = Tally()
        self._begun_s = 0.0
        self._shown_s = float("-inf")

    def begin(self, total: Tally) -> None:
        """Take what lies ahead."""
        self._total, self._begun_s = total, self._clock()

    def advance(self, done: Tally) -> None:
        """Show what was read, at most ten times a second."""
        now_s = self._clock()
        if now_s - self._shown_s >= _EVERY_S:
            self._shown_s = now_s
            self._write(_CLEAR + self.text(done, now_s - self._begun_s))

    def end(self) -> None:
        """Leave nothing on the screen."""
        self._write(_CLEAR)

    def text(self, done: Tally, elapsed_s: float) -> str:
        """Return the line: `read 12 of 40 files, 312 of 1,024 MB, 1,203,000 lines, 4 s left`."""
        total = self._total
        left_s = elapsed_s / done.size * (total.size - done.size) if done.size else 0.0
        return (
            f"read {done.files:,} of {total.files:,} files, {done.size // _MB:,} of {total.size // _MB:,} MB, "
            f"{done.lines:,} lines, {left_s:.0f} s left"
        )

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
