"""`investigate --strict` ends with 3 when a source that the settings name could not be read."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

ALERT = {
    "version": "4",
    "status": "firing",
    "alerts": [
        {
            "status": "firing",
            "labels": {"alertname": "NodeDown", "node": "n-1"},
            "startsAt": "2026-11-30T06:00:00Z",
            "fingerprint": "1",
        }
    ],
}
GONE = "http://127.0.0.1:1"


@pytest.mark.parametrize(
    "setting",
    [
        f'[loki]\nurl = "{GONE}"\n',
        f'[alertmanager]\nurl = "{GONE}"\n',
        '[audit_log]\nfile = "/nowhere/audit.log"\n',
    ],
    ids=["loki", "silences", "audit log"],
)
def test_a_source_that_could_not_be_read_fails(setting: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "firstfault.toml").write_text(setting)
    file = tmp_path / "alert.json"
    file.write_text(json.dumps(ALERT))

    assert run("investigate", "--alert", file).exit_code == 0
    assert run("investigate", "--alert", file, "--strict").exit_code == 3
