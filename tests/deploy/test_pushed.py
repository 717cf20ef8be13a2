"""What a real collector pushed, asked for as from Loki: the Xid is the kernel's own line, and the class is right."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from firstfault.agent.findings import Incident
from firstfault.agent.settings import Settings
from firstfault.cli.workbench import open_workbench
from firstfault.evals.sim.recorded_http import RecordedServer
from firstfault.tools.context import ReadContext
from firstfault.tools.kinds import Kind
from firstfault.tools.loki.client import Asker, connect
from firstfault.tools.loki.probe import probe_loki
from firstfault.tools.loki.source import LokiSource
from firstfault.tools.sources import Question
from firstfault.tools.times import Window
from tests.live import loki_of

PUSHED = sorted((Path(__file__).parent / "pushed").glob("*.json"))
NODE = "gpu-00003"
START = datetime(2026, 11, 30, 5, 0, tzinfo=UTC)
NOW = datetime(2026, 11, 30, 6, 0, tzinfo=UTC)


@pytest.mark.parametrize("file", PUSHED, ids=lambda file: file.stem)
def test_the_xid_is_kernel_evidence_and_gives_the_class(file: Path, tmp_path: Path) -> None:
    with (
        RecordedServer(loki_of(json.loads(file.read_text()))) as loki,
        connect(loki.url, {}) as client,
        open_workbench(Settings(), tmp_path, NOW) as bench,
    ):
        source = LokiSource(asker=Asker(client=client), nodes=(NODE,), namespaces=(), clock=lambda: NOW)
        answer = source.read(Question(), Window(start=START, end=NOW), None)
        opened = Incident(id="inc-1", question="Why?", correlation_id="1", opened_at=NOW, window_start=START)
        incident = bench.store.incidents.open(opened, NOW)
        report = bench.investigate(incident, (source,), ReadContext(opened_at=NOW, zone="UTC"), now=NOW)
    kinds = {each.path: each.kind for each in answer.documents}
    assert set(kinds.values()) == {
        Kind.KERNEL_LOG,
        Kind.KUBELET_LOG,
        Kind.RUNTIME_LOG,
        Kind.JOURNAL,
    }
    assert report.diagnosis.failure_class == "gpu.fell_off_bus"
    assert report.first_fault is not None
    assert report.first_fault.signal == "xid.79"
    assert kinds[report.first_fault.path or ""] is Kind.KERNEL_LOG
    assert report.first_fault.at == datetime(2026, 11, 30, 5, 57, 58, tzinfo=UTC)
    assert report.first_fault.entity.name.endswith("4e:00")


@pytest.mark.parametrize("file", PUSHED, ids=lambda file: file.stem)
def test_doctor_sees_the_kernel_log_and_the_fabric_manager(file: Path) -> None:
    with RecordedServer(loki_of(json.loads(file.read_text()))) as loki, connect(loki.url, {}) as client:
        probe = probe_loki(Asker(client=client), lambda: NOW)
    assert {Kind.KERNEL_LOG, Kind.KUBELET_LOG, Kind.RUNTIME_LOG, Kind.FABRIC_MANAGER_LOG} <= probe.kinds
    assert probe.notes == ()


def test_something_real_is_there() -> None:
    assert PUSHED
