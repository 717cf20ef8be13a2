"""Reads stored chunks as one seekable stream, checking what it reads."""

import hashlib
import io
from typing import BinaryIO, cast

import zstandard

from firstfault.agent.store.database import Database
from firstfault.agent.store.errors import StoredBytesError
from firstfault.agent.store.tables import ChunkRow

CHUNK_BYTES = 1 << 20
"""Raw bytes in every chunk but the last: what one read holds in memory."""


class ChunkStream(io.RawIOBase):
    """Gives the bytes of one upload; one chunk is in memory, nothing in the database is held open.

    The digest is checked when the stream was read from its start to its end without a jump.
    """

    def __init__(self, database: Database, sha256: str, upload: str, size: int) -> None:
        """Take where the chunks are and what they must add up to."""
        super().__init__()
        self._database = database
        self._sha256 = sha256
        self._upload = upload
        self._size = size
        self._at = 0
        self._digest = hashlib.sha256()
        self._digested = 0
        self._held: tuple[int, bytes] = (-1, b"")

    @classmethod
    def buffered(cls, database: Database, sha256: str, upload: str, size: int) -> BinaryIO:
        """Return the stream with a buffer in front."""
        return cast("BinaryIO", io.BufferedReader(cls(database, sha256, upload, size), CHUNK_BYTES))

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return the position."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Return the new position."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # pyright: ignore[reportIncompatibleMethodOverride] - io gives a memoryview
        """Return how many bytes were put into `buffer`. Raises StoredBytesError when chunks are missing or damaged."""
        if self._at >= self._size or not len(buffer):
            return 0
        position, start = divmod(self._at, CHUNK_BYTES)
        part = self._chunk(position)[start : start + len(buffer)]
        if not part:
            raise self._damaged()
        buffer[: len(part)] = part
        self._check(part)
        self._at += len(part)
        return len(part)

    def _chunk(self, position: int) -> bytes:
        if self._held[0] != position:
            with self._database.reading() as session:
                row = session.get(ChunkRow, (self._upload, position))
                packed = None if row is None else row.data
            if packed is None:
                raise self._damaged()
            try:
                chunk = zstandard.ZstdDecompressor().decompress(packed, max_output_size=CHUNK_BYTES)
            except zstandard.ZstdError as error:
                raise self._damaged() from error
            self._held = (position, chunk)
        return self._held[1]

    def _check(self, part: bytes) -> None:
        if self._digested != self._at:
            return
        self._digest.update(part)
        self._digested += len(part)
        if self._digested == self._size and self._digest.hexdigest() != self._sha256:
            raise self._damaged()

    def _damaged(self) -> StoredBytesError:
        return StoredBytesError(f"the stored bytes `{self._sha256[:12]}` are damaged: restore a backup")
