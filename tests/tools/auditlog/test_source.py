"""The audit log as a source: who changed what an incident is about; and every way in which the file fails."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from firstfault.tools.auditlog.source import AuditLogSource
from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import CoverageState
from firstfault.tools.kinds import Kind
from firstfault.tools.readers import read
from firstfault.tools.readings import Change
from firstfault.tools.sources import Answer, Question
from firstfault.tools.times import Window
from tests.conformance.source_laws import SourceLaws, Subject

NOW = datetime(2026, 11, 30, 6, 0, tzinfo=UTC)
CONTEXT = ReadContext(opened_at=NOW, zone="UTC")
WINDOW = Window(start=NOW - timedelta(hours=1), end=NOW)


def record(resource: str, name: str, **more: object) -> dict[str, Any]:
    """Return an audit record of somebody's patch, ten minutes ago."""
    return {
        "kind": "Event",
        "apiVersion": "audit.k8s.io/v1",
        "stage": "ResponseComplete",
        "verb": "patch",
        "user": {"username": "mara"},
        "userAgent": "kubectl/v1.36",
        "objectRef": {"resource": resource, "name": name},
        "responseStatus": {"code": 200},
        "stageTimestamp": (NOW - timedelta(minutes=10)).isoformat(),
        **more,
    }


def within(resource: str, name: str, namespace: str, **more: object) -> dict[str, Any]:
    """Return a record about something in a namespace."""
    return record(
        resource, name, objectRef={"resource": resource, "name": name, "namespace": namespace}, **more
    )


CORDON = record("nodes", "gpu-7", requestObject={"spec": {"unschedulable": True}})
ROLLOUT = within("deployments", "api", "train", requestObject={"spec": {"secretThing": "hunter2"}})


def written(folder: Path, *rows: dict[str, Any], more: str = "") -> Path:
    """Write a log and return its path."""
    file = folder / "audit.log"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows) + more)
    return file


def source(file: Path) -> AuditLogSource:
    """Return the log as a source for one machine and one namespace."""
    return AuditLogSource(file=file, nodes=("gpu-7",), namespaces=("train",), clock=lambda: NOW)


def changes(answer: Answer) -> list[Change]:
    """Return the changes that the documents of an answer tell of."""
    return [change for document in answer.documents for change in read(document, CONTEXT).changes]


def test_who_changed_what_is_in_scope_is_told_without_what_was_sent(tmp_path: Path) -> None:
    answer = source(written(tmp_path, CORDON, ROLLOUT)).read(Question(), WINDOW, None)
    cordon, rollout = changes(answer)
    assert (cordon.kind, cordon.who) == ("cordon", "mara")
    assert cordon.what == "patch nodes/gpu-7 (200): unschedulable true"
    assert (rollout.kind, rollout.why) == ("deployment", "kubectl/v1.36")
    assert "hunter2" not in answer.documents[0].text
    assert answer.gaps == ()


@pytest.mark.parametrize(
    "other",
    [
        record("nodes", "gpu-8"),
        within("deployments", "api", "elsewhere"),
        within("leases", "x", "train"),
        within("pods", "x", "train", verb="get"),
        within("pods", "x", "train", stage="RequestReceived"),
        within("pods", "x", "train", responseStatus={"code": 403}),
        within("pods", "x", "train", user={"username": "system:node:gpu-7"}),
        within("pods", "x", "train", stageTimestamp="2026-11-01T00:00:00Z"),
        within("pods", "x", "train", stageTimestamp="soon"),
        within("pods", "x", "train", stageTimestamp="2026-11-30T07:00:00Z"),
    ],
)
def test_what_is_not_in_scope_no_change_or_not_in_time_is_left_out(
    tmp_path: Path, other: dict[str, Any]
) -> None:
    assert len(changes(source(written(tmp_path, other, CORDON)).read(Question(), WINDOW, None))) == 1


def test_the_file_that_was_rotated_away_is_read_first(tmp_path: Path) -> None:
    written(tmp_path, CORDON).rename(tmp_path / "audit.log.1")
    found = changes(source(written(tmp_path, ROLLOUT)).read(Question(), WINDOW, None))
    assert [change.kind for change in found] == ["cordon", "deployment"]


def test_a_line_that_was_cut_takes_no_other_with_it(tmp_path: Path) -> None:
    file = written(tmp_path, CORDON, more='{"kind":"Event","apiVersion":"aud')
    assert len(changes(source(file).read(Question(), WINDOW, None))) == 1


@pytest.mark.parametrize("content", [None, b"", b"<html>", b"\x00\xff" * 100, b"[1, 2]"])
def test_a_file_that_is_missing_empty_or_something_else_is_a_gap(
    tmp_path: Path, content: bytes | None
) -> None:
    file = tmp_path / "audit.log"
    if content is not None:
        file.write_bytes(content)
    answer = source(file).read(Question(), WINDOW, None)
    assert answer.gaps
    assert all(str(file) in gap.why and "\n" not in gap.why for gap in answer.gaps)
    assert not any(entry.state is CoverageState.COMPLETE for entry in answer.coverage)
    assert changes(answer) == []


def test_a_folder_in_its_place_is_a_gap_too(tmp_path: Path) -> None:
    answer = source(tmp_path).read(Question(), WINDOW, None)
    assert "is a directory" in answer.gaps[0].why
    assert answer.documents == ()


class TestAuditLog(SourceLaws):
    @pytest.fixture
    def subject(self, tmp_path: Path) -> Subject:
        return Subject(
            source=source(written(tmp_path, CORDON, ROLLOUT)),
            held=(Kind.AUDIT_LOG,),
            context=CONTEXT,
            failing=(source(tmp_path / "nowhere"),),
        )
