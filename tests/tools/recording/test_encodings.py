"""Whatever the encoding, an excerpt is a substring of the decoded line, and for UTF-8 of the raw line."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstfault.tools.kinds import Kind
from firstfault.tools.recording import open_recording
from firstfault.tools.recording.encodings import is_binary, wide_encoding
from tests.documents import document

LINE = "[6781741.548779] NVRM: Xid (PCI:0000:91:00): 79, GPU has fallen off the bus. ✗"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (f"{LINE}\nx\n".encode(), LINE),
        (f"\ufeff{LINE}\nx\n".encode(), LINE),
        (f"{LINE}\r\nx\r\n".encode(), LINE),
        (f"\ufeff{LINE}\nx\n".encode("utf-16-le"), LINE),
        (f"\ufeff{LINE}\nx\n".encode("utf-16-be"), LINE),
        (f"{LINE}\nx\n".encode("utf-16-le"), LINE),
        (b"\x00" * 64 + f"{LINE}\nx\n".encode(), "\x00" * 64 + LINE),
        (f"\x1b[31m{LINE}\x1b[0m\nx\n".encode(), f"\x1b[31m{LINE}\x1b[0m"),
        (b"caf\xe9 " + LINE.encode() + b"\nx\n", "caf\\xe9 " + LINE),
    ],
)
def test_the_excerpt_is_the_decoded_line(tmp_path: Path, data: bytes, expected: str) -> None:
    (tmp_path / "k.log").write_bytes(data)
    (held,) = open_recording(tmp_path).documents
    assert held.cite(1).excerpt == expected
    assert held.cite(2).excerpt == "x"
    assert len(held.lines) == 2


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=200))
def test_excerpts_of_utf_8_stand_in_the_raw_file_line_for_line(text: str) -> None:
    held = document(text, Kind.PLAIN)
    raw = text.removeprefix("\ufeff").split("\n")
    for number in range(1, len(held.lines) + 1):
        assert held.cite(number).excerpt in raw[number - 1]


@pytest.mark.parametrize(
    ("data", "is_text"),
    [
        (b"plain", True),
        (b"", True),
        (b"\x00\x00\x00text after a crash", True),
        (b"\x7fELF\x02\x01\x01" + bytes(60), False),
        (b"\xff\xfea\x00", True),
    ],
)
def test_text_is_told_from_binary(data: bytes, is_text: bool) -> None:
    assert is_binary(data) is not is_text


def test_wide_text_without_a_mark_is_told_by_its_zeros() -> None:
    assert wide_encoding("some text here".encode("utf-16-le")) == "utf-16-le"
    assert wide_encoding("some text here".encode("utf-16-be")) == "utf-16-be"
    assert wide_encoding(b"some text here") is None
