"""A document as its tool printed it, where a person pasted it: quotation marks of mail and forums, escapes, colours.

Readers read the tidied text; what they find is cited from the original, whose lines are the same in number.
"""

import html
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from firstfault.tools.bodies import MemoryBody
from firstfault.tools.evidence import Document
from firstfault.tools.readings import Change, Fact, KubeEvent, KubeObject, Note, Reading, Series

LARGEST_BYTES = 1 << 20
"""Nobody pastes more. A choice."""
_NO_BREAK = "\N{NO-BREAK SPACE}"
_MARKS = re.compile(
    rf"\x1b\[|&(?:gt|lt|amp|quot|nbsp|#\d{{2,4}}|#x[0-9a-f]{{2,4}});|^> |{_NO_BREAK}", re.MULTILINE
)
_COLOUR = re.compile(r"\x1b\[[\d;]*[A-Za-z]")
_QUOTE = re.compile(r"^(?:> ?)+")
_MOST = 0.8
"""Share of the lines that must be quoted before the marks are taken for such. A choice."""

_Cites = TypeVar("_Cites", KubeObject, KubeEvent, Series, Fact, Change, Note)


def tidied(document: Document) -> Document:
    """Return `document` without what pasting added, line for line; itself where nothing was added."""
    if document.body.size > LARGEST_BYTES or not _MARKS.search(document.text):
        return document
    lines = [_plain(line) for line in document.lines]
    filled = [line for line in lines if line.strip()]
    if sum(line.startswith(">") for line in filled) >= _MOST * max(len(filled), 1):
        lines = [_QUOTE.sub("", line) for line in lines]
    return replace(document, body=MemoryBody("\n".join(lines).encode()))


def cited_from(reading: Reading, document: Document) -> Reading:
    """Return `reading` with everything in it citing the lines of `document`."""
    return replace(
        reading,
        objects=_citing(reading.objects, document),
        events=_citing(reading.events, document),
        series=_citing(reading.series, document),
        facts=_citing(reading.facts, document),
        changes=_citing(reading.changes, document),
        notes=_citing(reading.notes, document),
    )


def _plain(line: str) -> str:
    text = _COLOUR.sub("", line) if "\x1b[" in line else line
    text = html.unescape(text) if "&" in text else text
    return text.replace(_NO_BREAK, " ").replace("\n", " ")


def _citing(found: Sequence[_Cites], document: Document) -> tuple[_Cites, ...]:
    return tuple(replace(each, document=document) for each in found)
