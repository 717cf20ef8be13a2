"""`firstfault capture` from stand-ins, replayed by `firstfault investigate` without them."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from firstfault.evals.sim.kube_api import ADMIN_TOKEN, KubeApi
from firstfault.evals.sim.kube_logs import LogLine
from firstfault.evals.sim.recorded_http import Failure, RecordedServer
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
