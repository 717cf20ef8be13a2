"""What disappears soonest is kept first: a report stands when everything it speaks of is gone."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from firstfault.agent.findings import Incident
from firstfault.agent.report.contract import Report
from firstfault.agent.settings import Settings
from firstfault.agent.store.evidence import StoredSource
from firstfault.cli.workbench import Workbench, open_workbench
from firstfault.evals.sim.kube_api import ADMIN_TOKEN, KubeApi
from firstfault.evals.sim.kube_logs import LogLine
from firstfault.tools.context import ReadContext
from firstfault.tools.kube.door import ReadDoor
from firstfault.tools.kube.plan import Scope
from firstfault.tools.kube.settings import KubeSettings
from firstfault.tools.kube.source import ClusterSource
from firstfault.tools.sources import Source
from tests.agent.executor.kit import NODE, kind, load_cluster, pod

NOW = datetime(2026, 11, 30, 6, 0, tzinfo=UTC)
LAST_WORDS = "RuntimeError: CUDA error: uncorrectable ECC error encountered"
CONTEXT = ReadContext(opened_at=NOW, zone="UTC")


def fill(api: KubeApi) -> None:
    """Put a node with a pod that has restarted: its last words are in the previous log only."""
    load_cluster(api)
    made = pod("trainer-0", NODE)
    made["status"] = {"containerStatuses": [{"name": "main", "restartCount": 2}]}
    api.store.load(kind("Pod"), [made])
    api.logs["research", "trainer-0", "main", True] = [LogLine(at="2026-11-30T05:57:59Z", text=LAST_WORDS)]


def empty(api: KubeApi) -> None:
    """Delete the pod, its logs, its events and its node."""
    api.logs.clear()
    api.store.delete(kind("Pod"), "trainer-0", "research")
    api.store.delete(kind("Node"), NODE)


def cluster(api: KubeApi, folder: Path) -> ClusterSource:
    """Return the cluster as a source for one node."""
    (folder / "token").write_text(ADMIN_TOKEN)
    door = ReadDoor(KubeSettings(host=api.url, token_file=folder / "token"))
    return ClusterSource(door=door, scope=Scope(nodes=(NODE,)), clock=lambda: NOW)


def opened(bench: Workbench, incident_id: str) -> Incident:
    """Open an incident."""
    incident = Incident(
        id=incident_id,
        question="Why?",
        correlation_id=f"{incident_id}-trail",
        opened_at=NOW,
        window_start=NOW - timedelta(hours=1),
    )
    return bench.store.incidents.open(incident, NOW)


def excerpts(report: Report) -> str:
    """Return everything that the report quotes."""
    return "\n".join(part.excerpt for part in report.evidence)


def after(stage: str, act: Callable[[], None]) -> Callable[[str], None]:
    """Return a progress hook that acts once a stage is kept."""
    return lambda done: act() if done == stage else None


class PowerCutError(Exception):
    """The process ends here."""


def test_the_report_stands_when_all_objects_are_gone_after_the_first_look(tmp_path: Path) -> None:
    with KubeApi() as api, open_workbench(Settings(), tmp_path, NOW) as bench:
        fill(api)
        source = cluster(api, tmp_path)
        report = bench.investigate(
            opened(bench, "inc-1"),
            (source,),
            CONTEXT,
            now=NOW,
            progress=after("preserve", lambda: empty(api)),
        )
        for part in report.evidence:
            kept = bench.store.blobs.get(part.sha256).decode()
            assert part.excerpt in kept
    assert LAST_WORDS in excerpts(report)


def test_a_process_that_dies_after_the_first_look_goes_on_from_what_was_kept(tmp_path: Path) -> None:
    def cut() -> None:
        raise PowerCutError

    with KubeApi() as api:
        fill(api)
        source = cluster(api, tmp_path)
        with open_workbench(Settings(), tmp_path, NOW) as bench, pytest.raises(PowerCutError):
            bench.investigate(
                opened(bench, "inc-2"), (source,), CONTEXT, now=NOW, progress=after("preserve", cut)
            )
        empty(api)
        with open_workbench(Settings(), tmp_path, NOW) as bench:
            report = bench.investigate(opened(bench, "inc-2"), (source,), CONTEXT, now=NOW)
    assert LAST_WORDS in excerpts(report)


def test_a_report_is_built_again_from_the_store_alone(tmp_path: Path) -> None:
    with KubeApi() as api, open_workbench(Settings(), tmp_path, NOW) as bench:
        fill(api)
        first = bench.investigate(opened(bench, "inc-3"), (cluster(api, tmp_path),), CONTEXT, now=NOW)
    with open_workbench(Settings(), tmp_path, NOW) as bench:
        stored: Source = StoredSource(bench.store.evidence, "inc-3")
        again = bench.investigate(opened(bench, "inc-4"), (stored,), CONTEXT, now=NOW)
    assert again.verdict == first.verdict
    assert again.diagnosis.failure_class == first.diagnosis.failure_class
    assert {part.excerpt for part in again.evidence} == {part.excerpt for part in first.evidence}
