"""How far the reading of a recording is, for whoever shows it."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How much of a recording was read. Units: files, bytes, lines."""

    files: int = 0
    size: int = 0
    lines: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        """Return both together."""
        return Tally(
            files=self.files + other.files, size=self.size + other.size, lines=self.lines + other.lines
        )


class Progress(Protocol):
    """Is told how far the reading of a recording is; only ever from the thread that opened it."""

    def begin(self, total: Tally) -> None:
        """Take what lies ahead: files and bytes; lines are not known yet."""
        ...

    def advance(self, done: Tally) -> None:
        """Take everything that was read so far."""
        ...

    def end(self) -> None:
        """Leave nothing on the screen."""
        ...


class Silent:
    """Shows nothing: for pipes, tests and servers."""

    def begin(self, total: Tally) -> None:
        """Take what lies ahead."""

    def advance(self, done: Tally) -> None:
        """Take what was read."""

    def end(self) -> None:
        """Do nothing."""


SILENT = Silent()
