"""The commands with and without a model, as real processes against a server on loopback."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from firstfault.agent.report.contract import Report
from firstfault.evals.attacks.findings import differences, findings_of
from firstfault.evals.sim.model_server import ModelServer

CASE = Path(__file__).parents[2] / "evals" / "cases" / "gpu-079"
NO_OPENAI = """
import sys
from firstfault.cli import main
main(sys.argv[1:], standalone_mode=False)
assert "openai" not in sys.modules
"""
KEY = "key-of-the-acceptance-test"


def run(
    state: Path, *arguments: str, code: str | None = None, **settings: str
) -> "subprocess.CompletedProcess[str]":
    """Run firstfault with its own state folder; `code` in place of the command itself."""
    start = [sys.executable, "-m", "firstfault.cli"] if code is None else [sys.executable, "-c", code]
    plain = {name: value for name, value in os.environ.items() if not name.startswith("FIRSTFAULT_")}
    environment = {**plain, "XDG_STATE_HOME": str(state), **settings}
    return subprocess.run(
        [*start, *arguments],
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
        check=False,
        cwd=state,
    )


def model(server: ModelServer) -> dict[str, str]:
    """Return the settings for a scripted server."""
    return {
        "FIRSTFAULT_MODEL__NAME": "scripted",
        "FIRSTFAULT_MODEL__BASE_URL": server.base_url,
        "FIRSTFAULT_MODEL__API_KEY": KEY,
    }


def stable(text: str) -> dict[str, Any]:
    """Return a report without its volatile fields."""
    found: dict[str, Any] = json.loads(text)
    found["incident"]["correlation_id"] = ""
    found["evidence"] = [{**part, "fetched_at": None} for part in found["evidence"]]
    found["model"] = {**(found["model"] or {}), "seconds": 0}
    del found["audit"]
    return found


def test_a_recorded_run_replays_without_openai_and_without_a_server(tmp_path: Path) -> None:
    cassette = str(tmp_path / "cassette.jsonl")
    with ModelServer("good") as server:
        recorded = run(
            tmp_path, "investigate", str(CASE), "--json", "--record-model", cassette, **model(server)
        )
    assert recorded.returncode == 0, recorded.stderr
    replayed = run(tmp_path, "investigate", str(CASE), "--json", "--replay-model", cassette, code=NO_OPENAI)
    assert replayed.returncode == 0, replayed.stderr
    assert stable(replayed.stdout) == stable(recorded.stdout)
    assert json.loads(replayed.stdout)["model"]["name"] == "scripted"
    assert KEY not in recorded.stdout + recorded.stderr + Path(cassette).read_text()


def test_a_model_that_is_down_costs_the_report_nothing_but_a_gap(tmp_path: Path) -> None:
    alone = run(tmp_path, "investigate", str(CASE), "--json", code=NO_OPENAI)
    settings = {"FIRSTFAULT_MODEL__NAME": "gone", "FIRSTFAULT_MODEL__BASE_URL": "http://127.0.0.1:9/v1"}
    down = run(tmp_path, "investigate", str(CASE), "--json", FIRSTFAULT_MODEL__RETRIES="0", **settings)
    assert (alone.returncode, down.returncode) == (0, 0), alone.stderr + down.stderr
    without, reached_for = (Report.model_validate_json(done.stdout) for done in (alone, down))
    assert without.model is None
    assert not differences(findings_of(without), findings_of(reached_for))
    assert [gap.why for gap in reached_for.gaps if gap.source == "model"] == [
        "the model could not be reached"
    ]
