"""Where the bytes of documents live: in memory, or in a file that is opened on demand."""

import hashlib
import io
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO


@dataclass(frozen=True)
class MemoryBody:
    """Bytes held in memory: answers of live sources, pasted text, members of archives."""

    data: bytes

    @property
    def size(self) -> int:
        """Return the length in bytes."""
        return len(self.data)

    @property
    def sha256(self) -> str:
        """Return the hex digest of all bytes."""
        return self._sha256

    @cached_property
    def _sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    def open(self) -> BinaryIO:
        """Return a new stream over the bytes."""
        return io.BytesIO(self.data)


@dataclass(frozen=True)
class FileBody:
    """A file on disk, streamed: memory stays flat however large it is."""

    file: Path

    @property
    def size(self) -> int:
        """Return the length in bytes."""
        return self._size

    @property
    def sha256(self) -> str:
        """Return the hex digest of all bytes, read in small pieces."""
        return self._sha256

    @cached_property
    def _size(self) -> int:
        return self.file.stat().st_size

    @cached_property
    def _sha256(self) -> str:
        with self.file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()

    def open(self) -> BinaryIO:
        """Return a new stream over the file."""
        return self.file.open("rb")
