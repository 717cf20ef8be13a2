"""The command line over a state folder of its own."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from firstfault.agent.store import Store, open_store
from firstfault.cli import main

Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the state folder of this test; no setting comes from outside."""
    for name in [each for each in os.environ if each.upper().startswith("FIRSTFAULT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "xdg"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "xdg" / "firstfault"


@pytest.fixture
def run() -> Run:
    """Return a function that runs `firstfault` with arguments."""
    return lambda *arguments: CliRunner().invoke(main, [str(each) for each in arguments])


@pytest.fixture
def store(state: Path) -> Store:
    """Return the store that the commands use."""
    return open_store(state)
