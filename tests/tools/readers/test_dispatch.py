"""The declared kind is shown, the content is read: whatever a document is called, what it holds is found."""

from pathlib import Path

import pytest

from firstfault.tools.context import NO_CONTEXT
from firstfault.tools.evidence import Document
from firstfault.tools.kinds import Kind
from firstfault.tools.readers import dispatch, read
from firstfault.tools.readings import Reading
from firstfault.tools.recording import open_recording
from tests.documents import document

POD = '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "n"}}\n'
TABLE = "NAME   READY   STATUS    RESTARTS   AGE\np      0/1     Pending   0          5m\n"
DESCRIBED = "Name:         p\nNamespace:    n\nNode:         <none>\nQoS Class:    Burstable\n"
ANSWER = '{"status":"success","data":{"resultType":"vector","result":[{"metric":{"__name__":"up"},"value":[1,"1"]}]}}'
ALERT = '{"receiver":"r","status":"firing","alerts":[{"status":"firing","labels":{"alertname":"A"},"fingerprint":"f"}]}'
DUMP = '{"version":"2.5","entries":[{"state":"started","collective_seq_id":1}]}'


@pytest.mark.parametrize(
    "kind",
    [Kind.KUBE_OBJECTS, Kind.KUBECTL_GET, Kind.KUBECTL_DESCRIBE, Kind.KUBE_EVENTS, Kind.PROMETHEUS_RESPONSE],
)
def test_objects_are_found_under_any_kind_that_may_hold_json(kind: Kind) -> None:
    assert [found.name for found in read(document(POD, kind), NO_CONTEXT).objects] == ["p"]


@pytest.mark.parametrize("text", [TABLE, DESCRIBED])
@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.CHANGE_LOG])
def test_state_that_was_pasted_into_anything_is_read(text: str, kind: Kind) -> None:
    assert "p" in {found.name for found in read(document(text, kind), NO_CONTEXT).objects}


@pytest.mark.parametrize(
    "kind", [Kind.KUBECTL_GET, Kind.KUBE_OBJECTS, Kind.ALERTS, Kind.PROMETHEUS_RESPONSE, Kind.FLIGHT_RECORDER]
)
def test_answers_alerts_and_dumps_are_told_by_their_shape(kind: Kind) -> None:
    assert [series.metric for series in read(document(ANSWER, kind), NO_CONTEXT).series] == ["up"]
    assert [fact.name for fact in read(document(ALERT, kind), NO_CONTEXT).facts] == ["alert.state"]
    assert {fact.name for fact in read(document(DUMP, kind), NO_CONTEXT).facts} == {
        "flight.version",
        "flight.entry",
    }


def test_a_plain_log_has_no_structure() -> None:
    for kind in (Kind.KERNEL_LOG, Kind.CONTAINER_LOG, Kind.APPLICATION_LOG):
        assert read(document("[1.000000] NVRM: Xid\nTraceback\n", kind), NO_CONTEXT) == Reading()


def test_a_document_too_large_to_parse_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatch, "MAX_TEXT_BYTES", 10)
    (problem,) = read(document(POD, Kind.KUBE_OBJECTS), NO_CONTEXT).problems
    assert problem == "`raw/1.txt` is larger than can be parsed at once; its lines are still searched"


class GoneBody:
    """A file that vanished after it was listed."""

    size = 10
    sha256 = "0" * 64

    def open(self) -> None:
        raise FileNotFoundError(2, "No such file or directory", "x")


def test_a_file_that_vanished_is_a_problem_and_not_an_exception() -> None:
    held = Document(path="raw/x", kind=Kind.KUBE_OBJECTS, body=GoneBody(), source="s", query="q")  # type: ignore[arg-type] - it cannot be opened
    (problem,) = read(held, NO_CONTEXT).problems
    assert "no such file or directory" in problem


def test_a_reader_that_meets_what_it_was_not_written_for_is_a_problem(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: object) -> Reading:
        raise KeyError

    monkeypatch.setitem(dispatch.READERS, Kind.KUBE_OBJECTS, (broken,))
    (problem,) = read(document(TABLE, Kind.KUBE_OBJECTS), NO_CONTEXT).problems
    assert problem == "`raw/1.txt` could not be parsed (KeyError); its lines are still searched"


def test_every_recorded_case_is_read_without_a_problem() -> None:
    for folder in sorted(Path("evals/cases").iterdir()):
        if (folder / "case.yaml").is_file():
            recording = open_recording(folder)
            problems = [
                problem for held in recording.documents for problem in read(held, recording.context).problems
            ]
            assert problems == [], folder.name
