"""Clocks of lines as they show, read cheaply while a document streams by; what a time means is said by `stamps`."""

import re
from datetime import date

_HEAD = 96
_LEAP_YEAR = 2000
_MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec"
_CLOCK = re.compile(
    r"\[ *(?P<up>\d{1,9}\.\d{3,9})\]"
    r"|(?:(?P<Y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)[T _]"
    r"|(?P<b>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}(?P<b_day>\d{1,2}) "
    r"|\b[IWEFVC](?P<k>\d{1,2})(?P<k_day>\d\d) )(?P<time>\d\d:\d\d:\d\d)",
    re.ASCII,
)
"""Uptimes, dates as in ISO 8601, syslog and `dmesg -T`, and klog: what most logs print."""
_MOST_MARKS = 20_000
_MARKS_APART = 1_000
"""Lines between two marks that are kept: many logs show two clocks on every line."""
_KEPT_CHARS = 512


def clock_of(line: str) -> tuple[str, float] | None:
    """Return what the clock at the head of a line shows: (which clock, seconds), or None.

    Only for the distance of two lines of one document, and cheap for that: zones and missing years are the same in
    both. What a time means is said by `stamps`.
    """
    match = _CLOCK.search(line, 0, _HEAD)
    if match is None:
        return None
    if match["up"]:
        return "uptime", float(match["up"])
    month = match["m"] or (_MONTHS.index(match["b"]) // 3 + 1 if match["b"] else match["k"])
    day = match["d"] or match["b_day"] or match["k_day"]
    hours, minutes, seconds = (int(part) for part in match["time"].split(":"))
    try:
        days = date(int(match["Y"] or _LEAP_YEAR), int(month), int(day)).toordinal()
    except ValueError:
        return None
    return ("dated" if match["Y"] else "yearless"), days * 86_400 + hours * 3600 + minutes * 60 + seconds


def without_clock(line: str) -> str:
    """Return the line without the time at its head: what repeats of one message have in common."""
    match = _CLOCK.search(line, 0, _HEAD)
    return line if match is None else line[: match.start()] + line[match.end() :].lstrip("0123456789.,")


class BootMarks:
    """Keeps the lines that tell the boots of a log: every start of a kernel, and now and then one with two clocks."""

    def __init__(self) -> None:
        self.lines: list[tuple[int, str]] = []
        self._last = -_MARKS_APART

    def add(self, number: int, line: str) -> None:
        """Take in a line that holds one of `BOOT_MARKS`."""
        is_far = number - self._last >= _MARKS_APART
        if (is_far or "Linux version " in line) and len(self.lines) < _MOST_MARKS:
            self._last = number
            self.lines.append((number, line[:_KEPT_CHARS]))
