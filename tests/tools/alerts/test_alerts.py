"""Notifications as a real Alertmanager sent them, and what is made of them."""

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstfault.tools.alerts.alert import Alert, entities, named, scope_keys
from firstfault.tools.alerts.grouping import OpenGroup, joins, question_of, widened
from firstfault.tools.alerts.webhook import AlertError, read_notification

FORMATS = Path(__file__).parents[2] / "formats" / "alertmanager"
FILES = sorted(FORMATS.glob("*.json"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_recorded_notification_is_read(file: Path) -> None:
    body = json.loads(file.read_text())["body"]
    found = read_notification(json.dumps(body))
    assert [alert.fingerprint for alert in found] == [item["fingerprint"] for item in body["alerts"]]
    assert [alert.is_firing for alert in found] == [item["status"] == "firing" for item in body["alerts"]]
    assert all((alert.ends_at is None) == alert.is_firing for alert in found)
    assert all(alert.starts_at.utcoffset() == timedelta(0) for alert in found)


def first() -> Alert:
    """Return the Xid alert of the first recorded notification."""
    return read_notification(FILES[0].read_bytes())[0]


def test_labels_of_dcgm_name_node_gpu_and_pod() -> None:
    alert = first()
    assert named(alert, "node") == "gpu-node-003"
    assert {(each.kind.value, each.name) for each in entities(alert)} >= {
        ("node", "gpu-node-003"),
        ("gpu", "00000000:72:00.0"),
        ("pod", "llm-pretrain-2"),
    }


def test_a_site_may_name_its_own_labels() -> None:
    assert named(first(), "node", {"node": ("instance",)}) == "127.0.1.3:19400"
    assert named(first(), "node", {"node": ("absent",)}) is None


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"\xff\x00", "not JSON"),
        (b"[]", "field `body`"),
        (b'{"version": "4"}', "field `alerts`"),
        (b'{"version": "3", "alerts": []}', "version `3`"),
        (
            b'{"version": "4", "alerts": [{"status": "firing", "labels": {}, "startsAt": "x"}]}',
            "alerts.0.startsAt",
        ),
    ],
)
def test_what_is_no_notification_is_refused_in_one_line(body: bytes, said: str) -> None:
    with pytest.raises(AlertError, match=said) as refused:
        read_notification(body)
    assert "\n" not in str(refused.value)


def test_alerts_that_share_a_scope_within_the_window_join_one_incident() -> None:
    alert = first()
    group = widened(OpenGroup(incident_id="i", keys=frozenset(), last=alert.starts_at), alert)
    other_rule = replace(alert, labels={**alert.labels, "alertname": "GpuNvlinkDown"})
    elsewhere = replace(alert, labels={"alertname": "Other", "cluster": "lab-1", "node": "cpu-1"})
    other_cluster = replace(alert, labels={**alert.labels, "cluster": "lab-2"})
    late = replace(alert, starts_at=alert.starts_at + timedelta(hours=1))
    assert joins(other_rule, [group]) is group
    assert [joins(each, [group]) for each in (elsewhere, other_cluster, late)] == [None, None, None]


def test_the_question_says_what_fires_first_and_how_many_follow() -> None:
    alert = first()
    later = replace(
        alert,
        starts_at=alert.starts_at + timedelta(seconds=5),
        fingerprint="x",
        labels={"alertname": "Later"},
    )
    asked = question_of([later, alert])
    assert asked.startswith("GpuXidError: XID 79 on gpu-node-003")
    assert "2 alerts of 2 rules" in asked


@given(st.permutations(range(4)))
def test_scope_does_not_depend_on_the_order_of_labels(order: list[int]) -> None:
    pairs = [("alertname", "A"), ("cluster", "c"), ("node", "n"), ("switch", "s")]
    shuffled = replace(first(), labels=dict(pairs[i] for i in order))
    assert scope_keys(shuffled) == {"c/rule/A", "c/node//n", "c/switch//s"}
