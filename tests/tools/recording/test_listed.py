"""A case folder: what the manifest lists is read, what is missing is a gap, what really happened stays closed."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import pytest
import yaml

from firstfault.tools.bodies import FileBody
from firstfault.tools.entities import EntityKind
from firstfault.tools.evidence import CoverageState
from firstfault.tools.kinds import Kind
from firstfault.tools.recording import Recording, RecordingError, open_recording
from firstfault.tools.sources import Answer, Question
from firstfault.tools.times import Window

Case = Callable[..., Path]

MANIFEST: dict[str, Any] = {
    "id": "t-1",
    "question": "Why?",
    "opened_at": "2024-09-20T11:26:00+01:00",
    "timezone": "Europe/London",
    "environment": {"gpu": None, "versions": {"driver": "550"}},
    "sources": [
        {"path": "raw/kernel.log", "kind": "kernel_log", "complete": True, "node": "gpu-7"},
        {"path": "raw/pod.log", "kind": "container_log", "pod": "p-1", "namespace": "ml", "note": "excerpt"},
    ],
    "not_collected": ["kernel log of the other nodes", "container_log of the operator", "the weather"],
}
FILES = {"raw/kernel.log": "[1.000000] a\n[2.000000] b\n", "raw/pod.log": "one\n"}


@pytest.fixture
def case(tmp_path: Path) -> Case:
    def make(manifest: dict[str, Any] | str = MANIFEST, files: dict[str, str] = FILES) -> Path:
        folder = tmp_path / "t-1"
        folder.mkdir()
        text = manifest if isinstance(manifest, str) else yaml.safe_dump(manifest)  # pyright: ignore[reportUnknownMemberType] - partly untyped
        (folder / "case.yaml").write_text(text, encoding="utf-8")
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(content, encoding="utf-8")
        return folder

    return make


def everything(recording: Recording) -> Answer:
    return recording.read(Question(), Window(), None)


def gaps(folder: Path) -> list[str]:
    return [gap.why for gap in everything(open_recording(folder)).gaps]


def test_the_manifest_says_what_the_incident_is(case: Case) -> None:
    recording = open_recording(case())
    manifest = recording.manifest
    assert (manifest.id, manifest.question, manifest.timezone) == ("t-1", "Why?", "Europe/London")
    assert manifest.opened_at == datetime(2024, 9, 20, 10, 26, tzinfo=UTC)
    assert dict(manifest.environment) == {"versions.driver": "550"}
    assert recording.context.zone == "Europe/London"
    assert recording.name == "recording:t-1"


def test_files_become_documents_with_what_they_are_about(case: Case) -> None:
    kernel, pod = everything(open_recording(case())).documents
    assert (kernel.path, kernel.kind, kernel.complete, kernel.node) == (
        "raw/kernel.log",
        Kind.KERNEL_LOG,
        True,
        "gpu-7",
    )
    assert kernel.entity is not None
    assert kernel.entity.key == "node/gpu-7"
    assert pod.entity is not None
    assert (pod.entity.kind, pod.entity.key) == (EntityKind.POD, "pod/ml/p-1")


def test_coverage_says_how_completely_each_file_was_read(case: Case) -> None:
    coverage = {entry.path: entry for entry in everything(open_recording(case())).coverage if entry.path}
    assert (coverage["raw/kernel.log"].state, coverage["raw/kernel.log"].lines_read) == (
        CoverageState.COMPLETE,
        2,
    )
    assert (coverage["raw/pod.log"].state, coverage["raw/pod.log"].note) == (CoverageState.PARTIAL, "excerpt")


def test_what_was_not_collected_is_a_gap_and_a_coverage_of_its_kind(case: Case) -> None:
    answer = everything(open_recording(case()))
    absent = [entry for entry in answer.coverage if entry.state is CoverageState.NOT_COLLECTED]
    assert [entry.kind for entry in absent] == [Kind.KERNEL_LOG, Kind.CONTAINER_LOG, Kind.PLAIN]
    assert [gap.why for gap in answer.gaps] == [
        "not collected: kernel log of the other nodes",
        "not collected: container_log of the operator",
        "not collected: the weather",
    ]
    assert all(gap.would_tell for gap in answer.gaps)


def test_a_question_for_kinds_gets_only_those(case: Case) -> None:
    answer = open_recording(case()).read(Question(kinds=(Kind.KERNEL_LOG,)), Window(), None)
    assert [document.kind for document in answer.documents] == [Kind.KERNEL_LOG]
    assert {entry.kind for entry in answer.coverage} == {Kind.KERNEL_LOG}


def test_a_question_for_a_literal_gets_the_documents_that_hold_it(case: Case) -> None:
    answer = open_recording(case()).read(Question(contains="one"), Window(), None)
    assert [document.path for document in answer.documents] == ["raw/pod.log"]


def test_replay_blanks_what_is_later_and_keeps_line_numbers(case: Case) -> None:
    log = "2024-09-20T10:00:00Z a\n2024-09-20T10:00:09Z b\nno time\n2024-09-20T10:00:01Z c\n"
    recording = open_recording(case(MANIFEST, {**FILES, "raw/pod.log": log}))
    answer = recording.read(
        Question(kinds=(Kind.CONTAINER_LOG,)), Window(), datetime(2024, 9, 20, 10, 0, 5, tzinfo=UTC)
    )
    assert list(answer.documents[0].lines) == ["2024-09-20T10:00:00Z a", "", "", "2024-09-20T10:00:01Z c"]


def refuse(*_: object) -> NoReturn:
    pytest.fail("files of a recording are opened through their bodies only")


def test_what_really_happened_is_never_opened_nor_listed(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    true_open = FileBody.open

    def watched(body: FileBody) -> BinaryIO:
        opened.append(body.file.name)
        return true_open(body)

    monkeypatch.setattr(FileBody, "open", watched)
    monkeypatch.setattr(Path, "read_text", refuse)
    monkeypatch.setattr(Path, "read_bytes", refuse)
    listing = {
        **MANIFEST,
        "sources": [
            *MANIFEST["sources"],
            {"path": "truth.yaml", "kind": "operator_notes"},
            {"path": "raw/truth.yaml"},
        ],
    }
    folder = case(
        listing,
        {**FILES, "truth.yaml": "failure_class: secret\n", "raw/truth.yaml": "failure_class: secret\n"},
    )
    answer = everything(open_recording(folder))
    texts = [document.text for document in answer.documents]
    assert set(opened) == {"case.yaml", "kernel.log", "pod.log"}
    assert not any("secret" in text for text in texts)
    assert not any("truth.yaml" in gap.why for gap in answer.gaps)


def test_a_folder_without_a_manifest_hides_the_truth_as_well(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("[1.000000] a\n")
    (tmp_path / "truth.yaml").write_text("failure_class: secret\n")
    answer = everything(open_recording(tmp_path))
    assert [document.path for document in answer.documents] == ["a.log"]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"colour": "red"}, "`case.yaml` has keys that are not understood: `colour`"),
        ({"sources": [{**MANIFEST["sources"][0], "mood": "bad"}]}, "`mood` of `raw/kernel.log`"),
        (
            {"sources": [*MANIFEST["sources"], {"path": "raw/gone.log", "kind": "journal"}]},
            "`raw/gone.log` is missing",
        ),
        (
            {"sources": [*MANIFEST["sources"], {"path": "../../etc/passwd", "kind": "journal"}]},
            "lies outside the recording",
        ),
        (
            {"sources": [*MANIFEST["sources"], {"path": "/etc/passwd", "kind": "journal"}]},
            "lies outside the recording",
        ),
        ({"sources": [*MANIFEST["sources"], {"path": "raw", "kind": "journal"}]}, "`raw` is not a file"),
        (
            {"sources": [{"path": "raw/kernel.log", "kind": "dmesg_output"}]},
            "gives `raw/kernel.log` the unknown kind `dmesg_output`",
        ),
        ({"sources": [MANIFEST["sources"][0]]}, "not listed in `case.yaml` and not read: `raw/pod.log`"),
    ],
)
def test_what_is_odd_in_a_manifest_is_a_gap(case: Case, change: dict[str, Any], expected: str) -> None:
    assert any(expected in why for why in gaps(case({**MANIFEST, **change})))


def test_an_unknown_kind_is_read_by_its_content(case: Case) -> None:
    folder = case({**MANIFEST, "sources": [{"path": "raw/kernel.log", "kind": "dmesg_output"}]})
    assert everything(open_recording(folder)).documents[0].kind is Kind.KERNEL_LOG


def test_a_link_out_of_the_case_is_not_followed(case: Case, tmp_path: Path) -> None:
    outside = tmp_path / "secret.log"
    outside.write_text("secret\n")
    folder = case(
        {**MANIFEST, "sources": [*MANIFEST["sources"], {"path": "raw/link.log", "kind": "journal"}]}
    )
    (folder / "raw/link.log").symlink_to(outside)
    answer = everything(open_recording(folder))
    assert not any("secret" in document.text for document in answer.documents)
    assert any("is a link out of the recording" in gap.why for gap in answer.gaps)


@pytest.mark.parametrize(
    ("content", "expected"),
    [("", "is empty"), ("\x00\x01\x02\x03" * 100, "is binary and was not read")],
)
def test_a_file_that_holds_nothing_readable_is_a_gap(case: Case, content: str, expected: str) -> None:
    folder = case(MANIFEST, {**FILES, "raw/pod.log": content})
    answer = everything(open_recording(folder))
    assert any(expected in gap.why for gap in answer.gaps)
    assert (
        next(entry for entry in answer.coverage if entry.path == "raw/pod.log").state
        is CoverageState.UNAVAILABLE
    )


def test_a_file_that_may_not_be_read_is_a_gap(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = case()
    true_open = FileBody.open

    def refusing(body: FileBody) -> BinaryIO:
        if body.file.name == "pod.log":
            raise PermissionError(13, "Permission denied", str(body.file))
        return true_open(body)

    monkeypatch.setattr(FileBody, "open", refusing)
    assert "`raw/pod.log` cannot be read: permission denied" in gaps(folder)


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        ("", "is not a mapping"),
        ("just text", "is not a mapping"),
        ("{unclosed", "cannot be read"),
        ("sources: 7\n", "`sources`"),
        ("opened_at: never\n", "`opened_at`"),
        ("sources:\n- kind: journal\n", "`sources.0.path`"),
        ("a: &a [*a]\nsources: []\n", "holds no file"),
        ("id: x\nsources: []\n", "holds no file"),
    ],
)
def test_a_manifest_that_cannot_be_used_says_so_in_one_line_with_a_remedy(
    case: Case, manifest: str, message: str
) -> None:
    with pytest.raises(RecordingError, match=message) as caught:
        open_recording(case(manifest))
    assert "\n" not in str(caught.value)


def test_the_manifest_itself_may_be_named(case: Case) -> None:
    assert open_recording(case() / "case.yaml").manifest.id == "t-1"
