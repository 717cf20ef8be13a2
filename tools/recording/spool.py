"""Keeps unpacked files: small ones in memory, large ones in a temporary folder that goes away with the last user."""

import os
import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Protocol

from firstfault.tools.bodies import FileBody, MemoryBody
from firstfault.tools.evidence import Body

_BLOCK = 1 << 20


class Readable(Protocol):
    """Something that bytes can be read from."""

    def read(self, size: int = ..., /) -> bytes:
        """Return up to `size` bytes; none at the end."""
        ...


class SpoolFolder:
    """A temporary folder that is removed when nothing refers to it any more, at the latest when the process ends."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="firstfault-"))
        weakref.finalize(self, _remove, self.path, os.getpid())


def _remove(folder: Path, owner_pid: int) -> None:
    """Remove `folder`, unless this is a child process that only inherited it."""
    if os.getpid() == owner_pid:
        shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True)
class SpooledBody(FileBody):
    """A file in the spool; holding it keeps the spool's folder."""

    folder: SpoolFolder | None = field(default=None, compare=False, repr=False)

    def __reduce__(self) -> tuple[type[FileBody], tuple[Path]]:
        """Travel to other processes as a plain file: the folder stays with the one that made it."""
        return FileBody, (self.file,)


class Spool:
    """Stores streams. Nothing is named after what an archive says."""

    def __init__(self, memory_bytes: int) -> None:
        self._memory_bytes = memory_bytes
        self._folder: SpoolFolder | None = None
        self._count = 0
        self._lock = threading.Lock()

    def store(self, stream: Readable, spend: Callable[[int], None]) -> Body:
        """Return the bytes of `stream`; `spend` is told of every block and may raise to stop."""
        head = b""
        while len(head) <= self._memory_bytes:
            block = stream.read(min(_BLOCK, self._memory_bytes + 1 - len(head)))
            if not block:
                return MemoryBody(head)
            spend(len(block))
            head += block
        return self._to_file(head, stream, spend)

    def _to_file(self, head: bytes, stream: Readable, spend: Callable[[int], None]) -> Body:
        with self._lock:
            folder = self._folder = self._folder or SpoolFolder()
            self._count += 1
            file = folder.path / f"{self._count:06d}"
        with file.open("wb") as target:
            self._copy(head, stream, target, spend)
        return SpooledBody(file, folder)

    @staticmethod
    def _copy(head: bytes, stream: Readable, target: BinaryIO, spend: Callable[[int], None]) -> None:
        target.write(head)
        while block := stream.read(_BLOCK):
            spend(len(block))
            target.write(block)
