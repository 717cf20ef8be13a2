"""Statements of people: every line is a claim, with its author and time where they are written."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.readings import Note
from firstfault.tools.stamps import stamper
from firstfault.tools.stamps.stamper import Stamper
from firstfault.tools.times import Clock

_YAML_PARENT = re.compile(r"^(?P<indent>\s*)(?:-\s+)?(?P<key>[\w./ -]{1,60}):\s*(?:[|>][+-]?)?\s*$")
_TABLE_RULE = re.compile(r"^[\s|:+=-]+$")
_AUTHOR = re.compile(
    r"^(?:<(?P<angle>[\w .@-]{1,40})>|@(?P<at>[\w.-]{1,40}):?|"
    r"(?P<plain>[A-Za-z][\w.-]{0,30}(?: [A-Z][\w.-]{0,30})?):)\s+(?P<said>\S.*)$"
)
_AFTER_TIME = " \t-–—:|]),"


@dataclass(frozen=True, slots=True)
class _Parent:
    indent: int
    key: str
    line: int


def text_notes(document: Document, context: ReadContext) -> Iterator[Note]:
    """Yield one note per line that says something."""
    clock = stamper(document, context)
    for number, raw in enumerate(document.lines, start=1):
        line = raw.rstrip("\r")
        if line.strip() and not _TABLE_RULE.match(line):
            yield _note(document, clock, number, line)


def _note(document: Document, clock: Stamper, number: int, line: str) -> Note:
    stamp = clock.stamp(number, line)
    has_time = bool(stamp.raw) and stamp.clock is not Clock.POSITION
    place = line.find(stamp.raw) if has_time else -1
    is_at_head = 0 <= place <= len(line) - len(line.lstrip()) + 1
    said = line[place + len(stamp.raw) :].lstrip(_AFTER_TIME) if is_at_head else line.strip()
    match = _AUTHOR.match(said)
    if match is not None and (is_at_head or match["plain"] is None):
        author, said = match["angle"] or match["at"] or match["plain"], match["said"]
    else:
        author = None
    return Note(
        text=said.strip(),
        document=document,
        line=number,
        line_end=number,
        author=author,
        stamp=stamp if has_time else None,
    )


def yaml_notes(document: Document, context: ReadContext) -> Iterator[Note]:
    """Yield one note per line, each with the headings it stands under."""
    clock = stamper(document, context)
    parents: list[_Parent] = []
    for number, raw in enumerate(document.lines, start=1):
        line = raw.rstrip("\r")
        text = line.strip()
        if not text or text.startswith("#") or text == "---":
            continue
        indent = len(line) - len(line.lstrip())
        while parents and (
            parents[-1].indent > indent or (parents[-1].indent == indent and not text.startswith("- "))
        ):
            parents.pop()
        match = _YAML_PARENT.match(line)
        if match is not None:
            parents.append(_Parent(indent, match["key"].strip(), number))
            continue
        said = ": ".join([*(parent.key for parent in parents), text.removeprefix("- ")])
        stamp = clock.stamp(number, line)
        has_time = stamp.clock is not Clock.POSITION and bool(stamp.raw)
        yield Note(
            text=said, document=document, line=number, line_end=number, stamp=stamp if has_time else None
        )
