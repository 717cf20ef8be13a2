"""Histories of package managers: apt's history.log, `dnf history`."""

import re
from collections.abc import Iterator
from itertools import pairwise

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.readers.history.naming import kind_of_change
from firstfault.tools.readers.kube.stamping import field_stamp, is_later
from firstfault.tools.readers.signs import numbered, sign
from firstfault.tools.readings import Change

_START = re.compile(r"^Start-Date: (?P<at>\d{4}-\d\d-\d\d\s+\d\d:\d\d:\d\d)")
_FIELD = re.compile(
    r"^(?P<key>Commandline|Requested-By|Install|Upgrade|Downgrade|Remove|Purge|Reinstall|Error): (?P<value>.*?)\s*$"
)
_DNF = re.compile(
    r"^\s*(?P<id>\d+)\s*\|\s*(?P<command>[^|]*?)\s*\|\s*(?P<at>\d{4}-\d\d-\d\d \d\d:\d\d)\s*\|\s*"
    r"(?P<action>[^|]*?)\s*\|\s*(?P<altered>\d+)\s*\S*\s*$"
)
PACKAGE_HISTORY_SIGN = sign(r"^Start-Date: \d{4}-\d\d-\d\d|^\s*ID\s*\|\s*Command line\s*\|\s*Date and time")
_MOST_NAMES = 400


def package_changes(document: Document, context: ReadContext) -> Iterator[Change]:
    """Yield one change per transaction: what was installed, upgraded or removed, by which command and whom."""
    for change in (*_apt(document, context), *_dnf(document, context)):
        if not is_later(change.stamp, context):
            yield change


def _apt(document: Document, context: ReadContext) -> Iterator[Change]:
    starts = [number for number, line in numbered(document) if _START.match(line)]
    for start, end in pairwise([*starts, len(document.lines) + 1]):
        fields: dict[str, str] = {}
        last = start
        for number in range(start + 1, end):
            match = _FIELD.match(document.lines[number - 1].rstrip("\r"))
            if match is not None:
                fields[match["key"]], last = match["value"], number
        acts = [
            f"{key.lower()} {value}"
            for key, value in fields.items()
            if key in {"Install", "Upgrade", "Downgrade", "Remove", "Purge"}
        ]
        what = "; ".join(acts)[:_MOST_NAMES] or fields.get("Commandline", "package transaction")
        begun = _START.match(document.lines[start - 1])
        yield Change(
            what=what,
            document=document,
            line=start,
            line_end=last,
            kind=_kind(what),
            who=fields.get("Requested-By"),
            why=fields.get("Commandline"),
            stamp=field_stamp(" ".join(begun["at"].split()), document, start, context) if begun else None,
        )


def _dnf(document: Document, context: ReadContext) -> Iterator[Change]:
    for number, raw in numbered(document):
        match = _DNF.match(raw.rstrip("\r"))
        if match is not None:
            what = match["command"] or match["action"]
            stamp = field_stamp(match["at"], document, number, context)
            yield Change(
                what=what,
                document=document,
                line=number,
                line_end=number,
                kind=_kind(what),
                why=match["action"],
                stamp=stamp,
            )


def _kind(what: str) -> str:
    kind = kind_of_change(what)
    return kind if kind in {"driver", "firmware", "kernel"} else "package"
