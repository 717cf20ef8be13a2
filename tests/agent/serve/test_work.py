"""The loop outlives what investigations raise, and loses no incident."""

from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from firstfault.agent.findings import Incident
from firstfault.agent.report.contract import Report
from firstfault.agent.serve.alert_source import AlertSource
from firstfault.agent.serve.dispatch import MAX_ATTEMPTS, SETTLE_S
from firstfault.agent.serve.work import Counters, Worker
from firstfault.agent.store import Status, Store, StoreError, open_store
from firstfault.tools.alerts.alert import Alert
from firstfault.tools.alerts.grouping import WINDOW_S
from firstfault.tools.context import ReadContext
from firstfault.tools.extract import extract
from firstfault.tools.kube.errors import KubeConfigError
from firstfault.tools.readers import read
from firstfault.tools.sources import Question
from firstfault.tools.times import Window
from tests.agent.serve.test_dispatch import NOW, Runs, alerts, dispatcher


@dataclass
class Stage:
    """A worker with a clock that a test turns."""

    store: Store
    pool: ThreadPoolExecutor
    errors: list[Exception] = field(default_factory=list[Exception])
    now: datetime = NOW
    lines: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        made, self.runs = dispatcher(self.store)
        fine = made.investigate

        def investigate(incident: Incident, given: Sequence[Alert]) -> Report:
            if self.errors:
                raise self.errors.pop(0)
            return fine(incident, given)

        made.investigate = investigate
        self.worker = Worker(
            dispatcher=made, counters=Counters(), clock=lambda: self.now, said=self.lines.append
        )

    def after(self, seconds: float) -> None:
        """Let time pass, and one step and its investigation happen."""
        self.now += timedelta(seconds=seconds)
        self.worker.step(self.pool)
        if self.worker.running is not None:
            wait([self.worker.running[1]])
            self.worker.step(self.pool)


@pytest.fixture
def store(tmp_path: Path) -> Generator[Store]:
    with open_store(tmp_path) as opened:
        yield opened


@pytest.fixture
def stage(store: Store) -> Generator[Stage]:
    with ThreadPoolExecutor(max_workers=1) as pool:
        yield Stage(store, pool)


@pytest.mark.parametrize("error", [KubeConfigError("no way"), StoreError("locked"), RuntimeError("bug")])
def test_an_investigation_that_raises_is_told_counted_and_done_later(stage: Stage, error: Exception) -> None:
    stage.errors = [error]
    stage.store.inbox.receive(alerts(3), NOW)
    stage.after(0)
    stage.after(SETTLE_S)
    assert "failed" in stage.lines[0]
    assert str(error) in stage.lines[0]
    assert "\n" not in stage.lines[0]
    assert stage.runs.published == []
    stage.after(1)
    assert stage.runs.published == []
    stage.after(10)
    assert len(stage.runs.published) == 1
    assert "firstfault_investigations_failed_total 1" in stage.worker.counters.text()
    assert "firstfault_incidents_investigated_total 1" in stage.worker.counters.text()


def test_the_attempts_are_bounded_and_the_incident_stays_for_the_next_start(
    stage: Stage, store: Store
) -> None:
    stage.errors = [KubeConfigError("no way")] * 100
    store.inbox.receive(alerts(1), NOW)
    stage.after(0)
    for _ in range(20):
        stage.after(3600)
    assert len(stage.lines) == MAX_ATTEMPTS
    assert "next start" in stage.lines[-1]
    (left,) = store.incidents.recent(status=Status.OPEN)
    later, runs = dispatcher(store)
    later.recover(stage.now)
    assert later.due(stage.now + timedelta(seconds=SETTLE_S)) == (left.incident.id,)
    assert isinstance(runs, Runs)


def test_a_failing_incident_does_not_hold_up_another(stage: Stage) -> None:
    stage.errors = [KubeConfigError("no way")]
    other = Alert(
        fingerprint="x",
        starts_at=NOW,
        is_firing=True,
        labels={"alertname": "Else", "cluster": "d", "node": "m"},
    )
    stage.store.inbox.receive([*alerts(1), other], NOW)
    stage.after(0)
    stage.after(SETTLE_S)
    stage.after(1)
    assert len(stage.runs.published) == 1


def test_late_alerts_of_a_storm_join_the_incident_that_was_investigated(stage: Stage, store: Store) -> None:
    store.inbox.receive(alerts(3), NOW)
    stage.after(0)
    stage.after(SETTLE_S)
    store.inbox.receive(alerts(6), stage.now)
    stage.after(1)
    (only,) = store.incidents.recent()
    assert len(store.inbox.of(only.incident.id)) == 6
    again, _ = dispatcher(store)
    again.recover(stage.now)
    assert set(again.pending) == {only.incident.id}
    stage.after(WINDOW_S + 1)
    assert stage.worker.dispatcher.pending == {}


@pytest.mark.parametrize(
    ("labels", "name"),
    [
        ({"Hostname": "gpu-07", "gpu": "3", "pci_bus_id": "00000000:4E:00.0"}, "00000000:4E:00.0"),
        (
            {"hostname": "gpu-07", "gpu": "3", "UUID": "GPU-6f0c1a52-0000-1111-2222-333344445555"},
            "GPU-6f0c1a52-0000-1111-2222-333344445555",
        ),
        ({"node": "gpu-07"}, "3"),
    ],
)
def test_an_alert_names_the_gpu_as_its_labels_do(labels: dict[str, str], name: str) -> None:
    alert = Alert(
        fingerprint="f",
        starts_at=NOW,
        is_firing=True,
        labels={"alertname": "GpuXid", **labels},
        annotations={"summary": "Xid 79 on GPU 3"},
    )
    other = Alert(
        fingerprint="g", starts_at=NOW, is_firing=True, labels={"alertname": "Other", "node": "gpu-09"}
    )
    documents = AlertSource(alerts=[other, alert]).read(Question(), Window(), None).documents
    context = ReadContext(opened_at=NOW, zone="UTC")
    found = extract(documents, [read(each, context) for each in documents], context)
    (xid,) = (signal for signal in found if signal.name == "xid.79")
    assert (xid.entity.name, xid.entity.node) == (name, "gpu-07")
