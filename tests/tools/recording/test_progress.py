"""Progress is told while a recording is read, and only to a terminal."""

import io
from pathlib import Path

from firstfault.cli.progress import ReadingLine, reading_progress
from firstfault.tools.recording import open_recording
from firstfault.tools.recording.progress import SILENT, Tally


class Notes:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.total = Tally()
        self.told: list[Tally] = []
        self.has_ended = False

    def begin(self, total: Tally) -> None:
        self.total = total

    def advance(self, done: Tally) -> None:
        self.told.append(done)

    def end(self) -> None:
        self.has_ended = True


def test_progress_tells_files_bytes_and_lines(tmp_path: Path) -> None:
    for index in range(5):
        (tmp_path / f"{index}.log").write_bytes(b"[1.000000] a\n" * 10)
    notes = Notes()
    open_recording(tmp_path, progress=notes)
    assert notes.total == Tally(files=5, size=650)
    assert notes.told[-1] == Tally(files=5, size=650, lines=50)
    assert [tally.files for tally in notes.told] == [1, 2, 3, 4, 5]
    assert notes.has_ended


def test_the_line_of_a_terminal_has_what_is_left() -> None:
    ticks = iter([0.0, 2.0, 2.01, 4.0])
    stream = io.StringIO()
    line = ReadingLine(stream, lambda: next(ticks))
    line.begin(Tally(files=4, size=4_000_000))
    line.advance(Tally(files=1, size=1_000_000, lines=1000))
    line.advance(Tally(files=2, size=1_500_000, lines=1500))
    line.advance(Tally(files=3, size=2_000_000, lines=2000))
    line.end()
    assert stream.getvalue().split("\r\x1b[2K") == [
        "",
        "read 1 of 4 files, 1 of 4 MB, 1,000 lines, 6 s left",
        "read 3 of 4 files, 2 of 4 MB, 2,000 lines, 4 s left",
        "",
    ]


def test_nothing_is_shown_in_a_pipe() -> None:
    assert reading_progress(io.StringIO()) is SILENT
