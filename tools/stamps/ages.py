"""Reads relative ages (`39m`, `3m2s (x14 over 25m)`, `47m ago`), the way `kubectl` rounds them."""

import re
from dataclasses import dataclass
from datetime import timedelta

from firstfault.tools.context import ReadContext
from firstfault.tools.times import Clock, Stamp

_UNIT_S = {"y": 31_536_000.0, "d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|[ydhms])")
_AGE = re.compile(r"^(?:\d+(?:\.\d+)?(?:ms|[ydhms]))+$")
_FULL = re.compile(r"^(?P<last>\S+?)(?:\s+ago)?(?:\s+\(x(?P<count>\d+)(?:\s+over\s+(?P<first>\S+?))?\))?$")
_WORDS = re.compile(r"^(?P<number>\d+|an?|about an?)\s+(?P<unit>second|minute|hour|day|week|month|year)s?\s+ago$")
_WORD_S = {"second": 1.0, "minute": 60.0, "hour": 3_600.0, "day": 86_400.0, "week": 604_800.0, "month": 2_592_000.0, "year": 31_536_000.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Age:
    """How long ago something was last seen, how often, and when first. Units: seconds."""

    last_s: float
    step_s: float
    count: int = 1
    first_s: float | None = None
    first_step_s: float | None = None


def seconds_of(text: str) -> tuple[float, float] | None:
    """Return (seconds, smallest step shown) of a duration such as `5h43m`, or None when it is none."""
    word = text.strip()
    if not _AGE.match(word):
        return None
    parts = [(float(number), _UNIT_S[unit]) for number, unit in _PART.findall(word)]
    return sum(number * unit for number, unit in parts), min(unit for _, unit in parts)


def age_of(text: str) -> Age | None:
    """Return the age that a cell of `kubectl` says, or None: `5m`, `55s (x24 over 5m)`, `2 minutes ago`."""
    cell = " ".join(text.split())
    words = _WORDS.match(cell)
    if words is not None:
        unit = _WORD_S[words["unit"]]
        return Age(last_s=unit * (int(words["number"]) if words["number"].isdigit() else 1), step_s=unit)
    match = _FULL.match(cell)
    last = seconds_of(match["last"]) if match else None
    if match is None or last is None:
        return None
    first = seconds_of(match["first"]) if match["first"] else None
    return Age(
        last_s=last[0],
        step_s=last[1],
        count=int(match["count"] or 1),
        first_s=first[0] if first else None,
        first_step_s=first[1] if first else None,
    )


def age_stamp(seconds: float, step_s: float, *, raw: str, path: str, line: int, context: ReadContext) -> Stamp:
    """Return the stamp of something `seconds` ago, as printed on `line` of `path`.

    Ages of one text count back from one moment, so they are comparable with each other: `uptime_s` is minus the age
    and the series is `path#age`. A wall clock is added when `now` is known; `kubectl` cuts ages down to their last
    unit, so the true age lies up to one step above the printed one.
    """
    now = context.now
    at = None
    if now is not None:
        try:
            at = now - timedelta(seconds=seconds + step_s / 2)
        except OverflowError:
            at = None
    return Stamp(
        clock=Clock.POSITION if at is None else Clock.UTC,
        raw=raw,
        at=at,
        uptime_s=-seconds,
        uncertainty_s=step_s / 2 if at is None else step_s / 2 + COLLECTION_SLACK_S,
        series=f"{path}#age",
        position=line,
        assumption="age, only comparable inside this text" if at is None else f"age counted back from {context.now_name}",
    )


COLLECTION_SLACK_S = 60.0
"""How far the moment a text was collected may lie from `now`; a choice, not a measurement."""
