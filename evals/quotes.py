"""Whether an excerpt really stands where a report says it does."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from firstfault.agent.report.contract import EvidencePart

Lines = Callable[[str], Sequence[str] | None]
"""The lines of a raw file (index 0 is line 1), or None when there is no such file."""

REDACTED = re.compile(r"‹redacted:[^›]*›")
"""What stands in an excerpt where a secret was taken out (DESIGN §5, Excerpts)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Misquote:
    """One excerpt that was not found, and why."""

    evidence: str
    where: str
    why: str


def misquotes(evidence: Sequence[EvidencePart], lines: Lines) -> tuple[Misquote, ...]:
    """Return every excerpt that is not verbatim at its path and lines."""
    found = ((part, _fault(part, lines)) for part in evidence)
    return tuple(
        Misquote(evidence=part.id, where=f"{part.path}:{part.line_start}", why=why)
        for part, why in found
        if why
    )


def _fault(part: EvidencePart, lines: Lines) -> str | None:
    if not part.excerpt.strip():
        return "the excerpt is empty"
    held = lines(part.path)
    if held is None:
        return "no such file"
    if not 1 <= part.line_start <= part.line_end <= len(held):
        return f"the file has {len(held)} lines"
    text = "\n".join(held[part.line_start - 1 : part.line_end])
    return None if stands_in(part.excerpt, text) else "the text is not on these lines"


def stands_in(excerpt: str, text: str) -> bool:
    """Return whether `excerpt` is a substring of `text`, where a redaction mark stands for any text.

    Only the parts between the marks are compared; each must follow the one before it.
    """
    position = 0
    for piece in REDACTED.split(excerpt):
        at = text.find(piece, position)
        if at < 0:
            return False
        position = at + len(piece)
    return True
