"""Opens compressed streams by what they are, not by what they are called."""

import bz2
import gzip
import lzma
import zlib
from enum import StrEnum
from typing import BinaryIO, cast

import zstandard

BROKEN_STREAM = (EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError, OSError, ValueError)
"""What the decompressors raise for cut or broken input; `gzip.BadGzipFile` is an OSError."""

_TAR_MAGIC_AT = 257
HEAD_BYTES = 512


class Packing(StrEnum):
    """How bytes are packed, told by their first bytes."""

    ZIP = "zip"
    TAR = "tar"
    GZIP = "gzip"
    XZ = "xz"
    BZIP2 = "bzip2"
    ZSTD = "zstd"
    NONE = "none"


_MAGIC = (
    (b"PK\x03\x04", Packing.ZIP),
    (b"PK\x05\x06", Packing.ZIP),
    (b"\x1f\x8b", Packing.GZIP),
    (b"\xfd7zXZ\x00", Packing.XZ),
    (b"BZh", Packing.BZIP2),
    (b"\x28\xb5\x2f\xfd", Packing.ZSTD),
)


def packing_of(head: bytes) -> Packing:
    """Return how a file that begins with `head` (512 bytes are enough) is packed."""
    for magic, packing in _MAGIC:
        if head.startswith(magic):
            return packing
    return Packing.TAR if head[_TAR_MAGIC_AT : _TAR_MAGIC_AT + 5] == b"ustar" else Packing.NONE


def unpacked(stream: BinaryIO, packing: Packing) -> BinaryIO:
    """Return a stream over the unpacked bytes of `stream`; a plain stream comes back as it is."""
    if packing is Packing.GZIP:
        return cast("BinaryIO", gzip.GzipFile(fileobj=stream, mode="rb"))
    if packing is Packing.XZ:
        return cast("BinaryIO", lzma.LZMAFile(stream, mode="rb"))
    if packing is Packing.BZIP2:
        return cast("BinaryIO", bz2.BZ2File(stream, mode="rb"))
    if packing is Packing.ZSTD:
        reader = zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(
            stream, read_across_frames=True
        )
        return cast("BinaryIO", reader)
    return stream
