"""Whatever people have: a folder, a file, an archive. Recognised, or honestly named as not recognised."""

import bz2
import gzip
import io
import json
import lzma
import os
import pickle
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from firstfault.tools.kinds import Kind
from firstfault.tools.recording import RecordingError, open_recording
from firstfault.tools.recording.errors import (
    ArchiveError,
    NothingUsableError,
    PathMissingError,
    SeveralCasesError,
)
from firstfault.tools.recording.limits import Limits
from firstfault.tools.recording.overrides import Override, parse_override
from firstfault.tools.sources import Answer, Question
from firstfault.tools.times import Window

KERNEL = b"[6781741.548768] NVRM: GPU at PCI:0000:91:00\n[6781741.548779] NVRM: Xid (PCI:0000:91:00): 79\n"
CASE = b"id: c\nquestion: q\nsources:\n- {path: raw/k.log, kind: kernel_log}\n"


def everything(path: Path, *, overrides: tuple[Override, ...] = (), limits: Limits | None = None) -> Answer:
    recording = open_recording(path, overrides=overrides, limits=limits or Limits())
    return recording.read(Question(), Window(), None)


def paths(path: Path, limits: Limits | None = None) -> list[str]:
    return [document.path for document in everything(path, limits=limits).documents]


def plain_tar_of(members: dict[str, bytes]) -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return held.getvalue()


def tar_of(members: dict[str, bytes]) -> bytes:
    return gzip.compress(plain_tar_of(members))


def zip_of(members: dict[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return held.getvalue()


def written(tmp_path: Path, name: str, data: bytes) -> Path:
    file = tmp_path / name
    file.write_bytes(data)
    return file


def test_a_single_file_is_recognised_by_its_content(tmp_path: Path) -> None:
    (document,) = everything(written(tmp_path, "1.txt", KERNEL)).documents
    assert (document.path, document.kind) == ("1.txt", Kind.KERNEL_LOG)
    assert document.note == "taken for kernel_log: 2 of 2 lines look like kernel_log"
    assert document.cite(2).excerpt == "[6781741.548779] NVRM: Xid (PCI:0000:91:00): 79"


@pytest.mark.parametrize(
    "name", ["b.tar", "b.tar.gz", "b.tar.xz", "b.tar.bz2", "b.tar.zst", "b.zip", "renamed.bin"]
)
def test_archives_are_unpacked_by_what_they_are(tmp_path: Path, name: str) -> None:
    members = {"bundle/node-1/dmesg.log": KERNEL, "bundle/readme.txt": b"x\n"}
    plain = plain_tar_of(members)
    data = {
        "b.tar": plain,
        "b.tar.gz": gzip.compress(plain),
        "b.tar.xz": lzma.compress(plain),
        "b.tar.bz2": bz2.compress(plain),
        "b.tar.zst": zstandard.compress(plain),
        "b.zip": zip_of(members),
        "renamed.bin": gzip.compress(plain),
    }[name]
    assert paths(written(tmp_path, name, data)) == ["bundle/node-1/dmesg.log", "bundle/readme.txt"]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("kern.log.1.gz", gzip.compress(KERNEL)),
        ("kern.log.xz", lzma.compress(KERNEL)),
        ("kern.log.zst", zstandard.compress(KERNEL)),
    ],
    ids=["gz", "xz", "zst"],
)
def test_a_packed_file_keeps_its_own_name(tmp_path: Path, name: str, data: bytes) -> None:
    (document,) = everything(written(tmp_path, name, data)).documents
    assert (document.path, document.kind) == (name, Kind.KERNEL_LOG)


def test_an_archive_of_a_case_is_that_case(tmp_path: Path) -> None:
    data = tar_of({"c-1/case.yaml": CASE, "c-1/raw/k.log": KERNEL, "c-1/truth.yaml": b"secret\n"})
    recording = open_recording(written(tmp_path, "c.tgz", data))
    assert recording.manifest.id == "c"
    assert [document.path for document in recording.documents] == ["raw/k.log"]


def test_archives_in_folders_and_in_archives_are_unpacked_one_level(tmp_path: Path) -> None:
    inner = tar_of({"deep.tar.gz": tar_of({"x.log": KERNEL}), "dmesg.log": KERNEL})
    written(tmp_path, "outer.zip", zip_of({"inner.tar.gz": inner, "b.log.gz": gzip.compress(KERNEL)}))
    answer = everything(tmp_path)
    assert [document.path for document in answer.documents] == [
        "outer.zip/inner.tar.gz/dmesg.log",
        "outer.zip/b.log.gz",
    ]
    assert any("an archive inside an archive inside an archive" in gap.why for gap in answer.gaps)


