"""Shows a document as it was at a time: later lines are blanked so that numbers stay, earlier ones are untouched."""

from dataclasses import replace
from datetime import datetime

from firstfault.tools.bodies import MemoryBody
from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import MAX_TEXT_BYTES, Document
from firstfault.tools.stamps import stamper


def as_seen_at(document: Document, as_of: datetime | None, context: ReadContext) -> Document | None:
    """Return `document` without anything later than `as_of`, the same one when nothing is later, None when all is.

    A document that was wholly written later was not there yet: it must not count as having been read.

    A line counts as later when even its earliest possible time is. Lines without any time stand with the line above.
    Documents too large to decode are returned whole: their lines are judged one by one when they are read.
    """
    if as_of is None or document.body.size > MAX_TEXT_BYTES:
        return document
    clock = stamper(document, context)
    kept: list[str] = []
    is_later = False
    for number, line in enumerate(document.lines, start=1):
        earliest = clock.stamp(number, line).earliest
        is_later = earliest > as_of if earliest is not None else is_later
        kept.append("" if is_later else line)
    if kept == list(document.lines):
        return document
    if not any(line.strip() for line in kept):
        return None
    return replace(document, body=MemoryBody("\n".join(kept).encode("utf-8", "surrogatepass")))
