"""Wording of times, names and gate decisions."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from firstfault.agent.render import phrases
from firstfault.agent.report.contract import FirstFaultPart, PolicyPart
from tests import reports


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0, "0 s"),
        (0.00042, "0.42 ms"),
        (0.35, "350 ms"),
        (11.852, "11.9 s"),
        (-3, "-3 s"),
        (119.6, "120 s"),
        (600, "10 min"),
        (605.2, "10 min 5 s"),
        (7500, "2 h 5 min"),
        (180000, "2 d 2 h"),
    ],
)
def test_durations_are_worded(value: float, words: str) -> None:
    assert phrases.seconds(value) == words


def test_times_are_utc_whatever_their_offset() -> None:
    local = datetime(2026, 4, 1, 5, 12, 44, 120500, tzinfo=timezone(timedelta(hours=2)))
    assert phrases.moment(local) == "2026-04-01 03:12:44.120 UTC"
    assert phrases.moment(datetime(2026, 4, 1, tzinfo=UTC)) == "2026-04-01 00:00:00 UTC"


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({}, "uptime 6781741.548779 s, no wall clock"),
        ({"clock": "position", "raw_time": ""}, "no time stamp, line 3 of its file"),
        ({"clock": "position", "raw_time": "3"}, "no time stamp, line 3 of its file"),
        ({"clock": "position", "raw_time": "yesterday"}, "yesterday as printed, no absolute time"),
        (
            {"clock": "utc", "at": datetime(2026, 4, 1, tzinfo=UTC), "uncertainty_s": 0.5},
            "2026-04-01 00:00:00 UTC ± 500 ms",
        ),
    ],
)
def test_a_time_names_its_clock(parts: dict[str, object], words: str) -> None:
    first = FirstFaultPart.model_validate({**reports.first_fault(), **parts})
    assert phrases.when(first, first.line) == words


@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [
        ("gpu", "0000:91:00", "gpu 0000:91:00"),
        ("gpu", "GPU 0", "GPU 0"),
        ("node", "the node this was read from", "the node this was read from"),
        ("pod", "", "pod not named"),
        ("node", "unknown", "node not named"),
        ("unknown", "unknown", "not named"),
    ],
)
def test_a_thing_is_named_with_its_kind_once(kind: str, name: str, words: str) -> None:
    assert phrases.entity(reports.entity(kind, name)) == words


def test_things_are_counted_once_by_kind() -> None:
    things = [reports.entity("gpu", "0"), reports.entity("nvswitch", "1"), reports.entity("nvswitch", "2")]
    assert phrases.counted([*things, things[0]]) == "1 gpu, 2 nvswitches"
    assert phrases.plural("entry", 2) == "entries"


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (reports.ADVICE, "advice, executes nothing"),
        (reports.policy("DENY", "NEEDS_APPROVAL"), "would need approval"),
        (reports.policy("DENY", "DENY", ("mode.shadow", "facts.missing.x")), "would be denied"),
        (reports.policy("DENY", "ALLOW", mode="recommend"), "would be allowed"),
        (
            reports.policy("NEEDS_APPROVAL", "NEEDS_APPROVAL", ("approval.required",), mode="approve"),
            "needs approval",
        ),
        (reports.policy("DENY", "DENY", ("blast.share",), mode="approve"), "denied"),
        (reports.policy("ALLOW", "ALLOW", ("gate.no_rule_forbids",), mode="auto"), "allowed"),
    ],
)
def test_the_gate_speaks_of_now_or_of_approve_mode(part: PolicyPart, words: str) -> None:
    assert phrases.gate(part) == words


def test_reasons_leave_out_what_is_said_anyway() -> None:
    part = reports.policy(
        "DENY", "DENY", ("mode.shadow", "facts.missing.pdbs"), ("shadow", "unknown: budgets")
    )
    assert phrases.gate_reasons(part) == ["not known: budgets"]
    assert phrases.mode_note([part, reports.ADVICE]) == "shadow mode: recorded and scored, not offered"
    assert phrases.mode_note([reports.ADVICE]) is None


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "0 days"), (1, "1 day"), (1.0, "1 day"), (2.5, "2.5 days"), (1234, "1,234 days")],
)
def test_numbers_carry_their_noun(number: float, words: str) -> None:
    assert phrases.numbered("day", number) == words
