"""Ages are counted back from `now` where it is known and stay comparable with each other where it is not."""

from datetime import UTC, datetime

import pytest

from firstfault.tools.context import NO_CONTEXT, ReadContext
from firstfault.tools.stamps import age_of, age_stamp, span_of
from firstfault.tools.times import Clock, Order, order

NOW = ReadContext(opened_at=datetime(2026, 7, 20, 12, 0, tzinfo=UTC))


@pytest.mark.parametrize(
    ("cell", "last_s", "count", "first_s"),
    [
        ("39m", 2340, 1, None),
        ("3m2s (x14 over 25m)", 182, 14, 1500),
        ("5h43m", 20580, 1, None),
        ("47m ago", 2820, 1, None),
        ("2 minutes ago", 120, 1, None),
        ("an hour ago", 3600, 1, None),
        ("21d", 1814400, 1, None),
        ("55s (x24 over 5m)", 55, 24, 300),
        ("12m (x3)", 720, 3, None),
        ("250ms", 0.25, 1, None),
        ("2y15d", 64368000, 1, None),
    ],
)
def test_an_age_is_read(cell: str, last_s: float, count: int, first_s: float | None) -> None:
    age = age_of(cell)
    assert age is not None
    assert (age.last.seconds, age.count) == (last_s, count)
    assert (age.first.seconds if age.first else None) == first_s


@pytest.mark.parametrize(
    "cell",
    ["", "<unknown>", "m", "5", "5 m", "ago", "5m5", "m5", "9" * 500 + "m", "1d" * 200, "5m (x over 3m)"],
)
def test_what_is_no_age_is_none(cell: str) -> None:
    assert age_of(cell) is None


def test_an_age_becomes_a_time_with_the_rounding_of_kubectl_in_its_uncertainty() -> None:
    span = span_of("39m")
    assert span is not None
    stamp = age_stamp(span, raw="39m", path="raw/e.txt", line=2, context=NOW)
    assert stamp.clock is Clock.UTC
    assert stamp.at == datetime(2026, 7, 20, 11, 20, 30, tzinfo=UTC)
    assert stamp.uncertainty_s == 90.0
    assert stamp.earliest is not None
    assert stamp.latest is not None
    assert stamp.earliest <= datetime(2026, 7, 20, 11, 20, 0, 1, tzinfo=UTC) <= stamp.latest
    assert stamp.assumption == "age counted back from opened_at"


def test_without_now_ages_of_one_text_are_ordered_and_of_two_texts_are_not() -> None:
    older, newer = span_of("39m"), span_of("34m")
    assert older is not None
    assert newer is not None
    first = age_stamp(older, raw="39m", path="a", line=9, context=NO_CONTEXT)
    second = age_stamp(newer, raw="34m", path="a", line=2, context=NO_CONTEXT)
    elsewhere = age_stamp(newer, raw="34m", path="b", line=2, context=NO_CONTEXT)
    assert first.at is None
    assert first.clock is Clock.POSITION
    assert order(first, second) is Order.BEFORE
    assert order(first, elsewhere) is Order.UNKNOWN


def test_an_age_before_all_time_has_no_wall_clock() -> None:
    span = span_of("999999999999y")
    assert span is not None
    assert age_stamp(span, raw="x", path="a", line=1, context=NOW).at is None
