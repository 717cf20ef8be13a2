"""`firstfault config` and `--config`."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run


def test_settings_are_shown_with_their_origin_and_without_secrets(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "firstfault.toml").write_text("[serve]\nport = 9001\n")
    monkeypatch.setenv("FIRSTFAULT_MODEL__API_KEY", "hunter2")
    shown = run("config", "show")
    assert shown.exit_code == 0
    assert "serve.port = 9001 # file" in shown.stdout
    assert 'model.api_key = "********" # environment' in shown.stdout
    assert "hunter2" not in shown.output


def test_another_file_can_be_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "firstfault.toml").write_text("[serve]\nport = 9001\n")
    other = tmp_path / "other.toml"
    other.write_text("[serve]\nport = 9002\n")
    rows = json.loads(run("--config", other, "config", "show", "--json").stdout)
    assert rows["serve.port"] == {"value": 9002, "from": "file"}


@pytest.mark.parametrize(
    "command", [["config", "show"], ["audit", "show"], ["incidents", "list"], ["db", "prune"]]
)
def test_a_misspelled_setting_ends_every_command_with_one_line(
    run: Run, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setenv("FIRSTFAULT_DATABSE_URL", "x")
    refused = run(*command)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr == (
        "firstfault: unknown setting `FIRSTFAULT_DATABSE_URL` in the environment: "
        "did you mean `FIRSTFAULT_DATABASE_URL`?\n"
    )
