"""History files: the table, the list, notifications, the audit log; what is unknown stays unknown."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstfault.evals.shadow.history import KnownCause, PastIncident
from firstfault.evals.shadow.imports import HistoryError, read_history

TABLE = """\
id,alert_at,cluster,question,failure_class,owner,culprit,first_fault,expected_actions,false_alarm,actions,author
i1,2026-03-02T08:00:00Z,east,why?,gpu.thermal,platform,gpu/0000:91:00,raw/a.log:7,cordon_node; drain_node,,\
2026-03-02T08:30:00Z ann cordon_node node/n1; 2026-03-02T08:40:00Z ann drain_node node/n1,wiki
i2,2026-03-01T08:00:00Z,,,,,,,,true,none,
i3,,,,,,,,,,,
"""
WEBHOOKS = Path(__file__).parents[2] / "formats" / "alertmanager"


def test_a_table_gives_incidents_by_time_with_what_it_says() -> None:
    first, second, third = read_history(TABLE, "h.csv").incidents
    assert (first.id, second.id, third.id) == ("i2", "i1", "i3")
    assert second.truth is not None
    assert second.truth.actions.expected == ("cordon_node", "drain_node")
    assert [action.action for action in second.actions or ()] == ["cordon_node", "drain_node"]
    assert second.cause is not None
    assert second.cause.author == "wiki"


def test_unknown_is_not_empty() -> None:
    first, _, third = read_history(TABLE, "h.csv").incidents
    assert (first.actions, third.actions) == ((), None)
    assert first.truth is not None
    assert third.truth is None


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("cluster\nx\n", "no column `id`"),
        ("id,colour\ni1,red\n", "unknown column `colour`"),
        ("id,alert_at\ni1,yesterday\n", "`h.csv`, row 2, field `alert_at`"),
        ("id,alert_at\ni1,2026-03-02T08:00:00\n", "timezone"),
        ("id,first_fault\ni1,here\n", "write `path:line`"),
        ("id,actions\ni1,cordoned it\n", "write `TIME WHO ACTION KIND/NAME`"),
        ("id,false_alarm\ni1,perhaps\n", "field `is_false_alarm`"),
        ("id,question\ni1,a\ni1,b\n", "tells `i1` twice and differently"),
        ("", "no column `id`"),
        ('[{"id": "i1", "colour": "red"}]', "entry 1, field `colour`"),
        ("{broken", "neither JSON nor lines of JSON"),
    ],
)
def test_an_unreadable_row_is_named_with_the_remedy(text: str, part: str) -> None:
    with pytest.raises(HistoryError) as caught:
        read_history(text, "h.csv")
    assert part in str(caught.value)


def test_the_same_row_twice_is_one_incident() -> None:
    assert len(read_history("id,question\ni1,a\ni1,a\n", "h.csv").incidents) == 1


@given(
    st.lists(
        st.builds(
            PastIncident,
            id=st.text(min_size=1, max_size=8),
            cluster=st.none() | st.text(),
            question=st.none() | st.text(),
            is_false_alarm=st.none() | st.booleans(),
            cause=st.none()
            | st.builds(KnownCause, failure_class=st.none() | st.sampled_from(["gpu.thermal"])),
        ),
        max_size=5,
        unique_by=lambda incident: incident.id,
    )
)
def test_what_was_written_is_read_back(incidents: list[PastIncident]) -> None:
    text = json.dumps([incident.model_dump(mode="json") for incident in incidents])
    assert set(read_history(text, "h.json").incidents) == set(incidents)


def test_notifications_of_a_real_alertmanager_are_one_incident_per_alert() -> None:
    texts = [file.read_text(encoding="utf-8") for file in sorted(WEBHOOKS.glob("*.json"))]
    bodies = [json.loads(text) for text in texts]
    bodies = [body.get("body", body) if "alerts" not in body else body for body in bodies]
    incidents = read_history("\n".join(json.dumps(body) for body in bodies), "w").incidents
    alerts = {(a["fingerprint"], a["startsAt"]) for body in bodies for a in body["alerts"]}
    assert len(incidents) == len(alerts)
    assert all(
        incident.alert_at and incident.truth is None and incident.actions is None for incident in incidents
    )
    assert any(incident.resolved_at for incident in incidents)


def test_an_alert_without_a_time_is_an_error() -> None:
    with pytest.raises(HistoryError, match="without a time"):
        read_history('{"alerts": [{"labels": {"alertname": "X"}}]}', "w")


def test_an_audit_log_gives_actions() -> None:
    line = {
        "apiVersion": "audit.k8s.io/v1",
        "verb": "delete",
        "user": {"username": "ann"},
        "objectRef": {"resource": "nodes", "name": "n1"},
        "responseStatus": {"code": 200},
        "requestReceivedTimestamp": "2026-03-02T08:00:00Z",
    }
    found = read_history(json.dumps(line) + "\n" + json.dumps(line), "audit.log")
    assert [action.action for action in found.actions] == ["node_replace", "node_replace"]
    assert found.incidents == ()
