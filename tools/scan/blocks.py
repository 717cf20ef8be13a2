"""Cuts the bytes of a document into blocks of whole lines, in flat memory however large or strange it is.

Blocks are UTF-8 (UTF-16 is decoded first, told by its byte order mark) and end at a line feed, except inside a line
longer than a block: then the next block starts with an overlap of the same line, and `fresh` says where new bytes are.
All blocks of a document share one buffer: fresh pages for every block cost more than the scan itself.
"""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Protocol

BLOCK_BYTES = 1024 * 1024
"""How much is scanned at once: as fast as larger blocks (the ADR has the numbers), and what is found stays small."""
LONGEST_LINE = 256 * 1024
"""A line that is longer than this is scanned in pieces."""
OVERLAP = 8 * 1024
"""Bytes of an endless line that are seen again, so that a match over the cut is found. Units: bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Some lines: `data[:size]`, until the next block is asked for. fresh: matches that end before it were seen."""

    data: bytearray
    size: int
    fresh: int = 0

    def view(self) -> memoryview:
        """Return the bytes of the block without a copy."""
        return memoryview(self.data)[: self.size]


class _Source(Protocol):
    def readinto(self, target: memoryview, /) -> int | None: ...


def blocks(
    stream: BinaryIO, *, block_bytes: int = BLOCK_BYTES, longest_line: int = LONGEST_LINE
) -> Iterator[Block]:
    """Return the document in blocks. Every line feed is in exactly one block."""
    buffer = bytearray(block_bytes)
    source, held = _source(stream)
    buffer[: len(held)] = held
    kept, overlap = len(held), 0
    while True:
        size = kept + _fill(source, memoryview(buffer)[kept:])
        if size < block_bytes:
            break
        cut = buffer.rfind(b"\n", 0, size) + 1
        keeps_rest = cut > 0 and size - cut < longest_line
        end = cut if keeps_rest else size
        yield Block(data=buffer, size=end, fresh=overlap)
        rest = bytes(buffer[cut:size]) if keeps_rest else _tail_of_line(buffer, size)
        buffer[: len(rest)] = rest
        kept, overlap = len(rest), 0 if keeps_rest else len(rest)
    if size > overlap:
        yield Block(data=buffer, size=size, fresh=overlap)


def _tail_of_line(buffer: bytearray, size: int) -> bytes:
    """Return the end of the unfinished line at the end of the block, as overlap."""
    begin = max(buffer.rfind(b"\n", 0, size) + 1, size - min(OVERLAP, len(buffer) // 2))
    return bytes(buffer[begin:size])


def _fill(source: _Source, target: memoryview) -> int:
    """Return how many bytes were read: as many as fit, fewer only at the end."""
    filled = 0
    while filled < len(target):
        got = source.readinto(target[filled:])
        if not got:
            break
        filled += got
    return filled


def _source(stream: BinaryIO) -> tuple[_Source, bytes]:
    """Return the stream as UTF-8 bytes without a byte order mark, and the bytes already taken from it."""
    head = stream.read(len(codecs.BOM_UTF8))
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _Utf16(stream, head), b""
    return _Plain(stream), head.removeprefix(codecs.BOM_UTF8)


class _Plain:
    """Any binary stream, also one that can only `read`."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._readinto = getattr(stream, "readinto", None)

    def readinto(self, target: memoryview, /) -> int | None:
        if self._readinto is not None:
            return self._readinto(target)
        data = self._stream.read(len(target))
        target[: len(data)] = data
        return len(data)


class _Utf16:
    """A UTF-16 stream, read as UTF-8."""

    def __init__(self, stream: BinaryIO, head: bytes) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-16")(errors="backslashreplace")
        self._ready = self._text(head, is_last=False)
        self._is_done = False

    def readinto(self, target: memoryview, /) -> int:
        while not self._ready and not self._is_done:
            data = self._stream.read(min(len(target), 1 << 20))
            self._is_done = not data
            self._ready = self._text(data, is_last=self._is_done)
        count = min(len(target), len(self._ready))
        target[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def _text(self, data: bytes, *, is_last: bool) -> bytes:
        return self._decoder.decode(data, final=is_last).encode("utf-8", "surrogatepass")