@pytest.mark.parametrize("name", ["../escape.log", "/abs.log", "a/../../b.log", "..\\win.log", "C:\\win.log"])
@pytest.mark.parametrize("pack", [plain_tar_of, zip_of])
def test_members_that_lead_out_of_an_archive_are_left(
    tmp_path: Path, name: str, pack: Callable[[dict[str, bytes]], bytes]
) -> None:
    data = pack({name: KERNEL, "good.log": KERNEL})
    answer = everything(written(tmp_path, "evil.bin", data))
    assert [document.path for document in answer.documents] == ["good.log"]
    assert any("leads out of the archive" in gap.why for gap in answer.gaps)
    assert [file.name for file in tmp_path.iterdir()] == ["evil.bin"]


def test_an_archive_that_holds_only_escapes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="leads out of the archive"):
        everything(written(tmp_path, "evil.tar", plain_tar_of({"../x.log": KERNEL})))


def test_links_and_devices_in_archives_are_not_followed(tmp_path: Path) -> None:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as archive:
        link = tarfile.TarInfo("passwd.log")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
        pipe = tarfile.TarInfo("pipe.log")
        pipe.type = tarfile.FIFOTYPE
        archive.addfile(pipe)
        good = tarfile.TarInfo("good.log")
        good.size = len(KERNEL)
        archive.addfile(good, io.BytesIO(KERNEL))
    answer = everything(written(tmp_path, "links.tar", held.getvalue()))
    assert [document.path for document in answer.documents] == ["good.log"]
    assert {gap.why for gap in answer.gaps} >= {
        "`passwd.log` is a link and was not followed",
        "`pipe.log` is not a file and was not followed",
    }


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (Limits(max_files=2), "holds more than 2 files"),
        (Limits(max_total_bytes=100), "unpacks to more than is allowed"),
        (Limits(max_ratio=10.0, ratio_from_bytes=1000), "as bombs do"),
    ],
)
def test_bombs_are_refused_with_the_remedy(tmp_path: Path, limits: Limits, message: str) -> None:
    data = tar_of({f"{index}.log": b"\x00" * 10_000 + KERNEL for index in range(5)})
    with pytest.raises(ArchiveError, match=message) as caught:
        everything(written(tmp_path, "bomb.tar.gz", data), limits=limits)
    assert "give the " in str(caught.value)


def test_a_bomb_beside_good_files_is_a_gap(tmp_path: Path) -> None:
    written(tmp_path, "good.log", KERNEL)
    written(tmp_path, "bomb.gz", gzip.compress(b"0" * 100_000))
    answer = everything(tmp_path, limits=Limits(max_ratio=10.0, ratio_from_bytes=1000))
    assert [document.path for document in answer.documents] == ["good.log"]
    assert any("as bombs do" in gap.why for gap in answer.gaps)


def test_large_members_go_to_a_temporary_folder_that_goes_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool = tmp_path / "spool"
    spool.mkdir()
    monkeypatch.setenv("TMPDIR", str(spool))
    monkeypatch.setattr("tempfile.tempdir", None)
    recording = open_recording(
        written(tmp_path, "k.log.gz", gzip.compress(KERNEL * 1000)), limits=Limits(memory_bytes=1000)
    )
    assert len(list(spool.iterdir())) == 1
    assert recording.documents[0].cite(1999).line_start == 1999
    del recording
    assert list(spool.iterdir()) == []


