"""Excerpts and names without the secrets of their documents: a private key spans lines, an excerpt is one of them."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from firstfault.tools.evidence import Document
from firstfault.tools.redaction.escaped import replaced_pieces
from firstfault.tools.redaction.redactor import MARK, redact_across_lines

LOOKED_THROUGH_BYTES = 16 * 1024 * 1024
"""Documents up to this size are looked through; in larger ones a line of nothing but base64 counts as part of a key."""
SHORTEST_PIECE = 8
"""Characters from which a piece of a spanning secret is looked for in other texts."""
_KEY_LINE = re.compile(r"(?m)^\s*[A-Za-z0-9+/]{40,}={0,2}\s*$")
_KEY_MARK = "‹redacted:private-key›"


class Cut(Protocol):
    """An excerpt with its place: evidence as it is stored, or as a report holds it."""

    @property
    def excerpt(self) -> str:
        """Return the text."""
        ...

    @property
    def path(self) -> str:
        """Return the path of its document."""
        ...

    @property
    def sha256(self) -> str:
        """Return the digest of its document."""
        ...

    @property
    def line_start(self) -> int:
        """Return its first line, from 1."""
        ...

    @property
    def line_end(self) -> int:
        """Return its last line."""
        ...


@dataclass(kw_only=True)
class Excerpts:
    """Redacts in the light of the documents. redact: for any text. across_lines: for whole documents, spanning secrets only."""

    documents: Iterable[Document]
    redact: Callable[[str], str]
    across_lines: Callable[[str], str]
    _lines: dict[tuple[str, str], dict[int, str]] = field(init=False, repr=False)
    """Document → line number → the line without its part of a spanning secret; other lines are not held."""
    _pieces: dict[str, str] = field(default_factory=dict[str, str], init=False, repr=False)

    def __post_init__(self) -> None:
        """Find the secrets that span lines."""
        small = [document for document in self.documents if document.body.size <= LOOKED_THROUGH_BYTES]
        self._lines = {(d.path, d.body.sha256): self._changed(d) for d in small}

    def shown(self, cut: Cut) -> str:
        """Return the excerpt of `cut`, redacted; whole lines where a part of them belongs to a secret that spans lines."""
        changed = self._lines.get((cut.path, cut.sha256))
        if changed is None:
            return self.text(_KEY_LINE.sub(_KEY_MARK, cut.excerpt))
        numbers = range(cut.line_start, cut.line_end + 1)
        if not any(number in changed for number in numbers):
            return self.text(cut.excerpt)
        parts = cut.excerpt.split("\n")
        lines = [
            changed.get(number, parts[at] if at < len(parts) else "") for at, number in enumerate(numbers)
        ]
        return self.text("\n".join(lines))

    def text(self, text: str) -> str:
        """Return any text, redacted, without pieces of secrets that span lines in some document."""
        for piece, mark in self._longest_first:
            text = text.replace(piece, mark)
        return self.redact(text)

    @cached_property
    def _longest_first(self) -> list[tuple[str, str]]:
        return sorted(self._pieces.items(), key=lambda item: -len(item[0]))

    def _changed(self, document: Document) -> dict[int, str]:
        redacted = self.across_lines(document.text)
        if redacted == document.text:
            return {}
        pairs = zip(document.text.split("\n"), redacted.split("\n"), strict=True)
        changed = {
            number: (before, after)
            for number, (before, after) in enumerate(pairs, start=1)
            if before != after
        }
        for before, after in changed.values():
            found = dict(replaced_pieces(before, after, MARK))
            self._pieces |= {piece: mark for piece, mark in found.items() if len(piece) >= SHORTEST_PIECE}
        return {number: after for number, (_, after) in changed.items()}


def excerpts_of(documents: Iterable[Document], redact: Callable[[str], str]) -> Excerpts:
    """Return excerpts that know the shipped forms of spanning secrets; `redact` may know more of a site's own."""
    return Excerpts(documents=documents, redact=redact, across_lines=redact_across_lines)
