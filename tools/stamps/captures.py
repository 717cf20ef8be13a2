"""From what a pattern caught to a moment."""

import re
from datetime import UTC, datetime, timedelta

from firstfault.tools.stamps.calendar import zone_of
from firstfault.tools.stamps.moments import ANY_YEAR, Moment

MONTHS = {
    name: number
    for number, name in enumerate(
        ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"), start=1
    )
}

_EPOCH_LOW, _EPOCH_HIGH = 946_684_800.0, 4_102_444_800.0
"""2000 and 2100 in seconds since 1970: what may be read as an epoch time."""


def _moment(name: str, match: re.Match[str], *, year: int | None, month: int, day: int) -> Moment | None:
    groups = match.groupdict()
    fraction = groups.get("f")
    hour, minute, second = (int(groups.get(part) or 0) for part in ("H", "M", "S"))
    micros = int((fraction or "0")[:6].ljust(6, "0"))
    try:
        local = datetime(year or ANY_YEAR, month, day, hour, minute, second, micros, tzinfo=UTC).replace(
            tzinfo=None
        )
    except ValueError:
        return None
    step = 10.0 ** -len(fraction or "")
    if groups.get("S") is None:
        step = 86_400.0 if groups.get("H") is None else 60.0
    raw = match["raw"] if "raw" in groups else match[0].strip(" \t[]\"'")
    return Moment(
        raw=raw,
        dialect=name,
        local=local,
        zone=zone_of(groups.get("z")),
        has_year=year is not None,
        resolution_s=step,
    )


def iso_moment(match: re.Match[str]) -> Moment | None:
    """Return the moment of a numeric date, with or without a clock; None when the digits are no time."""
    return _moment("iso", match, year=int(match["Y"]), month=int(match["m"]), day=int(match["d"]))


def named_month_moment(match: re.Match[str]) -> Moment | None:
    """Return the moment of a date with the name of its month; None when the digits are no time."""
    year = match.groupdict().get("Y")
    return _moment(
        "named_month", match, year=int(year) if year else None, month=MONTHS[match["b"]], day=int(match["d"])
    )


def ctime_moment(match: re.Match[str]) -> Moment | None:
    """Return the moment of a date as `ctime` prints it; inside brackets it is `dmesg -T`'s; None when the digits are no time."""
    name = "dmesg_t" if match.string.startswith(("[", "<")) else "ctime"
    return _moment(name, match, year=int(match["Y"]), month=MONTHS[match["b"]], day=int(match["d"]))


def klog_moment(match: re.Match[str]) -> Moment | None:
    """Return the moment of month and day in digits without a year, or with one; None when the digits are no time."""
    year = match.groupdict().get("Y")
    return _moment(
        "klog", match, year=int(year) if year else None, month=int(match["m"]), day=int(match["d"])
    )


def uptime_moment(match: re.Match[str]) -> Moment | None:
    """Return the moment of seconds since boot; None when the digits are no time."""
    digits = match["u"].partition(".")[2]
    return Moment(
        raw=match["raw"].strip(),
        dialect="uptime",
        uptime_s=float(match["u"]),
        resolution_s=10.0 ** -len(digits) if digits else 1.0,
    )


def kmsg_moment(match: re.Match[str]) -> Moment | None:
    """Return the moment of microseconds since boot; None when the digits are no time."""
    return Moment(raw=match["raw"], dialect="kmsg", uptime_s=int(match["us"]) / 1e6, resolution_s=1e-6)


def epoch_moment(match: re.Match[str]) -> Moment | None:
    """Return the moment of seconds, milliseconds, micro- or nanoseconds since 1970; None when the digits are no time."""
    seconds = float(match["e"])
    digits = len(match["e"].partition(".")[2])
    for scale in (1.0, 1e3, 1e6, 1e9):
        if _EPOCH_LOW <= seconds / scale <= _EPOCH_HIGH:
            local = datetime.fromtimestamp(0, tz=UTC) + timedelta(seconds=seconds / scale)
            step = max(10.0**-digits / scale, 1e-6)
            return Moment(
                raw=match["raw"],
                dialect="epoch",
                local=local.replace(tzinfo=None),
                zone=UTC,
                resolution_s=step,
            )
    return None
