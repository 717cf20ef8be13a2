"""Turns one file of a recording into a document, or into a gap that says why not."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from firstfault.tools.bodies import MemoryBody
from firstfault.tools.evidence import MAX_TEXT_BYTES, Body, Coverage, CoverageState, Document, Gap
from firstfault.tools.kinds import Kind
from firstfault.tools.recording.absences import WOULD_TELL
from firstfault.tools.recording.encodings import SAMPLE_BYTES, is_binary, wide_encoding
from firstfault.tools.recording.subjects import subject

_BLOCK = 1 << 20


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
class Loaded:
    """What became of one entry."""

    coverage: Coverage
    document: Document | None = None
    gaps: tuple[Gap, ...] = ()


def load(entry: Entry) -> Loaded:
    """Return the document of `entry`, with how completely it was read; a broken file is a gap."""
    try:
        with entry.body.open() as stream:
            sample = stream.read(SAMPLE_BYTES)
        size = entry.body.size
    except OSError as error:
        reason = error.strerror or "cannot be read"
        return _refused(entry, CoverageState.UNAVAILABLE, f"`{entry.path}` cannot be read: {reason.lower()}")
    if not size:
        return _refused(entry, CoverageState.UNAVAILABLE, f"`{entry.path}` is empty")
    if is_binary(sample):
        return _refused(entry, CoverageState.UNAVAILABLE, f"`{entry.path}` is binary and was not read")
    body, note = _as_text(entry, sample)
    about = subject(entry.labels)
    document = Document(
        path=entry.path,
        kind=entry.kind,
        body=body,
        source=entry.source,
        query=f"file {entry.path}",
        complete=entry.complete,
        entity=about,
        labels=dict(entry.labels),
        note=note,
    )
    state = CoverageState.COMPLETE if entry.complete else CoverageState.PARTIAL
    coverage = Coverage(
        source=entry.source,
        kind=entry.kind,
        state=state,
        entity=about,
        lines_read=_line_count(body),
        path=entry.path,
        note=entry.note,
    )
    return Loaded(coverage=coverage, document=document)


def _as_text(entry: Entry, sample: bytes) -> tuple[Body, str | None]:
    encoding = wide_encoding(sample)
    if encoding is None or entry.body.size > MAX_TEXT_BYTES:
        return entry.body, entry.note
    with entry.body.open() as stream:
        text = stream.read().decode(encoding, errors="backslashreplace")
    note = f"read as {encoding}, which the file does not say"
    return MemoryBody(text.encode("utf-8", "backslashreplace")), f"{entry.note}; {note}" if entry.note else note


def _refused(entry: Entry, state: CoverageState, why: str) -> Loaded:
    about = subject(entry.labels)
    coverage = Coverage(source=entry.source, kind=entry.kind, state=state, entity=about, path=entry.path, note=why)
    gap = Gap(source=entry.source, why=why, would_tell=WOULD_TELL[entry.kind], entity=about, kind=entry.kind)
    return Loaded(coverage=coverage, gaps=(gap,))


def _line_count(body: Body) -> int:
    lines, last = 0, b"\n"
    with body.open() as stream:
        while block := stream.read(_BLOCK):
            lines += block.count(b"\n")
            last = block[-1:]
    return lines if last == b"\n" else lines + 1
