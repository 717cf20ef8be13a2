"""What was seen, what was looked at, and what could not be had.

`Document` is one text or answer that a source returned, preserved whole; `Evidence` is an excerpt cut from it that a
human can check; `Coverage` says how completely a source was read; `Gap` says what was asked and not had.
Reading errors are data: a failed read becomes a Gap, never an exception that ends an investigation.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import BinaryIO, Protocol

from firstfault.tools.entities import EntityRef
from firstfault.tools.kinds import Kind
from firstfault.tools.times import Window

MAX_TEXT_BYTES = 64 * 1024 * 1024
"""Largest document decoded at once; larger ones are only streamed (`Body.open`)."""

LARGE_TEXT_BYTES = 16 * 1024 * 1024
"""A document that is larger is not decoded as a whole only to look up a line that the caller holds."""
KEPT_TEXT_BYTES = 1024 * 1024
"""Text of larger documents is not kept with them: many of them would fill the memory."""


class CoverageState(StrEnum):
    """How completely a source was read for an entity and window."""

    COMPLETE = "complete"
    PARTIAL = "partial"
    DENIED = "denied"
    UNAVAILABLE = "unavailable"
    NOT_COLLECTED = "not_collected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How completely one kind of document was read: the base of a verified absence."""

    source: str
    kind: Kind
    state: CoverageState
    entity: EntityRef | None = None
    window: Window | None = None
    lines_read: int = 0
    path: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Something that was asked for and could not be had, and what it would tell."""

    source: str
    why: str
    would_tell: str
    entity: EntityRef | None = None
    kind: Kind | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One excerpt, byte for byte as decoded from its document, with where a human finds it.

    id: `ev-` and 12 hex digits of the digest of (document digest, path, lines, excerpt): the same excerpt has one id.
    line_start, line_end: 1-based, inclusive, in the document at `path`. sha256: of the whole document.
    """

    id: str
    source: str
    query: str
    excerpt: str
    path: str
    line_start: int
    line_end: int
    sha256: str
    kind: Kind = Kind.PLAIN
    entity: EntityRef | None = None
    at: datetime | None = None
    window: Window | None = None
    link: str | None = None
    fetched_at: datetime | None = None


class Body(Protocol):
    """Where the bytes of a document are; files are opened anew on every call, nothing is held open."""

    @property
    def size(self) -> int:
        """Return the length in bytes."""
        ...

    @property
    def sha256(self) -> str:
        """Return the hex digest of all bytes."""
        ...

    def open(self) -> BinaryIO:
        """Return a new binary stream over all bytes; the caller closes it."""
        ...


def decode(data: bytes) -> str:
    r"""Return the text of `data`: BOM decides UTF-16/UTF-8, else UTF-8 with broken bytes kept visible as `\xNN`.

    NUL bytes, CR and colour codes stay: an excerpt is a substring of this text (DESIGN §5, Excerpts).
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="backslashreplace")
    if data.startswith(b"\xef\xbb\xbf"):
        return data[3:].decode("utf-8", errors="backslashreplace")
    return data.decode("utf-8", errors="backslashreplace")


@dataclass(frozen=True, kw_only=True)
class Document:
    """One text or answer as a source returned it, with what it was taken from.

    path: what a human opens (`raw/kernel.log` in a case; a stable synthetic name for a live answer).
    entity: what the document is about (usually the node or pod it was taken from).
    labels: node, pod, namespace, container, rank, job … as far as known.
    complete: the source said that nothing was cut off in the window; only then can absence be verified.
    """

    path: str
    kind: Kind
    body: Body
    source: str
    query: str
    complete: bool = False
    entity: EntityRef | None = None
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    window: Window | None = None
    link: str | None = None
    fetched_at: datetime | None = None
    note: str | None = None

    @property
    def text(self) -> str:
        """Return the decoded text, at most `MAX_TEXT_BYTES` of it."""
        return self._opened.text

    @property
    def lines(self) -> Sequence[str]:
        """Return the lines split at LF only; index 0 is line 1. A trailing CR stays part of its line."""
        return self._opened.lines

    @property
    def _opened(self) -> "_Opened":
        """Return the text: kept with small documents, and with the large one that was asked last (flat memory)."""
        return self._kept if self.body.size <= KEPT_TEXT_BYTES else _LAST_LARGE.of(self)

    @cached_property
    def _kept(self) -> "_Opened":
        return _Opened(self.body)

    @property
    def node(self) -> str | None:
        """Return the machine the document was taken from, if known."""
        return self.labels.get("node")

    def cite(
        self,
        line_start: int,
        line_end: int | None = None,
        *,
        excerpt: str | None = None,
        entity: EntityRef | None = None,
        at: datetime | None = None,
    ) -> Evidence:
        """Return the excerpt from 1-based `line_start` to `line_end`.

        `excerpt` narrows it to a substring of those lines. Of a large document it is the line itself, as the caller
        read it: it is not looked up again.
        Raises ValueError when the lines do not exist or the substring is not in them.
        """
        end = line_end or line_start
        if excerpt is None or self.body.size <= LARGE_TEXT_BYTES:
            if not 1 <= line_start <= end <= len(self.lines):
                msg = f"no lines {line_start}-{end} in `{self.path}` ({len(self.lines)} lines)"
                raise ValueError(msg)
            whole = "\n".join(self.lines[line_start - 1 : end])
            if excerpt is not None and excerpt not in whole:
                msg = f"the excerpt is not at `{self.path}` line {line_start}"
                raise ValueError(msg)
        else:
            whole = excerpt
        return self.quote(
            line_start, whole.rstrip("\r") if excerpt is None else excerpt, line_end=end, entity=entity, at=at
        )

    def quote(
        self,
        line_start: int,
        excerpt: str,
        *,
        line_end: int | None = None,
        entity: EntityRef | None = None,
        at: datetime | None = None,
    ) -> Evidence:
        """Return the evidence for an excerpt that the caller has just read at that place: nothing is read again.

        For readers that stream; everybody else uses `cite`, which checks.
        """
        end, text = line_end or line_start, excerpt
        return Evidence(
            id=evidence_id(self.body.sha256, self.path, line_start, end, text),
            source=self.source,
            query=self.query,
            excerpt=text,
            path=self.path,
            line_start=line_start,
            line_end=end,
            sha256=self.body.sha256,
            kind=self.kind,
            entity=entity or self.entity,
            at=at,
            window=self.window,
            link=self.link,
            fetched_at=self.fetched_at,
        )


class _Opened:
    """The text of a body, read once, and its lines, split when they are first asked for."""

    def __init__(self, body: Body) -> None:
        with body.open() as stream:
            self.text = decode(stream.read(MAX_TEXT_BYTES))

    @cached_property
    def lines(self) -> Sequence[str]:
        parts = self.text.split("\n")
        return parts[:-1] if parts and parts[-1] == "" else parts


class _LastLarge:
    """Holds the text of one large document at a time: documents are worked through one after the other."""

    def __init__(self) -> None:
        self._held: tuple[Document, _Opened] | None = None

    def of(self, document: Document) -> _Opened:
        held = self._held
        if held is None or held[0] is not document:
            self._held = None
            held = (document, _Opened(document.body))
            self._held = held
        return held[1]


_LAST_LARGE = _LastLarge()


def evidence_id(sha256: str, path: str, line_start: int, line_end: int, excerpt: str) -> str:
    """Return the content address of an excerpt."""
    material = "\x00".join((sha256, path, str(line_start), str(line_end), excerpt))
    return "ev-" + hashlib.sha256(material.encode("utf-8", "surrogatepass")).hexdigest()[:12]
