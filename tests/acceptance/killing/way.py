"""A way to Postgres that sees every COMMIT pass, and kills who sent it: before it arrives, or before its answer does."""

import re
import select
import socket
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Self

from tests.acceptance.killing.scythe import Kind, Scythe, Side

_COMMIT = b"Q\x00\x00\x00\x0bCOMMIT\x00"
"""The whole message: a simple query. Source: PostgreSQL, frontend/backend protocol, message formats, Query."""


class Way:
    """Listens on a socket of its own, and passes everything on both ways."""

    def __init__(self, url: str, scythe: Scythe) -> None:
        """Take the URL of the real server (a folder with a socket) and what kills."""
        folder = re.search(r"host=([^&]+)", url)
        assert folder is not None
        self.scythe = scythe
        self._real = str(Path(folder[1].replace("%2F", "/")) / ".s.PGSQL.5432")
        self._folder = tempfile.TemporaryDirectory(prefix="way")
        self._listening = socket.socket(socket.AF_UNIX)
        self.url = url.replace(folder[1], self._folder.name)
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Self:
        """Start to listen."""
        self._listening.bind(str(Path(self._folder.name) / ".s.PGSQL.5432"))
        self._listening.listen()
        self._begin(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        """Stop listening; connections end with who made them."""
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for thread in self._threads:
            thread.join()
        self._folder.cleanup()

    def _begin(self, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            self._begin(_Connection(near, self._real, self.scythe).serve)


class _Connection:
    """One connection: what comes from near is passed on, what comes from far is passed back."""

    def __init__(self, near: socket.socket, real: str, scythe: Scythe) -> None:
        self._near = near
        self._far = socket.socket(socket.AF_UNIX)
        self._far.connect(real)
        self._scythe = scythe
        self._is_dying = False

    def serve(self) -> None:
        """Pass both ways until one side has gone, or who is near was killed."""
        with self._near, self._far, suppress(OSError):
            while True:
                ready, _, _ = select.select((self._near, self._far), (), ())
                for end in ready:
                    said = end.recv(1 << 16)
                    if not said or not self._is_passed(end, said):
                        return

    def _is_passed(self, end: socket.socket, said: bytes) -> bool:
        if end is self._near:
            side = self._scythe.passing(Kind.COMMIT) if said == _COMMIT else None
            is_kept = side is Side.BEFORE
            self._is_dying = side is Side.AFTER
        else:
            is_kept = self._is_dying
        if is_kept:
            self._scythe.strike()
            return False
        (self._far if end is self._near else self._near).sendall(said)
        return True
