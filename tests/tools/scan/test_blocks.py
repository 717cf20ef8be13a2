import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstfault.tools.scan.blocks import blocks

LINES = st.lists(st.binary(max_size=40).map(lambda data: data.replace(b"\n", b"")), max_size=30).map(
    b"\n".join
)


def parts(data: bytes, block: int, longest: int = 8) -> list[tuple[bytes, int]]:
    stream = io.BytesIO(data)
    return [
        (bytes(each.view()), each.fresh) for each in blocks(stream, block_bytes=block, longest_line=longest)
    ]


@given(LINES, st.integers(min_value=16, max_value=200))
def test_blocks_without_their_overlap_are_the_document(data: bytes, block: int) -> None:
    data = data.removeprefix(b"\xef\xbb\xbf")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return
    assert b"".join(piece[fresh:] for piece, fresh in parts(data, block)) == data


@given(LINES, st.integers(min_value=64, max_value=200))
def test_blocks_end_at_line_feeds_when_lines_are_short(data: bytes, block: int) -> None:
    short = b"\n".join(line[:7] for line in data.split(b"\n")).removeprefix(b"\xef\xbb\xbf")
    if short.startswith((b"\xff\xfe", b"\xfe\xff")):
        return
    pieces = parts(short, block)
    assert all(piece.endswith(b"\n") and not fresh for piece, fresh in pieces[:-1])


def test_an_endless_line_comes_in_pieces_that_overlap() -> None:
    pieces = parts(b"x" * 1000, 100)
    assert len(pieces) > 5
    assert all(0 < fresh < len(piece) for piece, fresh in pieces[1:])


def test_the_rest_of_an_endless_line_is_no_line_of_its_own() -> None:
    pieces = parts(b"a\n" + b"x" * 300 + b"\nb\n", 100)
    assert sum(piece[fresh:].count(b"\n") for piece, fresh in pieces) == 3


@pytest.mark.parametrize("name", ["utf-16", "utf-16-be"])
def test_utf16_is_read_as_utf8(name: str) -> None:
    text = "erste Zeile\nzweite – Zeile €\n"
    mark = "\ufeff" if name == "utf-16-be" else ""
    assert b"".join(piece for piece, _ in parts((mark + text).encode(name), 64, 60)) == text.encode()


def test_a_utf8_mark_is_not_part_of_the_first_line() -> None:
    assert parts(b"\xef\xbb\xbfone\n", 64) == [(b"one\n", 0)]


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf", b"\xff\xfe"])
def test_nothing_gives_no_block(data: bytes) -> None:
    assert parts(data, 64) == []


class OnlyRead(io.RawIOBase):
    """A stream as archives hand out: it can `read` and nothing else."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self._data = io.BytesIO(data)

    readinto = None  # type: ignore[assignment]  # what the test is about

    def read(self, size: int = -1) -> bytes:
        return self._data.read(size)


def test_streams_that_can_only_read_are_enough() -> None:
    stream = OnlyRead(b"one\ntwo\n")
    assert [bytes(each.view()) for each in blocks(stream, block_bytes=64)] == [b"one\ntwo\n"]  # type: ignore[arg-type]  # BinaryIO asks for more than is used
