"""`git log`: one commit per block."""

import re
from collections.abc import Iterator
from itertools import pairwise

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.readers.history.naming import kind_of_change
from firstfault.tools.readers.kube.stamping import field_stamp, is_later
from firstfault.tools.readers.signs import numbered, sign
from firstfault.tools.readings import Change

_COMMIT = re.compile(r"^commit (?P<hash>[0-9a-f]{7,40})\b")
_FIELD = re.compile(r"^(?P<key>Author|Date|AuthorDate|CommitDate|Commit|Merge):\s+(?P<value>.*?)\s*$")
COMMIT_SIGN = sign(r"^commit [0-9a-f]{7,40}\b.*\n(?:Merge: .*\n)?Author: ")


def commit_changes(document: Document, context: ReadContext) -> Iterator[Change]:
    """Yield one change per commit: subject, author, date, the rest of the message as reason."""
    starts = [number for number, line in numbered(document) if _COMMIT.match(line)]
    for start, end in pairwise([*starts, len(document.lines) + 1]):
        change = _commit(document, context, start, end)
        if change is not None and not is_later(change.stamp, context):
            yield change


def _commit(document: Document, context: ReadContext, start: int, end: int) -> Change | None:
    fields: dict[str, tuple[str, int]] = {}
    message: list[tuple[str, int]] = []
    for number in range(start + 1, end):
        line = document.lines[number - 1].rstrip("\r")
        match = _FIELD.match(line)
        if match is not None and not message:
            fields.setdefault(match["key"], (match["value"], number))
        elif line.startswith("    ") and line.strip():
            message.append((line.strip(), number))
    if not message:
        return None
    date, line = fields.get("Date") or fields.get("AuthorDate") or ("", start)
    subject = message[0][0]
    return Change(
        what=subject,
        document=document,
        line=start,
        line_end=message[0][1],
        kind=kind_of_change(subject),
        who=fields["Author"][0].partition(" <")[0].strip() or None if "Author" in fields else None,
        why=" ".join(text for text, _ in message[1:]) or None,
        stamp=field_stamp(date, document, line, context),
    )
