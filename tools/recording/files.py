"""Turns one file of a recording into documents, or into a gap that says why not."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from firstfault.tools.bodies import MemoryBody
from firstfault.tools.evidence import MAX_TEXT_BYTES, Body, Coverage, CoverageState, Document, Gap
from firstfault.tools.kinds import Kind
from firstfault.tools.recording.absences import WOULD_TELL
from firstfault.tools.recording.archives import Unpacker, head_of
from firstfault.tools.recording.encodings import SAMPLE_BYTES, is_binary, wide_encoding
from firstfault.tools.recording.errors import ArchiveError
from firstfault.tools.recording.limits import Limits
from firstfault.tools.recording.pickles import is_pickle, pickle_as_json
from firstfault.tools.recording.sniffing import Sniff
from firstfault.tools.recording.spool import Spool
from firstfault.tools.recording.streams import Packing, packing_of
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
class Loaded:
    """What became of one file."""

    coverage: Coverage
    document: Document | None = None
    gaps: tuple[Gap, ...] = ()


class Opener:
    """Opens entries; packed files are unpacked into one spool that all of a recording share."""

    nothing = MemoryBody(b"")

    def __init__(self, limits: Limits) -> None:
        self.unpacker = Unpacker(spool=Spool(limits.memory_bytes), limits=limits)

    def open(self, entry: Entry, recognise: Recognise | None) -> list[Loaded]:
        """Return what `entry` holds: one document, or several from an archive; at least one item.

        recognise: tells the kind of each file; None when the entry's kind is settled.
        """
        try:
            head = head_of(entry.body)
        except OSError as error:
            return [
                self.refused(
                    entry, f"`{entry.path}` cannot be read: {(error.strerror or 'unknown error').lower()}"
                )
            ]
        if packing_of(head) is not Packing.NONE:
            return self._unpacked(entry, recognise)
        if is_pickle(head):
            return [self._pickle(entry)]
        return [self._text(entry, recognise)]

    def _unpacked(self, entry: Entry, recognise: Recognise | None) -> list[Loaded]:
        try:
            found = self.unpacker.unpack(entry.body, entry.path)
        except ArchiveError as error:
            return [self.refused(entry, str(error))]
        inner: list[Loaded] = []
        for member in found.members:
            path = f"{entry.path}/{member.path}" if member.path else entry.path
            inner += self.open(replace(entry, path=path, body=member.body), recognise)
        if not inner:
            return [self.refused(entry, f"`{entry.path}` holds no file")]
        gaps = tuple(
            Gap(source=entry.source, why=why, would_tell=WOULD_TELL[entry.kind], kind=entry.kind)
            for why in found.left
        )
        inner[0] = replace(inner[0], gaps=(*inner[0].gaps, *gaps))
        return inner

    def _pickle(self, entry: Entry) -> Loaded:
        text = pickle_as_json(entry.body)
        if text is None:
            return self.refused(
                entry, f"`{entry.path}` is a pickle that holds more than plain values; it was not opened"
            )
        note = "a pickle, shown as JSON; nothing in it was executed"
        return self._text(replace(entry, body=MemoryBody(text), kind=Kind.FLIGHT_RECORDER, note=note), None)

    def _text(self, entry: Entry, recognise: Recognise | None) -> Loaded:
        with entry.body.open() as stream:
            sample = stream.read(SAMPLE_BYTES)
        if not sample:
            return self.refused(entry, f"`{entry.path}` is empty")
        if is_binary(sample):
            return self.refused(entry, f"`{entry.path}` is binary and was not read")
        body, note = _as_text(entry, sample)
        if recognise is None:
            return _loaded(replace(entry, body=body, note=note))
        found = recognise(entry.path, body)
        said = replace(
            entry,
            body=body,
            kind=found.kind,
            labels={**found.labels, **entry.labels},
            note=note or f"taken for {found.kind}: {found.reason}",
        )
        loaded = _loaded(said)
        return replace(loaded, gaps=_doubts(said, found))

    @staticmethod
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
        gap = Gap(
            source=entry.source, why=why, would_tell=WOULD_TELL[entry.kind], entity=about, kind=entry.kind
        )
        return Loaded(coverage=coverage, gaps=(gap,))


def _loaded(entry: Entry) -> Loaded:
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


def _doubts(entry: Entry, found: Sniff) -> tuple[Gap, ...]:
    if not found.rivals:
        return ()
    taken = f"`{entry.path}` was taken for {found.kind} ({found.reason})"
    others = ", ".join(found.rivals)
    why = f"{taken} but holds lines of {others} too; if that is wrong, say what it is with `--as KIND {entry.path}`"
    return (Gap(source=entry.source, why=why, would_tell="whether it was read rightly", kind=found.kind),)


def _as_text(entry: Entry, sample: bytes) -> tuple[Body, str | None]:
    encoding = wide_encoding(sample)
    if encoding is None or entry.body.size > MAX_TEXT_BYTES:
        return entry.body, entry.note
    with entry.body.open() as stream:
        text = stream.read().decode(encoding, errors="backslashreplace")
    note = f"read as {encoding}, which the file does not say"
    return MemoryBody(
        text.encode("utf-8", "backslashreplace")
    ), f"{entry.note}; {note}" if entry.note else note


def _line_count(body: Body) -> int:
    lines, last = 0, b"\n"
    with body.open() as stream:
        while block := stream.read(_BLOCK):
            lines += block.count(b"\n")
            last = block[-1:]
    return lines if last == b"\n" else lines + 1
