"""What a machine was before survives the machine: snapshots, a change, the machine is deleted, and the report still knows."""

from collections import Counter
from collections.abc import Generator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from firstfault.agent.findings import Incident
from firstfault.agent.serve.machine_source import MachineSource
from firstfault.agent.serve.surveys import Rounds, Survey
from firstfault.agent.serve.work import Counters
from firstfault.agent.settings import Settings
from firstfault.cli.workbench import Workbench, open_workbench
from firstfault.evals.sim.kube_api import ADMIN_TOKEN, KubeApi
from firstfault.evals.sim.kube_faults import Fault, Trouble
from firstfault.tools.context import ReadContext
from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.evidence import CoverageState
from firstfault.tools.kinds import Kind
from firstfault.tools.kube.door import ReadDoor
from firstfault.tools.kube.plan import Scope
from firstfault.tools.kube.settings import KubeSettings
from firstfault.tools.kube.source import ClusterSource
from firstfault.tools.patience import Patience
from firstfault.tools.readers import read
from firstfault.tools.sources import Question
from firstfault.tools.times import Window
from firstfault.tools.topology.groups import memberships
from tests.agent.executor.kit import kind
from tests.conformance.source_laws import SourceLaws, Subject

NOW = datetime(2026, 11, 30, 6, 0, tzinfo=UTC)
EARLIER = NOW - timedelta(minutes=30)
NODE = "gpu-00007"
DRIVER = "nvidia.com/cuda.driver-version.full"
CONTEXT = ReadContext(opened_at=NOW, zone="UTC")


def node(driver: str) -> dict[str, Any]:
    """Return a node."""
    labels = {"network.topology.nvidia.com/leaf": "leaf7", DRIVER: driver}
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady"}
    info = {"kernelVersion": "6.8.0-60"}
    return {
        "metadata": {"name": NODE, "labels": labels},
        "spec": {},
        "status": {"conditions": [ready], "nodeInfo": info},
    }


@pytest.fixture
def api() -> Generator[KubeApi]:
    with KubeApi() as served:
        served.store.load(kind("Node"), [node("550.90.07")])
        yield served


@pytest.fixture
def bench(tmp_path: Path) -> Generator[Workbench]:
    with open_workbench(Settings(), tmp_path / "state", NOW) as opened:
        yield opened


def door(api: KubeApi, folder: Path) -> ReadDoor:
    """Return a door to the cluster."""
    (folder / "token").write_text(ADMIN_TOKEN)
    return ReadDoor(KubeSettings(host=api.url, token_file=folder / "token"), Patience(left_s=0))


def survey(
    api: KubeApi, bench: Workbench, folder: Path, at: datetime, said: list[str] | None = None
) -> Survey:
    """Return a survey at one time."""
    return Survey(
        store=bench.store,
        door=lambda: door(api, folder),
        cluster="lab",
        clock=lambda: at,
        counters=Counters(),
        said=(list[str]() if said is None else said).append,
    )


def source(bench: Workbench) -> MachineSource:
    """Return the snapshots as a source for the one machine."""
    return MachineSource(machines=bench.store.machines, cluster="lab", nodes=(NODE,), now=NOW)


def upgraded_and_deleted(api: KubeApi, bench: Workbench, folder: Path) -> None:
    """Take a snapshot, upgrade the driver, take another, and delete the machine."""
    survey(api, bench, folder, EARLIER).take()
    found = api.store.get(kind("Node"), NODE)
    found["metadata"]["labels"][DRIVER] = "570.124.06"
    api.store.replace(kind("Node"), found)
    survey(api, bench, folder, EARLIER + timedelta(minutes=10)).take()
    api.store.delete(kind("Node"), NODE)


