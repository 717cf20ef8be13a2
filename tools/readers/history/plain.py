"""Changes that teams write down line by line, and one-line histories of version control."""

import re
from collections.abc import Iterator

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.readers.history.naming import kind_of_change
from firstfault.tools.readers.kube.stamping import is_later
from firstfault.tools.readers.signs import numbered
from firstfault.tools.readings import Change
from firstfault.tools.stamps import stamper
from firstfault.tools.stamps.dialects import moments
from firstfault.tools.stamps.stamper import Stamper
from firstfault.tools.times import Clock, Stamp

_NOTHING = re.compile(r"^\s*(?:could not find|no) (?:any )?changes?\b", re.IGNORECASE)
_ROUGH = re.compile(
    r"^(?:about|before|after|around|ca\.?|~)\s+(?:\d\d:\d\d\s*(?:UTC|GMT|[A-Z]{3,4}\b)?\s*)?", re.IGNORECASE
)
_ROUGH_TIME = re.compile(
    r"^(?P<word>about|before|after|around|ca\.?|~)\s+(?P<time>\d\d:\d\d)\b", re.IGNORECASE
)
_HASH_FIRST = re.compile(r"^(?P<hash>[0-9a-f]{7,40})\s+(?P<rest>\d{4}-\d\d-\d\d\s.*)$")
_WHO = re.compile(r"^(?P<who>[A-Za-z@][\w@.\-/]*(?: [\w@.\-/]+){0,4}):\s+(?P<what>\S.*)$")
_AFTER_TIME = " \t-–—:|]),"


def line_changes(document: Document, context: ReadContext) -> Iterator[Change]:
    """Yield one change per line: `time  who: what`, `hash time | subject`, or just `what`."""
    clock = stamper(document, context)
    for number, raw in numbered(document):
        line = raw.rstrip("\r")
        if line.strip() and not line.lstrip().startswith("#") and not _NOTHING.match(line):
            change = _change(document, clock, number, line)
            if not is_later(change.stamp, context):
                yield change


def _change(document: Document, clock: Stamper, number: int, line: str) -> Change:
    hashed = _HASH_FIRST.match(line.strip())
    rough_head = _ROUGH.match(line.strip())
    body = hashed["rest"] if hashed else line.strip()[rough_head.end() :] if rough_head else line.strip()
    stamp = _stamp(clock, number, body)
    what = body
    if stamp is not None and body.startswith(stamp.raw):
        what = body[len(stamp.raw) :].lstrip(_AFTER_TIME)
        stamp = _roughened(stamp, what, body, clock)
        what = _ROUGH.sub("", what).lstrip(_AFTER_TIME)
    match = None if hashed else _WHO.match(what)
    return Change(
        what=match["what"] if match else what,
        document=document,
        line=number,
        line_end=number,
        kind=kind_of_change(what),
        who=match["who"] if match else None,
        stamp=stamp,
    )


def _stamp(clock: Stamper, number: int, body: str) -> Stamp | None:
    if not moments(body):
        return None
    stamp = clock.stamp(number, body)
    return stamp if stamp.clock is not Clock.POSITION else None


def _roughened(stamp: Stamp, rest: str, body: str, clock: Stamper) -> Stamp:
    """`2026-02-25 about 08:26` gives the day and then the time: read them together."""
    match = _ROUGH_TIME.match(rest)
    if match is None:
        return stamp
    joined = f"{stamp.raw} {match['time']}{rest[match.end() : match.end() + 4]}"
    better = clock.stamp(stamp.position, joined)
    if better.at is None:
        return stamp
    return Stamp(
        clock=better.clock,
        raw=body[: body.find(match["time"]) + len(match["time"])],
        at=better.at,
        uncertainty_s=_ROUGH_S,
        series=stamp.series,
        position=stamp.position,
        assumption="; ".join(filter(None, (f"the record says `{match['word']}`", better.assumption))),
    )


_ROUGH_S = 900.0
"""How far off a time may be that people wrote down as about, before or after; a choice."""
