"""Folds repeats of one signal in one document into the first of them, with a count and the last.

A repeat long after the one before it starts anew (a burst ends after `QUIET_S`). Memory is bounded whatever the
input: past `MOST_PER_NAME` different signals of one name, further ones count towards the first of that name.
Lines of objects, events and notes are not folded: equal words on two lines are about two things.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from firstfault.tools.evidence import Document, Evidence
from firstfault.tools.extract.drafts import Draft
from firstfault.tools.kinds import Kind
from firstfault.tools.signals import Signal
from firstfault.tools.times import Stamp

QUIET_S = 180.0
"""Silence that ends a burst. Source: the burst rule of NVSentinel's health-events-analyzer (3 minutes)."""
MOST_PER_NAME = 500
"""How many different signals of one name are kept apart in one document; a bound, not a measurement."""
LONGEST_EXCERPT = 2_000
"""Longest excerpt of a line. Units: characters."""
_NEAR_LINES = 200
_MOST_CHECKS = 16

_APART = frozenset(
    {
        Kind.KUBECTL_DESCRIBE, Kind.KUBECTL_GET, Kind.KUBE_OBJECTS, Kind.KUBE_EVENTS, Kind.AUDIT_LOG, Kind.ALERTS,
        Kind.OPERATOR_NOTES, Kind.CHANGE_LOG,
    }
)  # fmt: skip

StampOf = Callable[[int, str], Stamp]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a draft was read. text: the excerpt, exactly as it stands in the line."""

    line: int
    text: str


class _Run:
    """One signal and its repeats so far."""

    __slots__ = ("checks", "count", "draft", "first", "last", "last_stamp", "stamp")

    def __init__(self, draft: Draft, place: Place, stamp: Stamp) -> None:
        self.draft, self.first, self.stamp = draft, place, stamp
        self.last, self.last_stamp, self.count, self.checks = place, stamp, 1, 0


class Folder:
    """Takes the drafts of one document in line order and gives them back as signals."""

    def __init__(self, document: Document, stamp_of: StampOf) -> None:
        self._document = document
        self._stamp_of = stamp_of
        self._is_apart = document.kind in _APART
        self._open: dict[tuple[object, ...], _Run] = {}
        self._first_of_name: dict[str, _Run] = {}
        self._per_name: dict[str, int] = {}
        self._runs: list[_Run] = []

    def add(self, draft: Draft, place: Place) -> None:
        """Take in one draft, read at `place`."""
        key = (*draft.key, place.line) if self._is_apart else draft.key
        run = self._open.get(key)
        if run is not None and (run.last.line == place.line or self._goes_on(run, place)):
            run.count += not draft.is_detail and run.last.line != place.line
            run.last = place
            return
        if self._per_name.get(draft.name, 0) >= MOST_PER_NAME:
            overflow = self._first_of_name[draft.name]
            overflow.count += 1
            overflow.last = max(overflow.last, place, key=lambda each: each.line)
            return
        run = _Run(draft, place, self._stamp_of(place.line, place.text))
        self._open[key] = run
        self._first_of_name.setdefault(draft.name, run)
        self._per_name[draft.name] = self._per_name.get(draft.name, 0) + 1
        self._runs.append(run)

    def _goes_on(self, run: _Run, place: Place) -> bool:
        """Return whether a repeat belongs to the burst; far repeats are looked at, within bounds, by their time."""
        if place.line - run.last.line < _NEAR_LINES and run.checks >= _MOST_CHECKS // 2:
            return True
        if run.checks >= _MOST_CHECKS:
            return True
        run.checks += 1
        stamp = self._stamp_of(place.line, place.text)
        quiet = _seconds_between(run.last_stamp, stamp)
        if quiet is not None and quiet > QUIET_S:
            return False
        run.last_stamp = stamp
        return True

    def signals(self) -> Iterator[Signal]:
        """Return the signals in the order in which they began."""
        for run in self._runs:
            is_single = run.last.line == run.first.line
            yield Signal(
                name=run.draft.name,
                entity=run.draft.entity,
                stamp=run.stamp,
                evidence=self._evidence(run.draft, run.first, run.stamp),
                family=run.draft.family,
                attributes=run.draft.all_attributes,
                count=run.count,
                last=None if is_single else self._stamp_of(run.last.line, run.last.text),
                also=() if is_single else (self._evidence(run.draft, run.last, None),),
            )

    def _evidence(self, draft: Draft, place: Place, stamp: Stamp | None) -> Evidence:
        at = stamp.at if stamp is not None else None
        return self._document.quote(place.line, place.text, entity=draft.entity, at=at)


def _seconds_between(first: Stamp, second: Stamp) -> float | None:
    """Return the seconds from one stamp to the next on a clock they share, or None."""
    if first.series == second.series and first.uptime_s is not None and second.uptime_s is not None:
        return second.uptime_s - first.uptime_s
    if first.at is None or second.at is None:
        return None
    return (second.at - first.at).total_seconds()
