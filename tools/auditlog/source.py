"""The audit log as a source: the end of its file, cut down to writes of what an incident is about."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from firstfault.tools.auditlog.records import Concern, Record, is_change, line_of, records
from firstfault.tools.bodies import MemoryBody
from firstfault.tools.evidence import Coverage, CoverageState, Document, Gap
from firstfault.tools.kinds import Kind
from firstfault.tools.sources import Answer, Question, namespaces_asked, narrowed, nodes_asked
from firstfault.tools.times import Window

LOOK_BACK = timedelta(hours=24)
"""How far before the window changes are told. Ours."""
TAIL_BYTES = 64 * 1024 * 1024
"""How much of the end of the file is read. Ours: some fifty thousand records."""
PATH = "kubernetes/audit.log"


class NoRecordsError(ValueError):
    """The file is something else; one line."""


@dataclass(frozen=True, kw_only=True)
class AuditLogSource:
    """Reads one file, and the one that was rotated away last (`FILE.1`). clock: aware UTC."""

    file: Path
    nodes: tuple[str, ...]
    namespaces: tuple[str, ...]
    clock: Callable[[], datetime]

    @property
    def name(self) -> str:
        """Return the name shown in reports and audit."""
        return "audit log"

    def read(self, question: Question, window: Window, as_of: datetime | None) -> Answer:
        """Return the writes in scope, the oldest first, nothing later than `as_of`."""
        nodes, namespaces = nodes_asked(question, self.nodes), namespaces_asked(question, self.namespaces)
        now = self.clock()
        until = min(moment for moment in (window.end, as_of, now) if moment is not None)
        since = min(window.start or until, until) - LOOK_BACK
        concern = Concern(nodes=nodes, namespaces=namespaces, since=since, until=until)
        try:
            found, is_whole = self.tail()
        except OSError as error:
            reason = (error.strerror or type(error).__name__).lower()
            why = f"`{self.file}` cannot be read ({reason}): set `audit_log.file`, or `audit_log.receive`"
            return narrowed(self._missed(why, error), question)
        except NoRecordsError as error:
            return narrowed(self._missed(str(error)), question)
        kept = [line_of(each) for each in found if is_change(each) and concern.touches(each)]
        body = MemoryBody(b"".join(line + b"\n" for line in kept))
        document = Document(
            path=PATH,
            kind=Kind.AUDIT_LOG,
            body=body,
            source=self.name,
            query=f"{self.file}: writes in scope since {since:%Y-%m-%dT%H:%M:%SZ}, without request bodies",
            window=Window(start=since, end=until),
            fetched_at=now,
        )
        coverage = Coverage(
            source=self.name,
            kind=Kind.AUDIT_LOG,
            state=CoverageState.PARTIAL,
            path=PATH,
            window=document.window,
            lines_read=len(found),
            note="what the audit policy leaves out is not known"
            if is_whole
            else f"the last {TAIL_BYTES} bytes",
        )
        gaps = (
            () if found else (self._gap(f"`{self.file}` is empty: nothing was written, or nobody writes it"),)
        )
        return narrowed(Answer(documents=(document,), coverage=(coverage,), gaps=gaps), question)

    def tail(self) -> tuple[list[Record], bool]:
        """Return the last records, and whether these are all. Raises OSError, and NoRecordsError for another file."""
        data, is_whole = self._tail()
        found = [each for each in records(data) if "verb" in each]
        if data.strip() and not found:
            msg = f"`{self.file}` holds no audit records: it is not what the API server writes"
            raise NoRecordsError(msg)
        return found, is_whole

    def _tail(self) -> tuple[bytes, bool]:
        """Return the end of what was written, and whether that is all. Raises OSError."""
        data, is_whole = _end_of(self.file, TAIL_BYTES)
        rotated = self.file.with_name(f"{self.file.name}.1")
        if is_whole and rotated.is_file():
            before, is_whole = _end_of(rotated, TAIL_BYTES - len(data))
            data = before + b"\n" + data
        return data, is_whole

    def _missed(self, why: str, error: OSError | None = None) -> Answer:
        is_denied = isinstance(error, PermissionError)
        state = CoverageState.DENIED if is_denied else CoverageState.UNAVAILABLE
        entry = Coverage(source=self.name, kind=Kind.AUDIT_LOG, state=state, note=str(self.file))
        return Answer(coverage=(entry,), gaps=(self._gap(why),))

    def _gap(self, why: str) -> Gap:
        would_tell = "who changed what in the cluster, and when"
        return Gap(source=self.name, why=why, would_tell=would_tell, kind=Kind.AUDIT_LOG)


def _end_of(file: Path, most: int) -> tuple[bytes, bool]:
    with file.open("rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(max(0, size - most))
        data = stream.read(most)
    return data, size <= most
