"""Recommendations beside what people did."""

from datetime import UTC, datetime, timedelta

import pytest

from firstfault.evals.shadow.history import HumanAction, Thing
from firstfault.evals.shadow.pairing import Meeting, compare
from tests import reports

ALERT = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)


def did(
    action: str, kind: str = "node", name: str = "node-1", *, after_s: float = 600, **parts: str
) -> HumanAction:
    target = Thing.model_validate({"kind": kind, "name": name, **parts})
    return HumanAction(
        at=ALERT + timedelta(seconds=after_s), actor="ann", action=action, target=target, source="s"
    )


def meeting(recommended: str, *actions: HumanAction, target: tuple[str, str] = ("node", "node-1")) -> Meeting:
    part = reports.recommendation(recommended, reports.entity(*target))
    return compare([part], actions, ALERT, ALERT).pairs[0].meeting


@pytest.mark.parametrize(
    ("recommended", "human", "expected"),
    [
        ("cordon_node", did("cordon_node"), Meeting.AGREED),
        ("cordon_node", did("drain_node"), Meeting.AGREED),
        ("drain_node", did("cordon_node"), Meeting.OTHER_ACTION),
        ("node_reboot", did("node_replace"), Meeting.OTHER_ACTION),
        ("cordon_node", did("cordon_node", name="node-2"), Meeting.NOT_DONE),
        ("cordon_node", did("cordon_node", after_s=90000), Meeting.NOT_DONE),
        ("cordon_node", did("cordon_node", after_s=-300), Meeting.AGREED),
        ("cordon_node", did("cordon_node", after_s=-3600), Meeting.NOT_DONE),
        ("cordon_node", did("restart_pod", "pod", "trainer-0", node="node-1"), Meeting.OTHER_ACTION),
    ],
)
def test_a_pair_needs_the_same_place_and_time(
    recommended: str, human: HumanAction, expected: Meeting
) -> None:
    assert meeting(recommended, human) is expected


def test_one_device_has_many_names() -> None:
    human = did("gpu_reset", "gpu", "00000000:91:00.0")
    assert meeting("gpu_reset", human, target=("gpu", "0000:91:00")) is Meeting.AGREED


def test_a_pod_and_a_node_of_one_name_are_not_the_same() -> None:
    assert meeting("restart_pod", did("cordon_node", name="x"), target=("pod", "x")) is Meeting.NOT_DONE


def test_what_people_did_besides_is_kept() -> None:
    part = reports.recommendation("cordon_node")
    found = compare([part], [did("cordon_node"), did("node_reboot", after_s=900)], ALERT, ALERT)
    assert [action.action for action in found.missed or ()] == ["node_reboot"]
    assert (found.agreed, found.lead_s) == (True, 600.0)


def test_recommending_nothing_agrees_with_people_who_did_nothing() -> None:
    advice = [reports.recommendation("none_wait", gate=reports.ADVICE)]
    assert compare(advice, [], ALERT, ALERT).agreed is True
    assert compare(advice, [did("cordon_node")], ALERT, ALERT).agreed is False
    assert compare([reports.recommendation("cordon_node")], [], ALERT, ALERT).agreed is False


def test_what_nobody_wrote_down_is_unknown() -> None:
    found = compare([reports.recommendation("cordon_node")], None, ALERT, ALERT)
    assert (found.agreed, found.missed, found.pairs[0].meeting) == (None, None, Meeting.UNKNOWN)


def test_without_a_time_of_the_report_there_is_no_lead() -> None:
    found = compare([reports.recommendation("cordon_node")], [did("cordon_node")], None, None)
    assert (found.agreed, found.lead_s) == (True, None)
