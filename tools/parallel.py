"""Does one thing to many items, several at a time, with the results in order."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Done = TypeVar("Done")

MOST_WORKERS = 8
"""More than this only fight over the disk; a choice. Hashing, unpacking and scanning run beside each other."""


LARGE_ITEM = 256 * 1024
"""From this size on reading, hashing and scanning happen mostly outside the interpreter's lock. Units: bytes. Measured: of
smaller items threads only wait for each other, ten thousand of them longer than they work."""


def workers_for(size: int, count: int) -> int | None:
    """Return how many workers pay for `count` items of `size` bytes in all: one for small items, None for all there are."""
    return None if size >= LARGE_ITEM * count else 1


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
