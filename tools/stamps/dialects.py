"""The written forms of a time at the head of a line, and inside it where a key makes it unmistakable."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from firstfault.tools.stamps.calendar import ABBREVIATIONS, zone_of
from firstfault.tools.stamps.moments import ANY_YEAR, Moment

_MONTHS = {name: number for number, name in enumerate("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), start=1)}
_MON = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
_DAY = "Mon|Tue|Wed|Thu|Fri|Sat|Sun"
_CLOCK = r"(?P<H>\d\d):(?P<M>\d\d)(?::(?P<S>\d\d)(?:[.,](?P<f>\d{1,9}))?)?"
_ZONE = rf"(?:\s?(?P<z>Z|[+-]\d\d:?\d\d|(?:{ABBREVIATIONS})\b))?"
_ISO = rf"(?P<Y>\d{{4}})[-/.](?P<m>\d\d)[-/.](?P<d>\d\d)(?:[T _]{_CLOCK}{_ZONE})?(?![\w.-]*/)"
_LABEL = r"(?:\[[\w .\-/]{1,40}\]\s?:?\s*|\([^()\n]{1,80}\)\s*|[\w.\-]{1,63}\s?[:|>]\s*)"
_HEAD = rf"^(?:\x1b\[[\d;]*m|<\d{{1,3}}>\d?|\s|{_LABEL}){{0,5}}[\[(\"']?"

_EPOCH_LOW, _EPOCH_HIGH = 946_684_800.0, 4_102_444_800.0
"""2000 and 2100 in seconds since 1970: what may be read as an epoch time."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One written form. at_head: it counts only at the head of a line (after labels such as `[rank3]:`)."""

    name: str
    pattern: re.Pattern[str]
    read: Callable[[re.Match[str]], Moment | None]
    at_head: bool = True

    def moment(self, line: str) -> Moment | None:
        """Return what `line` says in this form, or None."""
        match = self.pattern.match(line) if self.at_head else self.pattern.search(line, 0, SEARCH_LIMIT)
        return None if match is None else self.read(match)


SEARCH_LIMIT = 4096
"""How far into a line a keyed time is looked for."""


def _moment(name: str, match: re.Match[str], *, year: int | None, month: int, day: int) -> Moment | None:
    groups = match.groupdict()
    fraction = groups.get("f")
    try:
        local = datetime(  # noqa: DTZ001: the zone is settled by the calendar
            year or ANY_YEAR, month, day, int(groups.get("H") or 0), int(groups.get("M") or 0), int(groups.get("S") or 0),
            int((fraction or "0")[:6].ljust(6, "0")),
        )  # fmt: skip
    except ValueError:
        return None
    step = 86_400.0 if groups.get("H") is None else 60.0 if groups.get("S") is None else 10.0 ** -len(fraction or "")
    raw = match["raw"] if "raw" in groups else match[0].strip(" \t[]\"'")
    return Moment(
        raw=raw, dialect=name, local=local, zone=zone_of(groups.get("z")), has_year=year is not None, resolution_s=step
    )


def _iso(match: re.Match[str]) -> Moment | None:
    return _moment("iso", match, year=int(match["Y"]), month=int(match["m"]), day=int(match["d"]))


def _named_month(match: re.Match[str]) -> Moment | None:
    year = match.groupdict().get("Y")
    return _moment("named_month", match, year=int(year) if year else None, month=_MONTHS[match["b"]], day=int(match["d"]))


def _ctime(match: re.Match[str]) -> Moment | None:
    name = "dmesg_t" if match.string.startswith(("[", "<")) else "ctime"
    return _moment(name, match, year=int(match["Y"]), month=_MONTHS[match["b"]], day=int(match["d"]))


def _klog(match: re.Match[str]) -> Moment | None:
    year = match.groupdict().get("Y")
    return _moment("klog", match, year=int(year) if year else None, month=int(match["m"]), day=int(match["d"]))


def _uptime(match: re.Match[str]) -> Moment | None:
    digits = match["u"].partition(".")[2]
    return Moment(
        raw=match["raw"].strip(), dialect="uptime", uptime_s=float(match["u"]), resolution_s=10.0 ** -len(digits) if digits else 1.0
    )


def _kmsg(match: re.Match[str]) -> Moment | None:
    return Moment(raw=match["raw"], dialect="kmsg", uptime_s=int(match["us"]) / 1e6, resolution_s=1e-6)


def _epoch(match: re.Match[str]) -> Moment | None:
    seconds = float(match["e"])
    digits = len(match["e"].partition(".")[2])
    for scale in (1.0, 1e3, 1e6, 1e9):
        if _EPOCH_LOW <= seconds / scale <= _EPOCH_HIGH:
            local = datetime.fromtimestamp(0, tz=UTC) + timedelta(seconds=seconds / scale)
            step = max(10.0**-digits / scale, 1e-6)
            return Moment(raw=match["raw"], dialect="epoch", local=local.replace(tzinfo=None), zone=UTC, resolution_s=step)
    return None


_KEY = r"(?:time|ts|timestamp|@timestamp|asctime|datetime|date|t|eventTime|requestReceivedTimestamp|__REALTIME_TIMESTAMP)"

