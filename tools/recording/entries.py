"""What is known of a file before it is read, and what became of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from firstfault.tools.evidence import Body, Coverage, CoverageState, Document, Gap
from firstfault.tools.kinds import Kind
from firstfault.tools.recording.absences import WOULD_TELL
from firstfault.tools.recording.sniffing import Sniff
from firstfault.tools.recording.subjects import subject

_BLOCK = 1 << 20

Recognise = Callable[[str, Body], Sniff]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A file and what is known of it before it is read."""

    path: str
    body: Body
    source: str
    kind: Kind
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    complete: bool = False
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """An entry to be opened. recognise: tells its kind; None when it is settled. refusal: why it may not be opened."""

    entry: Entry
    recognise: Recognise | None = None
    refusal: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What became of one file."""

    coverage: Coverage
    document: Document | None = None
    gaps: tuple[Gap, ...] = ()


def size_of(entry: Entry) -> int:
    """Return the size of a file in bytes, 0 when it cannot be told."""
    try:
        return entry.body.size
    except OSError:
        return 0


def loaded_text(entry: Entry) -> Loaded:
    """Return the document of a text, and how completely it was read."""
    about = subject(entry.labels)
    document = Document(
        path=entry.path,
        kind=entry.kind,
        body=entry.body,
        source=entry.source,
        query=f"file {entry.path}",
        complete=entry.complete,
        entity=about,
        labels=dict(entry.labels),
        note=entry.note,
    )
    coverage = Coverage(
        source=entry.source,
        kind=entry.kind,
        state=CoverageState.COMPLETE if entry.complete else CoverageState.PARTIAL,
        entity=about,
        lines_read=_line_count(entry.body),
        path=entry.path,
        note=entry.note,
    )
    return Loaded(coverage=coverage, document=document)


def refused(entry: Entry, why: str) -> Loaded:
    """Return the gap for a file that was not read."""
    about = subject(entry.labels)
    coverage = Coverage(
        source=entry.source,
        kind=entry.kind,
        state=CoverageState.UNAVAILABLE,
        entity=about,
        path=entry.path,
        note=why,
    )
    gap = Gap(source=entry.source, why=why, would_tell=WOULD_TELL[entry.kind], entity=about, kind=entry.kind)
    return Loaded(coverage=coverage, gaps=(gap,))


def _line_count(body: Body) -> int:
    lines, last = 0, b"\n"
    with body.open() as stream:
        while block := stream.read(_BLOCK):
            lines += block.count(b"\n")
            last = block[-1:]
    return lines if last == b"\n" else lines + 1
