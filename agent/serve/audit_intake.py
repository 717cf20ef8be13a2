"""Takes what the API server's audit webhook posts and keeps the changes, one a line, in a file that does not grow for ever."""

import os
import threading
from dataclasses import dataclass, field
from pathlib import Path

from firstfault.tools.auditlog.records import is_change, line_of, records

MOST_BYTES = 32 * 1024 * 1024
"""The file is rotated away (`FILE.1`) at this size. Ours: some fifty thousand changes without their bodies."""


class AuditIntakeError(Exception):
    """What came cannot be kept; one line that names the remedy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditIntake:
    """Appends changes to one file."""

    file: Path
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def take(self, body: bytes) -> int:
        """Return how many changes were kept, once they are on disk. Raises AuditIntakeError."""
        lines = [line_of(each) + b"\n" for each in records(body) if is_change(each)]
        if not lines:
            return 0
        try:
            with self._lock:
                self._append(b"".join(lines))
        except OSError as error:
            msg = f"`{self.file}` cannot be written ({(error.strerror or '').lower()}): set `audit_log.file` or free the disk"
            raise AuditIntakeError(msg) from error
        return len(lines)

    def _append(self, data: bytes) -> None:
        if self.file.exists() and self.file.stat().st_size + len(data) > MOST_BYTES:
            self.file.replace(self.file.with_name(f"{self.file.name}.1"))
        handle = os.open(self.file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            # A record that was cut by a power cut must not swallow the next.
            os.write(handle, data if self._ends_a_line() else b"\n" + data)
            os.fsync(handle)
        finally:
            os.close(handle)

    def _ends_a_line(self) -> bool:
        with self.file.open("rb") as stream:
            if stream.seek(0, 2) == 0:
                return True
            stream.seek(-1, 2)
            return stream.read(1) == b"\n"
