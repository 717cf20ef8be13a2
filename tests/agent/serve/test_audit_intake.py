"""What the API server's audit webhook posts: changes are on disk before it is told so, and the file stays small."""

import json
from pathlib import Path

import pytest

from firstfault.agent.serve import audit_intake
from firstfault.agent.serve.audit_intake import AuditIntake, AuditIntakeError
from firstfault.tools.sources import Question
from tests.tools.auditlog.test_source import CORDON, ROLLOUT, WINDOW, changes, record, source


def posted(*rows: object) -> bytes:
    """Return what the server posts."""
    return json.dumps({"kind": "EventList", "apiVersion": "audit.k8s.io/v1", "items": rows}).encode()


def test_changes_are_kept_and_read_back_as_the_source_tells_them(tmp_path: Path) -> None:
    file = tmp_path / "api-audit.jsonl"
    assert AuditIntake(file=file).take(posted(CORDON, record("nodes", "gpu-7", verb="get"), ROLLOUT)) == 2
    assert [change.kind for change in changes(source(file).read(Question(), WINDOW, None))] == [
        "cordon",
        "deployment",
    ]
    assert "hunter2" not in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_line_that_a_power_cut_left_open_swallows_nothing(tmp_path: Path) -> None:
    file = tmp_path / "api-audit.jsonl"
    file.write_bytes(b'{"kind":"Event","apiVer')
    AuditIntake(file=file).take(posted(CORDON))
    assert len(changes(source(file).read(Question(), WINDOW, None))) == 1


def test_the_file_is_rotated_and_the_last_one_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_intake, "MOST_BYTES", 1000)
    intake = AuditIntake(file=tmp_path / "a.jsonl")
    for _ in range(10):
        intake.take(posted(CORDON))
    assert {each.name for each in tmp_path.iterdir()} == {"a.jsonl", "a.jsonl.1"}
    assert all(each.stat().st_size <= 1000 for each in tmp_path.iterdir())


@pytest.mark.parametrize("body", [b"", b"nonsense", b"[]", b'{"items": "x"}', b'{"items": [1, null]}'])
def test_what_holds_no_change_keeps_nothing(tmp_path: Path, body: bytes) -> None:
    assert AuditIntake(file=tmp_path / "a.jsonl").take(body) == 0
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_takes_nothing_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(AuditIntakeError, match=r"cannot be written \(no such file or directory\)"):
        AuditIntake(file=tmp_path / "no" / "a.jsonl").take(posted(CORDON))