def test_cut_archives_give_what_can_be_read(tmp_path: Path) -> None:
    data = tar_of({f"{index}.log": os.urandom(2000).hex().encode() + b"\n" for index in range(10)})
    answer = everything(written(tmp_path, "cut.tar.gz", data[: len(data) * 6 // 10]))
    assert 0 < len(answer.documents) < 10
    assert any("is cut or broken after" in gap.why for gap in answer.gaps)


def test_an_archive_cut_before_its_first_file_is_refused(tmp_path: Path) -> None:
    data = tar_of({"a.log": os.urandom(2000).hex().encode()})
    with pytest.raises(ArchiveError, match="is cut or broken after 0 files"):
        everything(written(tmp_path, "cut.tar.gz", data[:200]))


def test_a_pickled_flight_recorder_is_read_without_running_it(tmp_path: Path) -> None:
    dump = {"version": "2.5", "rank": 3, "entries": [{"state": "started", "collective_seq_id": 78}]}
    (document,) = everything(written(tmp_path, "trace_3", pickle.dumps(dump))).documents
    assert document.kind is Kind.FLIGHT_RECORDER
    assert json.loads(document.text) == dump
    assert document.note == "a pickle, shown as JSON; nothing in it was executed"


class Trap:
    """Would run a function when unpickled."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return pytest.fail, ("a pickle was executed",)


def test_a_pickle_that_would_run_something_is_refused(tmp_path: Path) -> None:
    written(tmp_path, "good.log", KERNEL)
    written(tmp_path, "evil.pkl", pickle.dumps({"entries": [Trap()]}))
    answer = everything(tmp_path)
    assert any("holds more than plain values; it was not opened" in gap.why for gap in answer.gaps)


@pytest.mark.parametrize(
    ("name", "data", "error", "message"),
    [
        ("missing", None, PathMissingError, "does not exist; give the path"),
        ("zero.log", b"", NothingUsableError, "is empty"),
        ("binary.bin", bytes(range(256)) * 50, NothingUsableError, "is binary"),
        ("not.zip", b"PK\x03\x04broken", ArchiveError, "is cut or broken"),
        ("not.gz", b"\x1f\x8bbroken", ArchiveError, "is cut or broken"),
    ],
)
def test_nothing_usable_is_one_line_with_the_remedy(
    tmp_path: Path, name: str, data: bytes | None, error: type[RecordingError], message: str
) -> None:
    if data is not None:
        written(tmp_path, name, data)
    with pytest.raises(error, match=message) as caught:
        everything(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NothingUsableError, match="it is empty"):
        everything(tmp_path)


def test_two_cases_at_once_are_refused(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        written(tmp_path / name, "case.yaml", CASE)
    with pytest.raises(SeveralCasesError, match="holds 2 cases; give one of them, such as"):
        open_recording(tmp_path)
    with pytest.raises(SeveralCasesError, match="unpack it and give one of them"):
        open_recording(written(tmp_path, "two.zip", zip_of({"a/case.yaml": CASE, "b/case.yaml": CASE})))


def test_one_endless_line_is_read(tmp_path: Path) -> None:
    (document,) = everything(written(tmp_path, "one.log", b"x" * 3_000_000)).documents
    assert len(document.lines) == 1


def test_a_human_overrules_what_was_recognised(tmp_path: Path) -> None:
    file = written(tmp_path, "x.txt", KERNEL)
    override = parse_override("journal:node=gpu-7,rank=3", str(file))
    (document,) = everything(file, overrides=(override,)).documents
    assert (document.kind, document.labels) == (Kind.JOURNAL, {"node": "gpu-7", "rank": "3"})


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("dmesg", "is not a kind; use one of"),
        ("journal:host", "write `key=value`"),
        ("journal:colour=red", "write `key=value`"),
        ("journal:node=", "write `key=value`"),
    ],
)
def test_an_override_that_says_nothing_is_refused(spec: str, message: str) -> None:
    with pytest.raises(RecordingError, match=message):
        parse_override(spec, "x")


def test_an_override_of_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    written(tmp_path, "x.log", KERNEL)
    with pytest.raises(
        RecordingError, match=r"`y\.log`, which is not part of the recording; it holds `x\.log`"
    ):
        everything(tmp_path, overrides=(parse_override("journal", "y.log"),))


def test_files_that_were_not_recognised_are_named_once(tmp_path: Path) -> None:
    for index in range(12):
        written(tmp_path, f"{index:02d}.dat", b"zzz qqq\nblah\n")
    (gap,) = everything(tmp_path).gaps
    assert gap.why.startswith("not recognised, only their lines are searched: `00.dat`, ")
    assert "and 2 more; say what a file is with `--as KIND FILE`" in gap.why


def test_a_text_that_speaks_for_two_kinds_is_a_gap(tmp_path: Path) -> None:
    text = "CA 'mlx5_0'\n\tState: Active\nGPU 0: NVIDIA H100 (UUID: GPU-1)\n\t Link 0: <inactive>\nx\ny\n"
    (gap,) = everything(written(tmp_path, "both.txt", text.encode())).gaps
    assert "was taken for nvidia_smi" in gap.why
    assert "but holds lines of ibstat too" in gap.why
