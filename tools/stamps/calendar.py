"""Settles years and zones: from a written time to aware UTC, with what had to be assumed."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from firstfault.tools.context import ReadContext
from firstfault.tools.stamps.moments import Moment

_HOURS_OF_ABBREVIATION = {
    "PST": -8, "PDT": -7, "MST": -7, "MDT": -6, "CST": -6, "CDT": -5, "EST": -5, "EDT": -4, "WET": 0, "WEST": 1,
    "BST": 1, "CET": 1, "CEST": 2, "EET": 2, "EEST": 3, "MSK": 3, "SGT": 8, "HKT": 8, "JST": 9, "KST": 9,
    "AEST": 10, "AEDT": 11,
}  # fmt: skip
"""Hours east of UTC. Names that mean several zones are read as the one most printed by hosts (CST: America)."""

ABBREVIATIONS = "|".join(("UTC", "GMT", *_HOURS_OF_ABBREVIATION))
"""For a regular expression: every zone name that is understood after a time."""

_OFFSET = re.compile(r"^(?:UTC|GMT)?(?P<sign>[+-])(?P<hours>\d{1,2}):?(?P<minutes>\d\d)?$")
_FUTURE_SLACK = timedelta(days=2)


def zone_of(text: str | None) -> tzinfo | None:
    """Return the zone that `text` names (offset, abbreviation or IANA name), or None when it names none."""
    name = (text or "").strip()
    if not name:
        return None
    if name.upper() in {"Z", "UTC", "GMT"}:
        return UTC
    offset = _OFFSET.match(name)
    if offset is not None:
        span = timedelta(hours=int(offset["hours"]), minutes=int(offset["minutes"] or 0))
        return timezone(-span if offset["sign"] == "-" else span) if span < timedelta(hours=24) else None
    if name in _HOURS_OF_ABBREVIATION and name != "CET":
        return timezone(timedelta(hours=_HOURS_OF_ABBREVIATION[name]))
    try:
        return ZoneInfo(name)
    except (ValueError, KeyError, OSError):
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """Settles moments of one document.

    zone: used where a time names none. zone_said_by: where that zone is from; None means that UTC is a guess.
    anchor: a moment near which times without a year lie. anchor_is_end: nothing should lie after it.
    """

    zone: tzinfo = UTC
    zone_said_by: str | None = None
    anchor: datetime | None = None
    anchor_name: str = ""
    anchor_is_end: bool = False

    @staticmethod
    def of(context: ReadContext, *, seen: datetime | None = None, in_container: bool = False) -> "Calendar":
        """Return the calendar of a document.

        seen: a complete time found in the same document, the best anchor for a year. in_container: containers run
        on UTC whatever the zone of the host, so the zone of the incident is not applied.
        """
        zone = None if in_container else zone_of(context.zone)
        anchor, name, is_end = seen, "another line of the same text", False
        if anchor is None and context.now is not None:
            anchor, name, is_end = context.now, context.now_name, True
        if anchor is None and context.year is not None:
            anchor, name = datetime(context.year, 7, 2, tzinfo=UTC), "the recording"
        return Calendar(
            zone=zone or UTC,
            zone_said_by=None if zone is None else "the incident",
            anchor=anchor if anchor is None or anchor.tzinfo is not None else anchor.replace(tzinfo=UTC),
            anchor_name=name,
            anchor_is_end=is_end,
        )

    def settle(self, moment: Moment) -> tuple[datetime | None, str | None]:
        """Return the aware UTC time of `moment`, None when its year cannot be known, and what was assumed."""
        if moment.local is None:
            return None, None
        assumed: list[str] = []
        local = moment.local
        zone = moment.zone
        if zone is None:
            zone = self.zone
            assumed.append(
                f"zone from {self.zone_said_by}" if self.zone_said_by else "zone not stated, read as UTC"
            )
        if not moment.has_year:
            year = self._year(local, zone)
            if year is None:
                return None, "year not stated"
            local = _with_year(local, year)
            assumed.append(f"year from {self.anchor_name}")
        return _to_utc(local, zone), "; ".join(assumed) or None

    def _year(self, local: datetime, zone: tzinfo) -> int | None:
        if self.anchor is None:
            return None
        candidates = [self.anchor.year - 1, self.anchor.year, self.anchor.year + 1]
        times = {year: _to_utc(_with_year(local, year), zone) for year in candidates}
        known = {year: at for year, at in times.items() if at is not None}
        if self.anchor_is_end:
            known = {year: at for year, at in known.items() if at <= self.anchor + _FUTURE_SLACK} or known
        anchor = self.anchor
        return min(known, key=lambda year: abs(known[year] - anchor), default=None)


def _with_year(local: datetime, year: int) -> datetime:
    try:
        return local.replace(year=year)
    except ValueError:
        return local.replace(year=year, day=28)


def _to_utc(local: datetime, zone: tzinfo) -> datetime | None:
    try:
        return local.replace(tzinfo=zone).astimezone(UTC)
    except (OverflowError, ValueError):
        return None
