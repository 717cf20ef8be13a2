"""Shares and their Wilson intervals, against published and hand-computed values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstfault.evals.shares import Share, share_of, wilson


@pytest.mark.parametrize(
    ("hits", "total", "low", "high"),
    [
        # Newcombe, Statistics in Medicine 17 (1998), table I, method 3 (score, no continuity correction).
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_the_interval_agrees_with_published_values(hits: int, total: int, low: float, high: float) -> None:
    assert wilson(hits, total) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 500).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total))))
def test_the_interval_holds_the_share_and_stays_a_share(counted: tuple[int, int]) -> None:
    low, high = wilson(*counted)
    assert 0.0 <= low <= counted[0] / counted[1] + 1e-12
    assert counted[0] / counted[1] - 1e-12 <= high <= 1.0


def test_marks_that_are_none_do_not_count() -> None:
    assert share_of([True, None, False, True]) == Share(hits=2, total=3)


def test_a_share_of_nothing_is_not_zero() -> None:
    nothing = share_of([None, None])
    assert (nothing.value, nothing.interval, str(nothing)) == (None, (0.0, 1.0), "–")


def test_a_share_prints_count_percent_and_interval() -> None:
    assert str(Share(hits=81, total=263)) == "81/263 31 % [26–37]"
