"""From kept alerts to one incident and one report, on a real store."""

import json
from collections.abc import Generator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from firstfault.agent.findings import Incident
from firstfault.agent.report.contract import Report
from firstfault.agent.serve.alert_source import AlertSource
from firstfault.agent.serve.dispatch import SETTLE_S, Dispatcher
from firstfault.agent.serve.health import Health
from firstfault.agent.serve.reception import MAX_BODY_BYTES, Reception
from firstfault.agent.serve.web import Front, make_app
from firstfault.agent.store import Status, Store, open_store
from firstfault.tools.alerts.alert import Alert
from firstfault.tools.sources import Question
from firstfault.tools.times import Window
from tests import reports

TOKEN = "from-the-settings"  # noqa: S105 - a test's own
NOW = datetime(2026, 11, 30, 5, 21, tzinfo=UTC)
NOTIFICATION = next((Path(__file__).parents[2] / "formats" / "alertmanager").glob("*firing*023.771.json"))


@pytest.fixture
def store(tmp_path: Path) -> Generator[Store]:
    """Return a store on SQLite."""
    with open_store(tmp_path) as opened:
        yield opened


def alerts(count: int, **labels: str) -> list[Alert]:
    """Return alerts of one rule on many nodes of one switch."""
    return [
        Alert(
            fingerprint=f"f{i}",
            starts_at=NOW + timedelta(milliseconds=i),
            is_firing=True,
            labels={"alertname": "LinkDown", "cluster": "c", "switch": "leaf7", "node": f"n{i}", **labels},
        )
        for i in range(count)
    ]


class Runs:
    """Stands for the investigation: keeps what it was asked, closes the incident, gives a fixed report."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.asked: list[tuple[str, int]] = []
        self.published: list[str] = []

    def investigate(self, incident: Incident, given: Sequence[Alert]) -> Report:
        """Return a report of the incident."""
        self.asked.append((incident.id, len(given)))
        self.store.incidents.set_status(incident.id, Status.CLOSED, NOW)
        made = reports.report()
        return made.model_copy(update={"incident": made.incident.model_copy(update={"id": incident.id})})

    def publish(self, report: Report) -> None:
        """Keep the id."""
        self.published.append(report.incident.id)


def dispatcher(store: Store) -> tuple[Dispatcher, Runs]:
    """Return a dispatcher and what stands for the investigation."""
    runs = Runs(store)
    return Dispatcher(store=store, investigate=runs.investigate, published=runs.publish), runs


def test_a_storm_on_one_switch_is_one_incident_and_none_is_lost(store: Store) -> None:
    made, runs = dispatcher(store)
    for start in range(0, 1500, 100):
        store.inbox.receive(alerts(1500)[start : start + 100], NOW)
        made.assign(NOW)
    later = NOW + timedelta(seconds=SETTLE_S)
    (only,) = made.due(later)
    made.begin(only)
    made.run(only)
    made.finish(only, later)
    assert runs.asked == [(only, 1500)]
    assert runs.published == [only]
    assert made.due(later) == ()
    assert store.inbox.unassigned(10) == ()


def test_another_process_takes_up_what_one_left(store: Store) -> None:
    first, _ = dispatcher(store)
    store.inbox.receive(alerts(3), NOW)
    first.assign(NOW)
    second, runs = dispatcher(store)
    second.recover(NOW)
    store.inbox.receive(alerts(5), NOW)
    second.assign(NOW)
    (only,) = second.due(NOW + timedelta(seconds=SETTLE_S))
    second.run(only)
    assert runs.asked == [(only, 5)]


def test_alerts_of_two_clusters_are_two_incidents(store: Store) -> None:
    made, _ = dispatcher(store)
    other = [
        replace(each, fingerprint=f"o{i}", labels={**each.labels, "cluster": "d"})
        for i, each in enumerate(alerts(2))
    ]
    store.inbox.receive([*alerts(2), *other], NOW)
    made.assign(NOW)
    assert len(made.due(NOW + timedelta(minutes=1))) == 2


def test_an_incident_waits_until_its_alerts_settle_but_not_for_ever(store: Store) -> None:
    made, _ = dispatcher(store)
    for second in range(0, 29, 4):
        store.inbox.receive(alerts(second + 1), NOW)
        made.assign(NOW + timedelta(seconds=second))
    assert made.due(NOW + timedelta(seconds=29)) == ()
    assert len(made.due(NOW + timedelta(seconds=31))) == 1


def test_nothing_later_than_as_of_is_shown(store: Store) -> None:
    del store
    source = AlertSource(alerts=alerts(4))
    (document,) = source.read(Question(), Window(), NOW + timedelta(milliseconds=1)).documents
    assert [each["labels"]["node"] for each in json.loads(document.text)] == ["n0", "n1"]


@pytest.fixture
def client(store: Store) -> Generator[TestClient]:
    """Return a client of the application."""
    woken: list[int] = []
    reception = Reception(store=store, token=TOKEN, clock=lambda: NOW, arrived=lambda: woken.append(1))
    app = make_app(
        Front(
            reception=reception,
            readiness=lambda: Health(is_ready=True, parts={"database": "ok"}),
            metrics=lambda: "up 1\n",
        )
    )
    with TestClient(app) as opened:
        yield opened


AUTH = {"authorization": f"Bearer {TOKEN}"}


def test_a_real_notification_is_durable_before_it_is_acknowledged(client: TestClient, store: Store) -> None:
    body = json.dumps(json.loads(NOTIFICATION.read_text())["body"])
    assert client.post("/webhooks/alertmanager", content=body, headers=AUTH).json() == {
        "new": 1,
        "known": 0,
        "ended": 0,
    }
    assert store.inbox.count() == 1
    again = client.post("/webhooks/alertmanager", content=body, auth=("alertmanager", TOKEN))
    assert again.json() == {"new": 0, "known": 1, "ended": 0}


@pytest.mark.parametrize(
    ("headers", "content", "code"),
    [
        ({}, b"{}", 401),
        ({"authorization": "Bearer wrong"}, b"{}", 401),
        ({"authorization": "Basic !!!"}, b"{}", 401),
        (AUTH, b"nonsense", 400),
        (AUTH, b"x" * (MAX_BODY_BYTES + 1), 413),
    ],
)
def test_what_is_refused_says_why_and_keeps_nothing(
    client: TestClient, store: Store, headers: dict[str, str], content: bytes, code: int
) -> None:
    answer = client.post("/webhooks/alertmanager", content=content, headers=headers)
    assert answer.status_code == code
    assert answer.json()["error"]
    assert store.inbox.count() == 0


def test_the_other_pages(client: TestClient) -> None:
    assert client.get("/healthz").text == "ok\n"
    assert client.get("/readyz").json() == {"database": "ok"}
    assert client.get("/metrics").text == "up 1\n"
    assert client.get("/incidents/none").status_code == 401
    assert client.get("/incidents/none", headers=AUTH).status_code == 404
