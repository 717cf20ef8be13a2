"""Many items are worked on beside each other, in order; an interrupt leaves nothing running."""

import threading

import pytest

from firstfault.tools.parallel import in_order


def test_results_come_in_order_whatever_finishes_first() -> None:
    first_may_go = threading.Event()

    def work(item: int) -> int:
        if item == 0:
            assert first_may_go.wait(5)
        else:
            first_may_go.set()
        return item * item

    assert list(in_order(work, range(6), workers=3)) == [0, 1, 4, 9, 16, 25]


def test_an_interrupt_drops_what_was_not_begun() -> None:
    seen: list[int] = []

    def work(item: int) -> int:
        seen.append(item)
        if item == 1:
            raise KeyboardInterrupt
        return item

    with pytest.raises(KeyboardInterrupt):
        list(in_order(work, range(10_000), workers=2))
    assert len(seen) < 10_000
    assert threading.active_count() < 20
