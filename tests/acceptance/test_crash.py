"""A real process killed at every stage, then the same command again: one report, one trail."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from firstfault.agent.graph.wiring import NODES
from firstfault.agent.store import open_store

CASE = Path(__file__).parents[2] / "evals" / "cases" / "gpu-079"
KILLER = """
import os, signal, sys
from firstfault.cli import workbench
stage = sys.argv.pop(1)
original = workbench.Workshop
def killing(**fields):
    show = fields["progress"]
    def progress(name):
        show(name)
        if name == stage:
            os.kill(os.getpid(), signal.SIGKILL)
    return original(**{**fields, "progress": progress})
workbench.Workshop = killing
from firstfault.cli import main
main(sys.argv[1:], standalone_mode=False)
"""
VOLATILE = ("audit",)


def run(state: Path, *code: str) -> "subprocess.CompletedProcess[str]":
    """Run Python with the state folder given."""
    environment = {**os.environ, "XDG_STATE_HOME": str(state)}
    return subprocess.run(
        [sys.executable, *code], capture_output=True, text=True, env=environment, timeout=120, check=False
    )


def report(state: Path) -> dict[str, Any]:
    """Run the command to its end and return the report."""
    done = run(state, "-m", "firstfault.cli", "investigate", str(CASE), "--json", "--incident-id", "crash-1")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def stable(found: dict[str, Any]) -> dict[str, Any]:
    """Return the report without its volatile fields (DESIGN §8)."""
    kept = {name: value for name, value in found.items() if name not in VOLATILE}
    kept["incident"] = {**kept["incident"], "correlation_id": ""}
    kept["evidence"] = [{**each, "fetched_at": None} for each in kept["evidence"]]
    return kept


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the report of a run that nobody disturbed."""
    return report(tmp_path_factory.mktemp("whole"))


@pytest.mark.parametrize("stage", NODES)
def test_a_killed_run_goes_on_where_it_was(stage: str, whole: dict[str, Any], tmp_path: Path) -> None:
    killed = run(
        tmp_path, "-c", KILLER, stage, "investigate", str(CASE), "--json", "--incident-id", "crash-1"
    )
    assert killed.returncode == -9, killed.stderr
    assert killed.stdout == ""
    resumed = report(tmp_path)
    assert stable(resumed) == stable(whole)
    assert resumed["audit"]["events"] == whole["audit"]["events"]
    with open_store(tmp_path / "firstfault") as store:
        assert store.audit.verify().sound
