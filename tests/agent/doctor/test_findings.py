"""What the doctor concludes from what the sources are."""

from datetime import UTC, datetime, timedelta

import pytest

from firstfault.agent.classes.definitions import load_classes
from firstfault.agent.doctor.finding import State, worst
from firstfault.agent.doctor.findings import SKEW_S, findings
from firstfault.agent.doctor.sight import Sight, kinds_of, sight_table, sights, steps
from firstfault.tools.kinds import Kind
from firstfault.tools.probes import Probe, Right, skew

CLASSES = load_classes()
CLUSTER = frozenset({Kind.KUBE_OBJECTS, Kind.KUBE_EVENTS, Kind.CONTAINER_LOG})
KERNEL = frozenset({Kind.KERNEL_LOG, Kind.JOURNAL})
ASKED = datetime(2026, 11, 30, 6, 0, 0, tzinfo=UTC)


def test_the_kernel_log_is_spoken_of_first() -> None:
    (row, *_) = findings([Probe(source="kubernetes", kinds=CLUSTER)], [], CLASSES)
    assert row.part == "kernel log"
    assert row.state is State.WARN
    assert "Kubernetes API cannot" in row.said
    assert "Xid" in row.blind
    assert "deploy/collectors" in row.remedy
    (row, *_) = findings([Probe(source="loki", kinds=KERNEL)], [], CLASSES)
    assert row.state is State.OK


def test_a_source_that_does_not_answer_shows_nothing() -> None:
    rows = findings([Probe(source="loki", problem="refused", kinds=KERNEL)], [], CLASSES)
    assert rows[0].state is State.WARN
    assert worst(rows) is State.FAIL
    assert any(row.said == "refused" for row in rows)


def test_seeing_more_never_makes_anything_blind() -> None:
    order = [Sight.BLIND, Sight.PARTIAL, Sight.FULL]
    less = {each.failure_class: each.sight for each in sights(CLASSES, CLUSTER)}
    more = {each.failure_class: each.sight for each in sights(CLASSES, CLUSTER | KERNEL)}
    assert less.keys() == more.keys()
    assert all(order.index(more[name]) >= order.index(sight) for name, sight in less.items())
    assert less["host.memory"] is Sight.BLIND
    assert more["host.memory"] is Sight.FULL


def test_everything_that_a_source_can_give_makes_every_class_testable() -> None:
    assert {each.sight for each in sights(CLASSES, frozenset(sight_table().enable))} == {Sight.FULL}


def test_without_a_kernel_log_the_fabric_is_dark_and_the_remedy_is_named() -> None:
    named = dict(steps(sights(CLASSES, CLUSTER), Sight.BLIND))
    (names,) = (names for remedy, names in named.items() if "journal" in remedy)
    assert "nvlink.switch_fault" in names
    assert "gpu.fell_off_bus" in names


def test_every_class_asks_for_something_or_is_what_is_left() -> None:
    assert [each.failure_class for each in CLASSES if not kinds_of(each)] == []


@pytest.mark.parametrize(
    ("rights", "part", "said"),
    [
        ((Right(name="list nodes", allowed=False, wanted=True),), "kubernetes reads", "list nodes"),
        ((Right(name="get secrets", allowed=True, wanted=False),), "kubernetes writes", "get secrets"),
    ],
)
def test_too_few_and_too_many_rights_both_fail(rights: tuple[Right, ...], part: str, said: str) -> None:
    rows = findings([Probe(source="kubernetes", rights=rights)], [], CLASSES)
    (row,) = (row for row in rows if row.part == part)
    assert row.state is State.FAIL
    assert said in row.said
    assert "deploy/rbac.yaml" in row.remedy


@pytest.mark.parametrize(
    ("date", "wanted"),
    [
        ("Mon, 30 Nov 2026 06:00:00 GMT", 0.0),
        ("Mon, 30 Nov 2026 06:00:31 GMT", 30.0),
        ("Mon, 30 Nov 2026 05:59:29 GMT", -30.0),
        ("yesterday", None),
        (None, None),
    ],
)
def test_the_skew_is_what_question_and_answer_cannot_explain(date: str | None, wanted: float | None) -> None:
    assert skew(date, ASKED, ASKED + timedelta(seconds=1)) == wanted


def test_a_clock_that_is_off_is_a_warning() -> None:
    rows = findings([Probe(source="loki", skew_s=-SKEW_S - 1)], [], CLASSES)
    (row,) = (row for row in rows if row.part == "loki clock")
    assert row.state is State.WARN
    assert "behind" in row.said
