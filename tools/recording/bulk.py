"""Works through many files at once, in order, and tells how far it is."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol, TypeVar

Item = TypeVar("Item")
Done = TypeVar("Done")

MOST_WORKERS = 8
"""More readers than this only fight over the disk; a choice. Hashing and unpacking run beside each other."""


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


def in_order(
    work: Callable[[Item], Done], items: Sequence[Item], *, workers: int | None = None
) -> Iterator[Done]:
    """Yield `work(item)` for every item, in order, several at a time.

    An exception or an interrupt drops what was not begun, waits for what was, and goes on up: nothing is left running.
    """
    count = min(workers or os.cpu_count() or 1, MOST_WORKERS, len(items))
    if count <= 1:
        yield from map(work, items)
        return
    pool = ThreadPoolExecutor(count, thread_name_prefix="read")
    waiting: list[Future[Done]] = [pool.submit(work, item) for item in items]
    try:
        for future in waiting:
            yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)
