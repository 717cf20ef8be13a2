"""Folds repeats of one signal in one document into the first of them, with a count and the last.

A repeat long after the one before it starts anew (a burst ends after `QUIET_S`). Memory is bounded whatever the
input: past `MOST_PER_NAME` different signals of one name, or `MOST` in all, further ones count towards the first of
their name, and one more signal says how many lines were not kept apart.
Lines of objects, events and notes are not folded: equal words on two lines are about two things.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from firstfault.tools.entities import UNKNOWN_ENTITY
from firstfault.tools.evidence import Document, Evidence
from firstfault.tools.extract.clocks import clock_of
from firstfault.tools.extract.drafts import Draft
from firstfault.tools.kinds import Kind
from firstfault.tools.signals import Signal
from firstfault.tools.times import Stamp

QUIET_S = 180.0
"""Silence that ends a burst. Source: the burst rule of NVSentinel's health-events-analyzer (3 minutes)."""
MOST_PER_NAME = 12_000
"""How many different signals of one name are kept apart in one document: more than the 10,000 ranks of a job in one stream."""
MOST = 60_000
"""How many different signals are kept apart in one document at all; with full excerpts this is about 200 MB."""
LONGEST_EXCERPT = 2_000
"""Longest excerpt of a line. Units: characters."""
OVERFLOW = "extract.overflow"
"""The signal that says that more different things were seen than are kept apart; its count is how many lines."""
_NEAR_LINES = 200
_MOST_CHECKS = 16
_APART = frozenset(
    {
        Kind.KUBECTL_DESCRIBE, Kind.KUBECTL_GET, Kind.KUBE_OBJECTS, Kind.KUBE_EVENTS, Kind.AUDIT_LOG, Kind.ALERTS,
        Kind.OPERATOR_NOTES, Kind.CHANGE_LOG,
    }
)  # fmt: skip

StampOf = Callable[[int, str], Stamp]
"""Gives the stamp of a line by its number and text; asked only when the document has been read to its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a draft was read. text: the excerpt, exactly as it stands in the line."""

    line: int
    text: str


class _Run:
    """One signal and its repeats so far."""

    __slots__ = ("checks", "clock", "count", "draft", "first", "last")

    def __init__(self, draft: Draft, place: Place) -> None:
        self.draft, self.first, self.last, self.count = draft, place, place, 1
        self.clock, self.checks = clock_of(place.text), 0


class Folder:
    """Takes the drafts of one document in line order and gives them back as signals."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._is_apart = document.kind in _APART
        self._open: dict[tuple[object, ...], _Run] = {}
        self._first_of_name: dict[str, _Run] = {}
        self._per_name: Counter[str] = Counter()
        self._runs: list[_Run] = []
        self._rest: _Run | None = None

    def add(self, draft: Draft, place: Place) -> None:
        """Take in one draft, read at `place`."""
        key = (*draft.key, place.line) if self._is_apart else draft.key
        run = self._open.get(key)
        if run is not None and (run.last.line == place.line or _goes_on(run, place)):
            run.count += not draft.is_detail and run.last.line != place.line
            run.last = place
            return
        if self._per_name[draft.name] >= MOST_PER_NAME or len(self._runs) >= MOST:
            self._overflow(draft, place)
            return
        run = _Run(draft, place)
        self._open[key] = run
        self._first_of_name.setdefault(draft.name, run)
        self._per_name[draft.name] += 1
        self._runs.append(run)

    def _overflow(self, draft: Draft, place: Place) -> None:
        """Count what is not kept apart any more towards the first of its name, and towards the signal that says so."""
        self._go_on(self._first_of_name.get(draft.name), place)
        if self._rest is None:
            self._rest = _Run(Draft(name=OVERFLOW, entity=UNKNOWN_ENTITY, family=draft.family), place)
            self._runs.append(self._rest)
        else:
            self._go_on(self._rest, place)

    @staticmethod
    def _go_on(run: _Run | None, place: Place) -> None:
        if run is not None:
            run.count += 1
            run.last = max(run.last, place, key=lambda each: each.line)

    def signals(self, stamp_of: StampOf) -> Iterator[Signal]:
        """Return the signals in the order in which they began."""
        for run in self._runs:
            is_single = run.last.line == run.first.line
            stamp = stamp_of(run.first.line, run.first.text)
            yield Signal(
                name=run.draft.name,
                entity=run.draft.entity,
                stamp=stamp,
                evidence=self._evidence(run.draft, run.first, stamp),
                family=run.draft.family,
                attributes=run.draft.all_attributes,
                count=run.count,
                last=None if is_single else stamp_of(run.last.line, run.last.text),
                also=() if is_single else (self._evidence(run.draft, run.last, None),),
            )

    def _evidence(self, draft: Draft, place: Place, stamp: Stamp | None) -> Evidence:
        at = stamp.at if stamp is not None else None
        return self._document.quote(place.line, place.text, entity=draft.entity, at=at)


def _goes_on(run: _Run, place: Place) -> bool:
    """Return whether a repeat belongs to the burst; far repeats are looked at, within bounds, by their time."""
    is_near = place.line - run.last.line < _NEAR_LINES
    if run.checks >= (_MOST_CHECKS // 2 if is_near else _MOST_CHECKS):
        return True
    run.checks += 1
    clock = clock_of(place.text)
    if clock is None or run.clock is None or clock[0] != run.clock[0]:
        return True
    quiet_s, run.clock = clock[1] - run.clock[1], clock
    return abs(quiet_s) <= QUIET_S
