"""Turns one file of a recording into documents, or into a gap that says why not."""

from collections.abc import Sequence
from dataclasses import replace

from firstfault.tools.bodies import MemoryBody
from firstfault.tools.evidence import MAX_TEXT_BYTES, Body, Gap, decode
from firstfault.tools.kinds import Kind
from firstfault.tools.parallel import in_order, workers_for
from firstfault.tools.recording.absences import WOULD_TELL
from firstfault.tools.recording.archives import Unpacker, head_of
from firstfault.tools.recording.encodings import SAMPLE_BYTES, is_binary, wide_encoding
from firstfault.tools.recording.entries import (
    Entry,
    Loaded,
    Recognise,
    Request,
    loaded_text,
    refused,
    size_of,
)
from firstfault.tools.recording.errors import ArchiveError
from firstfault.tools.recording.limits import Limits
from firstfault.tools.recording.pickles import is_pickle, pickle_as_json
from firstfault.tools.recording.progress import SILENT, Progress, Tally
from firstfault.tools.recording.sniffing import Sniff
from firstfault.tools.recording.spool import Spool
from firstfault.tools.recording.streams import Packing, packing_of
from firstfault.tools.recording.transcripts import Part, may_be_session, part_of, parts_of


class Opener:
    """Opens entries; packed files are unpacked into one spool that all of a recording share."""

    nothing = MemoryBody(b"")

    def __init__(self, limits: Limits, progress: Progress = SILENT) -> None:
        self._progress = progress
        self.unpacker = Unpacker(spool=Spool(limits.memory_bytes), limits=limits)

    def open_all(self, requests: Sequence[Request]) -> list[list[Loaded]]:
        """Return what each request holds, in order; files are read several at a time."""
        done = Tally()
        size = sum(size_of(request.entry) for request in requests)
        self._progress.begin(Tally(files=len(requests), size=size))
        found: list[list[Loaded]] = []
        try:
            for request, loaded in zip(
                requests,
                in_order(self._request, requests, workers=workers_for(size, len(requests))),
                strict=True,
            ):
                lines = sum(item.coverage.lines_read for item in loaded)
                done += Tally(files=1, size=size_of(request.entry), lines=lines)
                self._progress.advance(done)
                found.append(loaded)
        finally:
            self._progress.end()
        return found

    def _request(self, request: Request) -> list[Loaded]:
        if request.refusal:
            return [refused(request.entry, request.refusal)]
        return self.open(request.entry, request.recognise)

    def open(self, entry: Entry, recognise: Recognise | None) -> list[Loaded]:
        """Return what `entry` holds: one document, or several from an archive; at least one item.

        recognise: tells the kind of each file; None when the entry's kind is settled.
        """
        try:
            head = head_of(entry.body)
        except OSError as error:
            return [
                refused(
                    entry, f"`{entry.path}` cannot be read: {(error.strerror or 'unknown error').lower()}"
                )
            ]
        if packing_of(head) is not Packing.NONE:
            return self._unpacked(entry, recognise)
        if is_pickle(head):
            return [self._pickle(entry)]
        return self._session(entry, recognise) or [self._text(entry, recognise)]

    def _session(self, entry: Entry, recognise: Recognise | None) -> list[Loaded]:
        """Return the outputs of a pasted terminal session, a document each; nothing when `entry` is anything else."""
        if recognise is None or entry.kind is not Kind.PLAIN or size_of(entry) > MAX_TEXT_BYTES:
            return []
        with entry.body.open() as stream:
            head = stream.read(SAMPLE_BYTES)
            if is_binary(head) or wide_encoding(head) is not None or not may_be_session(decode(head)):
                return []
            data = head + stream.read()
        parts = parts_of(decode(data).split("\n"))
        return [self._text(_entry_of(entry, data, part), None if part.kind else recognise) for part in parts]

    def _unpacked(self, entry: Entry, recognise: Recognise | None) -> list[Loaded]:
        try:
            found = self.unpacker.unpack(entry.body, entry.path)
        except ArchiveError as error:
            return [refused(entry, str(error))]
        inner: list[Loaded] = []
        for member in found.members:
            path = f"{entry.path}/{member.path}" if member.path else entry.path
            inner += self.open(replace(entry, path=path, body=member.body), recognise)
        if not inner:
            return [refused(entry, f"`{entry.path}` holds no file")]
        gaps = tuple(
            Gap(source=entry.source, why=why, would_tell=WOULD_TELL[entry.kind], kind=entry.kind)
            for why in found.left
        )
        inner[0] = replace(inner[0], gaps=(*inner[0].gaps, *gaps))
        return inner

    def _pickle(self, entry: Entry) -> Loaded:
        text = pickle_as_json(entry.body)
        if text is None:
            return refused(
                entry, f"`{entry.path}` is a pickle that holds more than plain values; it was not opened"
            )
        note = "a pickle, shown as JSON; nothing in it was executed"
        return self._text(replace(entry, body=MemoryBody(text), kind=Kind.FLIGHT_RECORDER, note=note), None)

    def _text(self, entry: Entry, recognise: Recognise | None) -> Loaded:
        with entry.body.open() as stream:
            sample = stream.read(SAMPLE_BYTES)
        if not sample:
            return refused(entry, f"`{entry.path}` is empty")
        if is_binary(sample):
            return refused(entry, f"`{entry.path}` is binary and was not read")
        body, note = _as_text(entry, sample)
        if recognise is None:
            return loaded_text(replace(entry, body=body, note=note))
        found = recognise(entry.path, body)
        said = replace(
            entry,
            body=body,
            kind=found.kind,
            labels={**found.labels, **entry.labels},
            note=note or f"taken for {found.kind}: {found.reason}",
        )
        loaded = loaded_text(said)
        return replace(loaded, gaps=_doubts(said, found))


def _entry_of(entry: Entry, data: bytes, part: Part) -> Entry:
    where = f"lines {part.first} to {part.last}"
    return replace(
        entry,
        body=MemoryBody(part_of(data, part)),
        kind=part.kind or entry.kind,
        labels={**part.labels, **entry.labels},
        note=f"{where}: printed by `{part.command}`" if part.command else f"{where}, above the first prompt",
    )


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
