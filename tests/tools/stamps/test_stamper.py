"""Uptimes are tied to the wall clock, boots are told apart, lines without a time take the place between their neighbours."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstfault.tools.context import NO_CONTEXT, ReadContext
from firstfault.tools.kinds import Kind
from firstfault.tools.stamps import stamper
from firstfault.tools.times import Clock, Order, Stamp, order
from tests.documents import document


def stamps(text: str, kind: Kind = Kind.KERNEL_LOG, context: ReadContext = NO_CONTEXT) -> list[Stamp]:
    held = document(text, kind)
    clock = stamper(held, context)
    return [clock.stamp(number, line) for number, line in enumerate(held.lines, start=1)]


def test_a_line_with_both_clocks_ties_the_uptimes_of_its_boot() -> None:
    first, anchor = stamps(
        "[  100.000000] NVRM: Xid (PCI:0000:3b:00): 79\n[  160.500000] audit: type=1400 audit(1750000000.500:1): x\n"
    )
    assert anchor.at == datetime.fromtimestamp(1750000000.5, tz=UTC)
    assert first.at == datetime.fromtimestamp(1750000000.0 - 60, tz=UTC)
    assert first.uptime_s == 100.0
    assert first.uncertainty_s == pytest.approx(1.00605)
    assert first.assumption == "uptime tied to the wall clock of line 2"


def test_syslog_lines_of_the_kernel_carry_both_clocks() -> None:
    (line,) = stamps("Jun 23 03:14:45 n kernel: [12345.678901] x\n", context=ReadContext(year=2026))
    assert line.at == datetime(2026, 6, 23, 3, 14, 45, tzinfo=UTC)


def test_two_boots_have_two_series_and_the_lines_keep_their_order() -> None:
    text = "[ 900.000000] a\n[ 901.000000] b\n[    0.000000] Linux version 6.8\n[    5.000000] c\n"
    _, second, third, fourth = stamps(text)
    assert second.series != third.series
    assert third.series == fourth.series
    assert order(second, fourth) is Order.BEFORE


def test_an_anchor_of_one_boot_says_nothing_about_another() -> None:
    text = "[ 900.000000] audit: type=1400 audit(1750000000.000:1): x\n[    0.000000] Linux version 6.8\n[    5.000000] Xid\n"
    assert stamps(text)[2].at is None


def test_slightly_disordered_processors_are_one_boot() -> None:
    first, second = stamps("[ 900.000100] a\n[ 900.000050] b\n")
    assert first.series == second.series
    assert order(second, first) is Order.BEFORE


def test_differences_of_human_readable_dmesg_are_added_up() -> None:
    first, second, third = stamps(
        "[Aug19 02:04] a\n[  +0.500000] b\n[  +1.250000] c\n",
        context=ReadContext(opened_at=datetime(2025, 9, 1, tzinfo=UTC)),
    )
    assert first.at == datetime(2025, 8, 19, 2, 4, tzinfo=UTC)
    assert second.at == datetime(2025, 8, 19, 2, 4, 0, 500000, tzinfo=UTC)
    assert third.at == datetime(2025, 8, 19, 2, 4, 1, 750000, tzinfo=UTC)
    assert third.uncertainty_s == 60.0


def test_a_line_without_a_time_lies_between_its_neighbours() -> None:
    _, middle, _ = stamps(
        "2026-06-23T03:14:45Z ERROR x\nTraceback (most recent call last):\n2026-06-23T03:14:50Z INFO y\n",
        Kind.APPLICATION_LOG,
    )
    assert middle.clock is Clock.POSITION
    assert middle.at == datetime(2026, 6, 23, 3, 14, 45, tzinfo=UTC)
    assert middle.uncertainty_s == pytest.approx(5.5)
    assert middle.assumption == "no time of its own: between lines 1 and 3"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("2026-06-23T03:14:45Z x\nno time\n", Kind.APPLICATION_LOG),
        ("2026-06-23T03:14:45Z x\nno time\n2026-06-24T03:14:45Z y\n", Kind.APPLICATION_LOG),
        ("2026-06-23T03:14:45Z x\nno time\n2026-06-23T03:14:46Z y\n", Kind.OPERATOR_NOTES),
        ("2026-06-23T03:14:45Z x\nno time\n2026-06-23T03:14:40Z y\n", Kind.APPLICATION_LOG),
    ],
)
def test_a_line_is_not_given_a_time_that_its_neighbours_do_not_bound(text: str, kind: Kind) -> None:
    second = stamps(text, kind)[1]
    assert second.at is None
    assert second.position == 2


def test_lines_of_printed_json_take_the_time_of_their_record() -> None:
    text = (
        '{\n  "logs": [\n    {\n      "timestamp": "2026-04-18T10:30:01Z",\n      "message": "FATAL"\n    },\n'
        '    {\n      "message": "later",\n      "timestamp": "2026-04-18T10:31:00Z"\n    }\n  ]\n}\n'
    )
    found = stamps(text, Kind.APPLICATION_LOG)
    assert found[4].at == datetime(2026, 4, 18, 10, 30, 1, tzinfo=UTC)
    assert found[7].at == datetime(2026, 4, 18, 10, 31, tzinfo=UTC)
    assert found[0].at is None


def test_records_of_an_exported_journal_give_their_time_to_all_their_lines() -> None:
    text = "__CURSOR=s=1\n__REALTIME_TIMESTAMP=1782184485250000\n_HOSTNAME=n\nMESSAGE=x\n\nMESSAGE=y\n"
    found = stamps(text, Kind.JOURNAL)
    assert found[3].at == datetime(2026, 6, 23, 3, 14, 45, 250000, tzinfo=UTC)
    assert found[5].at is None


@given(
    st.lists(
        st.sampled_from(["[  10.000000] a", "2026-06-23T03:14:45Z b", "plain", "", "{", "}", '"ts": 1']),
        max_size=30,
    )
)
def test_every_line_has_at_least_its_position_whatever_was_asked_before(lines: list[str]) -> None:
    held = document("".join(f"{line}\n" for line in lines), Kind.APPLICATION_LOG)
    forward, backward = stamper(held, NO_CONTEXT), stamper(held, NO_CONTEXT)
    asked = [forward.stamp(number, line) for number, line in enumerate(lines, start=1)]
    again = [backward.stamp(number, line) for number, line in reversed(list(enumerate(lines, start=1)))]
    assert asked == list(reversed(again))
    assert [stamp.position for stamp in asked] == list(range(1, len(lines) + 1))
