"""How the file of the audit log stands, in every way in which it can."""

from datetime import timedelta
from pathlib import Path

import pytest

from firstfault.agent.doctor.finding import State, worst
from firstfault.agent.doctor.findings import findings
from firstfault.tools.auditlog.probe import probe_audit_log
from firstfault.tools.kinds import Kind
from tests.tools.auditlog.test_source import CORDON, NOW, record, source, written


def aged(age: timedelta) -> dict[str, object]:
    """Return a record of that age."""
    return record("nodes", "gpu-7", stageTimestamp=(NOW - age).isoformat())


def test_a_log_that_is_written_is_a_source_and_tells_how_far_back_it_goes(tmp_path: Path) -> None:
    probe = probe_audit_log(source(written(tmp_path, aged(timedelta(days=3)), CORDON)), is_received=False)
    assert probe.problem is None
    assert probe.kinds == {Kind.AUDIT_LOG}
    assert probe.version == "the newest record is 10 min old"
    assert "2026-11-27" in str(probe.retention)
    assert probe.notes == ()
    rows = [row for row in findings([probe], [], []) if row.part.startswith("audit log")]
    assert [row.part for row in rows] == ["audit log", "audit log retention"]


@pytest.mark.parametrize(
    ("age", "is_received", "is_told"),
    [
        (timedelta(minutes=59), False, False),
        (timedelta(hours=2), False, True),
        (timedelta(hours=2), True, False),
        (timedelta(days=2), True, True),
    ],
)
def test_a_log_that_is_written_no_more_is_told(
    tmp_path: Path, age: timedelta, is_received: bool, is_told: bool
) -> None:
    probe = probe_audit_log(source(written(tmp_path, aged(age))), is_received=is_received)
    assert bool(probe.notes) is is_told
    assert probe.kinds == {Kind.AUDIT_LOG}


def test_a_clock_ahead_of_ours_is_told(tmp_path: Path) -> None:
    probe = probe_audit_log(source(written(tmp_path, aged(-timedelta(minutes=5)))), is_received=False)
    (row,) = (row for row in findings([probe], [], []) if row.part == "audit log clock")
    assert row.said == "300 s ahead of ours"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Nov 30 06:00:00 gpu-7 kernel: NVRM: Xid 79\n", "holds no audit records"),
        ('{"ts": 1, "message": "not an audit record"}\n', "holds no audit records"),
        (None, "is not there"),
    ],
)
def test_another_file_is_a_failure(tmp_path: Path, text: str | None, said: str) -> None:
    file = tmp_path / "audit.log"
    if text is not None:
        file.write_text(text)
    probe = probe_audit_log(source(file), is_received=False)
    assert said in str(probe.problem)
    assert worst(findings([probe], [], [])) is State.FAIL


def test_a_folder_in_place_of_the_file_is_a_failure(tmp_path: Path) -> None:
    probe = probe_audit_log(source(tmp_path), is_received=False)
    assert "cannot be read" in str(probe.problem)


@pytest.mark.parametrize("is_there", [True, False])
def test_nothing_received_yet_is_a_warning_that_names_the_webhook(tmp_path: Path, is_there: bool) -> None:
    file = tmp_path / "api-audit.jsonl"
    if is_there:
        file.touch()
    probe = probe_audit_log(source(file), is_received=True)
    assert probe.problem is None
    assert not probe.kinds
    (note,) = probe.notes
    assert "/webhooks/audit" in note.remedy
