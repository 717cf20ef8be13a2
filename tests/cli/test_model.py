from pathlib import Path

import pytest

from firstfault.evals.sim.model_server import ModelServer
from tests.cli.conftest import Run

CASE = Path(__file__).parents[2] / "evals" / "cases" / "gpu-079"
KEY = "key-of-the-command-line-test"


@pytest.mark.parametrize(
    ("options", "setting", "remedy"),
    [
        (["--record-model", "cassette"], None, "FIRSTFAULT_MODEL__NAME"),
        (["--replay-model", "none"], None, "--record-model"),
        ([], ("FIRSTFAULT_MODEL__RETRIES", "many"), "model.retries"),
        ([], ("FIRSTFAULT_MODEL__NAMES", "x"), "FIRSTFAULT_MODEL__NAME"),
    ],
)
def test_mistakes_are_told_in_one_line_with_the_remedy(
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    setting: tuple[str, str] | None,
    remedy: str,
) -> None:
    if setting is not None:
        monkeypatch.setenv(*setting)
    done = run("investigate", CASE, "--json", *options)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert remedy in done.stderr
    assert done.stderr.count("\n") == 1


def test_model_check_without_a_model_says_that_none_is_needed(run: Run) -> None:
    done = run("model", "check")
    assert done.exit_code == 0
    assert "works without one" in done.stdout


def test_model_check_prints_what_the_server_can_do(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRSTFAULT_MODEL__NAME", "scripted")
    monkeypatch.setenv("FIRSTFAULT_MODEL__API_KEY", KEY)
    with ModelServer("good", refuses_parameters=("json_schema", "seed")) as server:
        monkeypatch.setenv("FIRSTFAULT_MODEL__BASE_URL", server.base_url)
        done = run("model", "check")
    assert done.exit_code == 0, done.output
    for what in ("structured output", "json_object", "tools", "context", "tokens/s"):
        assert what in done.stdout
    with ModelServer("unauthorised") as server:
        monkeypatch.setenv("FIRSTFAULT_MODEL__BASE_URL", server.base_url)
        refused = run("model", "check")
    assert refused.exit_code == 2
    assert "api_key" in refused.stdout
    assert KEY not in done.output + refused.output
