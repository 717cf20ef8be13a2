"""Bad input: nothing usable is exit 2 and one line that names the remedy; partly usable is a gap in the report."""

import errno
import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.cli.conftest import Run

XID = "[6781741.548779] NVRM: Xid (PCI:0000:91:00): 79, pid=1, name=python, GPU has fallen off the bus.\n"
CASE = """id: c
question: why?
sources:
- {path: raw/kernel.log, kind: kernel_log, mood: bad}
- {path: raw/gone.log, kind: journal}
"""


def written(path: Path, data: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


@pytest.mark.parametrize(
    ("name", "data", "remedy"),
    [
        ("missing", None, "give the path of a folder, an archive or a file"),
        ("empty.log", b"", "give logs"),
        ("noise.bin", bytes(range(256)) * 64, "give logs"),
        ("broken.zip", b"PK\x03\x04 no zip", "pack it again or give the files themselves"),
        ("broken.gz", b"\x1f\x8b no gzip", "pack it again or give the files themselves"),
        ("zeros.gz", gzip.compress(bytes(1000), mtime=0), "give logs"),
    ],
)
def test_nothing_usable_is_exit_2_with_one_line(
    run: Run, tmp_path: Path, name: str, data: bytes | None, remedy: str
) -> None:
    path = tmp_path / "in" / name
    if data is not None:
        written(path, data)
    done = run("investigate", path, "--json")
    assert done.exit_code == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("firstfault: ")
    assert remedy in line


def test_two_cases_at_once_are_refused_with_the_name_of_one(run: Run, tmp_path: Path) -> None:
    for name in ("a", "b"):
        written(tmp_path / "in" / name / "case.yaml", CASE)
    done = run("investigate", tmp_path / "in")
    assert done.exit_code == 2
    assert "holds 2 cases; give one of them" in done.stderr


def test_partly_usable_input_is_a_report_with_gaps(run: Run, tmp_path: Path) -> None:
    written(tmp_path / "c" / "case.yaml", CASE)
    written(tmp_path / "c" / "raw" / "kernel.log", XID)
    written(tmp_path / "c" / "raw" / "unlisted.bin", bytes(range(256)) * 64)
    done = run("investigate", tmp_path / "c", "--json")
    assert done.exit_code == 0
    report = json.loads(done.stdout)
    why = " ".join(gap["why"] for gap in report["gaps"])
    assert "`raw/gone.log` is missing" in why
    assert "`mood` of `raw/kernel.log`" in why
    assert "`raw/unlisted.bin`" in why
    assert report["first_fault"]["path"] == "raw/kernel.log"


def test_one_endless_line_is_read(run: Run, tmp_path: Path) -> None:
    path = written(tmp_path / "kernel.log", XID.strip() + " " + "x" * 3_000_000)
    done = run("investigate", path, "--json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["first_fault"]["line"] == 1


def test_a_full_disk_leaves_the_old_report_as_it_was(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, page = (
        written(tmp_path / "in" / "kernel.log", XID),
        written(tmp_path / "out" / "report.html", "the old report"),
    )

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("firstfault.cli.files.os", SimpleNamespace(fsync=full))
    done = run("investigate", log, "--html", page)
    assert done.exit_code != 0
    assert "free the disk" in done.stderr
    assert page.read_text() == "the old report"
    assert [file.name for file in page.parent.iterdir()] == ["report.html"]


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Children can be interrupted, also where the tests run in the background of a shell that ignores SIGINT."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_while_reading_leaves_nothing_half_written(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    (tmp_path / "in").mkdir()
    with gzip.open(tmp_path / "in" / "large.log.gz", "wb", compresslevel=1) as stream:
        for _ in range(300):
            stream.write(XID.encode() * 5_000)
    spool = tmp_path / "spool"
    spool.mkdir()
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "xdg"), "TMPDIR": str(spool)}
    command = [
        sys.executable,
        "-m",
        "firstfault.cli",
        "investigate",
        str(tmp_path / "in"),
        "--html",
        str(page),
    ]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        deadline = time.monotonic() + 60
        while not any(spool.iterdir()) and process.poll() is None and time.monotonic() < deadline:
            os.sched_yield()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode != 0
    assert not page.exists()
    assert list(spool.iterdir()) == []