def test_the_driver_that_a_deleted_machine_had_before_is_a_change_with_evidence(
    api: KubeApi, bench: Workbench, tmp_path: Path
) -> None:
    upgraded_and_deleted(api, bench, tmp_path)
    answer = source(bench).read(Question(), Window(start=NOW - timedelta(hours=1), end=NOW), None)
    readings = [read(document, CONTEXT) for document in answer.documents]
    (change,) = [change for reading in readings for change in reading.changes]
    assert (change.kind, change.who) == ("driver", "topology snapshot")
    assert "changed from 550.90.07 to 570.124.06" in change.what
    assert change.stamp is not None
    assert change.stamp.at == EARLIER + timedelta(minutes=10)
    assert change.stamp.uncertainty_s is not None
    assert change.stamp.uncertainty_s >= 600
    objects = [item for reading in readings for item in reading.objects]
    shared = {each.dimension: each.value for each in memberships(objects, answer.documents)}
    assert shared["switch"] == "leaf7"
    assert shared["driver"] == "570.124.06"


def test_an_investigation_after_the_machine_is_gone_still_knows_it(
    api: KubeApi, bench: Workbench, tmp_path: Path
) -> None:
    upgraded_and_deleted(api, bench, tmp_path)
    cluster = ClusterSource(
        door=door(api, tmp_path), scope=Scope(nodes=(NODE,)), clock=lambda: NOW, cluster="lab"
    )
    opened = Incident(
        id="inc-gone",
        question=f"Why did {NODE} disappear?",
        correlation_id="gone",
        opened_at=NOW,
        window_start=NOW - timedelta(hours=1),
    )
    incident = bench.store.incidents.open(opened, NOW)
    report = bench.investigate(incident, (cluster, source(bench)), CONTEXT, now=NOW)
    entries = [entry for entry in report.timeline if entry.signal == "change.driver"]
    assert len(entries) == 1
    quoted = {part.id: part.excerpt for part in report.evidence}
    assert "from 550.90.07 to 570.124.06" in quoted[entries[0].evidence[0]]
    assert any("404" in gap.why for gap in report.gaps)


def test_a_cluster_that_does_not_answer_is_told_and_the_next_turn_tries_again(
    api: KubeApi, bench: Workbench, tmp_path: Path
) -> None:
    said: list[str] = []
    api.faults.append(Fault(trouble=Trouble.REFUSE, code=500))
    taken = survey(api, bench, tmp_path, NOW, said)
    taken.take()
    assert "trying again" in said[0]
    taken.take()
    assert taken.counters.counts == Counter(snapshots_failed=1, snapshots=1, snapshot_changes=1)


def test_rounds_end_when_they_are_told(api: KubeApi, bench: Workbench, tmp_path: Path) -> None:
    taken = survey(api, bench, tmp_path, NOW)
    rounds = Rounds(survey=taken, interval_s=3600)
    rounds.stop()
    rounds.work()
    assert taken.counters.counts["snapshots"] == 1


def test_a_machine_without_a_snapshot_is_a_gap(bench: Workbench) -> None:
    answer = source(bench).read(Question(), Window(), None)
    assert answer.documents == ()
    assert "no snapshot of gpu-00007" in answer.gaps[0].why
    assert [entry.state for entry in answer.coverage] == [CoverageState.NOT_COLLECTED]


class TestSnapshots(SourceLaws):
    @pytest.fixture
    def subject(self, api: KubeApi, bench: Workbench, tmp_path: Path) -> Subject:
        upgraded_and_deleted(api, bench, tmp_path)
        return Subject(source=source(bench), held=(Kind.TOPOLOGY, Kind.CHANGE_LOG), context=CONTEXT)


def test_where_no_machine_is_named_it_is_said_that_no_snapshot_was_looked_for(bench: Workbench) -> None:
    nowhere = replace(source(bench), nodes=())
    (gap,) = nowhere.read(Question(), Window(end=NOW), None).gaps
    assert gap.why.startswith("no machine is named")
    pod = EntityRef(kind=EntityKind.POD, name="p", namespace="train")
    assert not nowhere.read(Question(entities=(pod,)), Window(end=NOW), None).gaps