HEAD_DIALECTS = (
    Dialect("kmsg", re.compile(r"^(?P<raw>\d{1,3},\d+,(?P<us>\d+),[\w=,-]*);"), _kmsg),
    Dialect("uptime", re.compile(r"^(?:<\d{1,3}>|\w+\s*:\s*\w+\s*:\s*)?(?P<raw>\[\s*(?P<u>\d{1,9}\.\d{3,9})\s*\](?:\[\s*[TC]\d+\])?)"), _uptime),
    Dialect("iso", re.compile(_HEAD + rf"(?P<raw>{_ISO})"), _iso),
    Dialect("klog", re.compile(_HEAD + rf"[IWEFVDC](?P<raw>(?P<Y>\d{{4}})?(?P<m>\d{{1,2}})(?P<d>\d\d)\s+{_CLOCK})"), _klog),
    Dialect("ctime", re.compile(_HEAD + rf"(?P<raw>(?:{_DAY})\s+(?P<b>{_MON})\s+(?P<d>\d{{1,2}})\s+{_CLOCK}{_ZONE}\s+(?P<Y>\d{{4}}))"), _ctime),
    Dialect("day_iso", re.compile(_HEAD + rf"(?:{_DAY})\s+(?P<raw>{_ISO})"), _iso),
    Dialect("month_year", re.compile(_HEAD + rf"(?P<raw>(?P<b>{_MON})\s+(?P<d>\d{{1,2}}),?\s+(?P<Y>\d{{4}})\s+{_CLOCK}{_ZONE})"), _named_month),
    Dialect("rfc2822", re.compile(_HEAD + rf"(?:Date:\s+)?(?:{_DAY}),?\s+(?P<raw>(?P<d>\d{{1,2}})\s+(?P<b>{_MON})\s+(?P<Y>\d{{4}})\s+{_CLOCK}{_ZONE})"), _named_month),
    Dialect("git", re.compile(rf"^Date:\s+(?P<raw>(?:{_DAY})\s+(?P<b>{_MON})\s+(?P<d>\d{{1,2}})\s+{_CLOCK}\s+(?P<Y>\d{{4}}){_ZONE})"), _named_month),
    Dialect("syslog", re.compile(_HEAD + rf"(?P<raw>(?P<b>{_MON})\s+(?P<d>\d{{1,2}})\s+{_CLOCK})\s"), _named_month),
    Dialect("access_log", re.compile(rf"^.{{0,80}}?\[(?P<raw>(?P<d>\d\d)/(?P<b>{_MON})/(?P<Y>\d{{4}}):{_CLOCK}{_ZONE})\]"), _named_month),
    Dialect("month_day", re.compile(_HEAD + rf"(?:DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL)\s+(?P<raw>(?P<m>\d\d)-(?P<d>\d\d)\s+{_CLOCK})"), _klog),
    Dialect("epoch", re.compile(r"^\[?(?P<raw>(?P<e>\d{10}(?:\.\d{1,9})?|\d{13}))(?=[\]\s:])"), _epoch),
)  # fmt: skip
"""Tried at the head of a line; the first that fits wins."""

INNER_DIALECTS = (
    Dialect("klog_inside", re.compile(rf"(?<![\w.])[IWEF](?P<raw>(?P<m>\d\d)(?P<d>\d\d) {_CLOCK})\s+\d+ [\w./-]+:\d+\]"), _klog, at_head=False),
    Dialect("c10d_inside", re.compile(rf"\[[IWEFVC](?P<raw>(?P<m>\d{{1,2}})(?P<d>\d\d) {_CLOCK}) [\w./-]+:\d+\]"), _klog, at_head=False),
    Dialect("key_iso", re.compile(rf"(?<![\w.])\"?{_KEY}\"?\s?[:=]\s?\"?(?P<raw>{_ISO})"), _iso, at_head=False),
    Dialect("key_epoch", re.compile(rf"(?<![\w.])\"?{_KEY}\"?\s?[:=]\s?\"?(?P<raw>(?P<e>\d{{10}}(?:\.\d{{1,9}}|\d{{3}}|\d{{6}}|\d{{9}})?))(?![\w.])"), _epoch, at_head=False),
    Dialect("audit", re.compile(r"\baudit\((?P<raw>(?P<e>\d{10}\.\d{3})):\d+\)"), _epoch, at_head=False),
    Dialect("rtc", re.compile(rf"setting system clock to {_ISO} \((?P<raw>(?P<e>\d{{10}}))\)"), _epoch, at_head=False),
)  # fmt: skip
"""Looked for inside a line: forms with a key or a shape that nothing else has."""


def moments(line: str) -> tuple[Moment, ...]:
    """Return every time that `line` carries as its own: the one at its head first, then those inside."""
    text = line[:SEARCH_LIMIT]
    head = next((moment for dialect in HEAD_DIALECTS if (moment := dialect.moment(text)) is not None), None)
    inner = [moment for dialect in INNER_DIALECTS if (moment := dialect.moment(text)) is not None]
    return (*((head,) if head is not None else ()), *inner)
