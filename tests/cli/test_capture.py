"""`firstfault capture` from stand-ins, replayed by `firstfault investigate` without them."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from firstfault.agent.store import Store
from firstfault.evals.sim.kube_api import ADMIN_TOKEN, KubeApi
from firstfault.evals.sim.kube_logs import LogLine
from firstfault.evals.sim.recorded_http import Failure, RecordedServer
from firstfault.tools.topology.machines import compact, machine_of
from tests.agent.executor.kit import kind, load_cluster, pod
from tests.cli.conftest import Run
from tests.live import journal_answer, kubeconfig, metrics_answer, settings_toml

NODE = "gpu-00003"
SINCE = "2026-11-30T05:00:00"
SECRET = "AKIA" + "IOSFODNN7" + "ABCDEFG"


def fill(api: KubeApi) -> None:
    """Put a node with a failing pod there, whose log holds a secret."""
    load_cluster(api)
    made = pod("trainer-0", NODE)
    made["status"] = {"containerStatuses": [{"name": "main", "restartCount": 0}]}
    api.store.load(kind("Pod"), [made])
    api.logs["research", "trainer-0", "main", False] = [
        LogLine(at="2026-11-30T05:58:01Z", text=f"aws key {SECRET} then CUDA error: uncorrectable ECC error")
    ]


def test_a_case_is_redacted_and_gives_the_same_answer_offline(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "case"
    with KubeApi() as api, RecordedServer(journal_answer) as loki:
        fill(api)
        settings_toml(tmp_path, kube=kubeconfig(tmp_path, api.url, ADMIN_TOKEN), loki=loki.url)
        done = run("capture", "--since", SINCE, "--scope", f"node={NODE}", "--question", "Why?", out)
        assert api.writes == []
    assert done.exit_code == 0, done.output
    everything = "\n".join(file.read_text() for file in out.rglob("*") if file.is_file())
    assert SECRET not in everything
    assert "‹redacted:" in everything
    manifest = yaml.safe_load((out / "case.yaml").read_text())
    kinds = {row["kind"] for row in manifest["sources"]}
    assert {"kernel_log", "kube_objects", "container_log"} <= kinds
    assert next(row for row in manifest["sources"] if row["kind"] == "kernel_log")["node"] == NODE
    (tmp_path / "firstfault.toml").unlink()
    replayed = run("investigate", out, "--json")
    assert replayed.exit_code == 0, replayed.output
    report = json.loads(replayed.stdout)
    assert report["incident"]["question"] == "Why?"
    assert report["diagnosis"]["failure_class"] == "gpu.fell_off_bus"


def test_what_a_source_did_not_give_is_in_the_manifest(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "case"
    with RecordedServer(metrics_answer, failure=Failure.DROP) as prometheus:
        settings_toml(tmp_path, prometheus=prometheus.url)
        assert run("capture", "--since", "2h", "--scope", "node=n1", out).exit_code == 0
    manifest = yaml.safe_load((out / "case.yaml").read_text())
    assert manifest["sources"] == []
    assert any("prometheus" in gap for gap in manifest["not_collected"])
    assert datetime.fromisoformat(manifest["opened_at"]).tzinfo == UTC


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--since", "2h"], "nothing is in scope"),
        (["--since", "2h", "--scope", "node=n"], "no live source"),
        (["--since", "soon", "--scope", "node=n"], "`--since soon`"),
        (["--since", "2h", "--scope", "planet=n"], "`--scope planet=n`"),
        (["--since", "2h", "--alert", "none.json"], "none.json"),
    ],
)
def test_what_cannot_be_done_is_one_line(run: Run, tmp_path: Path, arguments: list[str], said: str) -> None:
    refused = run("capture", *arguments, tmp_path / "new")
    assert refused.exit_code == 2
    assert said in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert not (tmp_path / "new").exists()


def test_a_folder_that_is_there_is_left_alone(run: Run, tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    refused = run("capture", "--since", "2h", "--scope", "node=n", tmp_path / "old")
    assert refused.exit_code == 2
    assert "there already" in refused.stderr


LEAF, DRIVER = "network.topology.nvidia.com/leaf", "nvidia.com/cuda.driver-version.full"
AT = datetime(2026, 11, 30, 5, 57, 58, tzinfo=UTC)


def noted(store: Store, driver: str, at: datetime) -> None:
    """Have a snapshot of the machine taken: its labels hold a secret that somebody put there."""
    labels = {LEAF: f"leaf7-{SECRET}", DRIVER: driver}
    node: dict[str, Any] = {
        "metadata": {"name": NODE, "uid": "u1", "labels": labels},
        "spec": {},
        "status": {"nodeInfo": {"kernelVersion": "6.8.0-60", "bootID": "b"}},
    }
    store.machines.record("lab", [machine_of(compact(node))], at)


def told(report: dict[str, Any]) -> dict[str, Any]:
    """Return what a report concludes: without ids, paths and what is not the same in two runs."""
    names = {each["id"]: each["excerpt"] for each in report["evidence"]}

    def plain(value: Any) -> Any:  # noqa: ANN401 - JSON
        if isinstance(value, dict):
            held = cast("dict[str, Any]", value)
            return {key: plain(each) for key, each in held.items() if key not in {"path", "line"}}
        if isinstance(value, list):
            return [plain(each) for each in cast("list[Any]", value)]
        return names.get(value, value) if isinstance(value, str) else value

    kept = ("verdict", "diagnosis", "first_fault", "timeline", "common_causes", "hypotheses")
    return {name: plain(report[name]) for name in kept}


def test_what_a_machine_was_before_is_in_the_case_and_the_replay_says_what_the_live_report_says(
    run: Run, tmp_path: Path, store: Store
) -> None:
    out = tmp_path / "case"
    noted(store, "550.90.07", AT - timedelta(hours=2))
    noted(store, "570.124.06", AT - timedelta(hours=1))
    noted(store, "570.124.06", AT - timedelta(minutes=5))
    with KubeApi() as api, RecordedServer(journal_answer) as loki:
        fill(api)
        settings_toml(tmp_path, kube=kubeconfig(tmp_path, api.url, ADMIN_TOKEN), loki=loki.url)
        api.store.delete(kind("Pod"), "trainer-0", "research")
        api.store.delete(kind("Node"), NODE)
        live = live_report(run, tmp_path)
        assert run("capture", "--since", SINCE, "--scope", f"node={NODE}", out).exit_code == 0
    everything = "\n".join(file.read_text() for file in out.rglob("*") if file.is_file())
    assert SECRET not in everything
    assert "changed from 550.90.07 to 570.124.06" in everything
    (tmp_path / "firstfault.toml").unlink()
    replayed = json.loads(run("investigate", out, "--json").stdout)
    assert any(entry["signal"] == "change.driver" for entry in replayed["timeline"])
    assert replayed["diagnosis"]["failure_class"] == "gpu.fell_off_bus"
    assert told(replayed) == told(live)


def live_report(run: Run, folder: Path) -> dict[str, Any]:
    """Return what is said of an alert for the machine, from live sources."""
    alert = {
        "status": "firing",
        "labels": {"alertname": "NodeDown", "node": NODE},
        "startsAt": AT.isoformat(),
        "fingerprint": "1",
    }
    file = folder / "alert.json"
    file.write_text(json.dumps({"version": "4", "status": "firing", "alerts": [alert]}))
    return json.loads(run("investigate", "--alert", file, "--json").stdout)


def test_a_database_that_cannot_be_used_is_a_gap_of_the_case(run: Run, tmp_path: Path) -> None:
    with KubeApi() as api:
        fill(api)
        file = settings_toml(tmp_path, kube=kubeconfig(tmp_path, api.url, ADMIN_TOKEN))
        file.write_text('database_url = "postgresql://nobody@127.0.0.1:1/none"\n' + file.read_text())
        assert run("capture", "--since", "2h", "--scope", f"node={NODE}", tmp_path / "case").exit_code == 0
    manifest = yaml.safe_load((tmp_path / "case" / "case.yaml").read_text())
    assert any(gap.startswith("snapshots: cannot use the database") for gap in manifest["not_collected"])
