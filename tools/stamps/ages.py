"""Reads relative ages (`39m`, `3m2s (x14 over 25m)`, `47m ago`), the way `kubectl` rounds them."""

import re
from dataclasses import dataclass
from datetime import timedelta

from firstfault.tools.context import ReadContext
from firstfault.tools.times import Clock, Stamp

COLLECTION_SLACK_S = 60.0
"""How far the moment a text was collected may lie from `now`; a choice, not a measurement."""

_UNIT_S = {"y": 31_536_000.0, "d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_PART = re.compile(r"(\d{1,12}(?:\.\d{1,9})?)(ms|[ydhms])")
_AGE = re.compile(r"^(?:\d{1,12}(?:\.\d{1,9})?(?:ms|[ydhms]))+$")
_FULL = re.compile(
    r"^(?P<last>\S+?)(?:\s+ago)?(?:\s+\(x(?P<count>\d{1,9})(?:\s+over\s+(?P<first>\S+?))?\))?$"
)
_WORDS = re.compile(
    r"^(?P<number>\d{1,9}|an?|about an?)\s+(?P<unit>second|minute|hour|day|week|month|year)s?\s+ago$"
)
_WORD_S = {
    "second": 1.0, "minute": 60.0, "hour": 3_600.0, "day": 86_400.0, "week": 604_800.0, "month": 2_592_000.0,
    "year": 31_536_000.0,
}  # fmt: skip
_LONGEST_CELL = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A length of time in seconds, and the smallest step that its text shows."""

    seconds: float
    step_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Age:
    """How long ago something was last seen, how often, and when first."""

    last: Span
    count: int = 1
    first: Span | None = None


def span_of(text: str) -> Span | None:
    """Return the duration that `text` says (`5h43m`), or None when it says none."""
    word = text.strip()
    if len(word) > _LONGEST_CELL or not _AGE.match(word):
        return None
    parts = [(float(number), _UNIT_S[unit]) for number, unit in _PART.findall(word)]
    return Span(seconds=sum(number * unit for number, unit in parts), step_s=min(unit for _, unit in parts))


def age_of(text: str) -> Age | None:
    """Return the age that a cell of `kubectl` says, or None: `5m`, `55s (x24 over 5m)`, `2 minutes ago`."""
    cell = " ".join(text.split())
    if len(cell) > _LONGEST_CELL:
        return None
    words = _WORDS.match(cell)
    if words is not None:
        unit = _WORD_S[words["unit"]]
        number = int(words["number"]) if words["number"].isdigit() else 1
        return Age(last=Span(seconds=unit * number, step_s=unit))
    match = _FULL.match(cell)
    last = span_of(match["last"]) if match else None
    if match is None or last is None:
        return None
    return Age(last=last, count=int(match["count"] or 1), first=span_of(match["first"] or ""))


def age_stamp(span: Span, *, raw: str, path: str, line: int, context: ReadContext) -> Stamp:
    """Return the stamp of something `span` ago, as printed on `line` of `path`.

    Ages of one text count back from one moment, so they are comparable with each other: `uptime_s` is minus the age
    and the series is `path#age`. A wall clock is added when `now` is known; `kubectl` cuts ages down to their last
    unit, so the true age lies up to one step above the printed one.
    """
    now = context.now
    half_step_s = span.step_s / 2
    try:
        at = None if now is None else now - timedelta(seconds=span.seconds + half_step_s)
    except OverflowError:
        at = None
    only_here = "age, only comparable inside this text"
    return Stamp(
        clock=Clock.POSITION if at is None else Clock.UTC,
        raw=raw,
        at=at,
        uptime_s=-span.seconds,
        uncertainty_s=half_step_s if at is None else half_step_s + COLLECTION_SLACK_S,
        series=f"{path}#age",
        position=line,
        assumption=only_here if at is None else f"age counted back from {context.now_name}",
    )
