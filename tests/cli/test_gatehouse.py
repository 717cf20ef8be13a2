"""The gate obeys the settings file as it obeys the environment."""

from pathlib import Path

import pytest

from firstfault.agent.settings import load_settings
from firstfault.cli.gatehouse import gate_environment, load_gate
from firstfault.policies.limits import LimitError
from tests.agent.store.samples import AT


def test_limits_and_kill_switch_of_the_file_reach_the_gate(tmp_path: Path) -> None:
    file = tmp_path / "firstfault.toml"
    file.write_text("kill_switch = true\n[limits]\nno_such_limit = 1\n")
    settings = load_settings(file)
    assert gate_environment(settings)["FIRSTFAULT_KILL_SWITCH"] == "on"
    with pytest.raises(LimitError, match="no_such_limit"):
        load_gate(tmp_path, AT, settings=settings)


def test_without_settings_the_environment_is_what_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "FIRSTFAULT_KILL_SWITCH" not in gate_environment(None)
    monkeypatch.setenv("FIRSTFAULT_KILL_SWITCH", "1")
    assert gate_environment(load_settings())["FIRSTFAULT_KILL_SWITCH"] == "on"
