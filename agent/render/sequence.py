"""What happened after the first fault, folded to a few lines that a reader can take in.

Times are compared only where the report has one clock for both: wall clocks, or uptimes of one file. Lines of one
file keep their order. Everything else is said to be of unknown order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from firstfault.agent.render.citations import ROLES, Citations
from firstfault.agent.render.phrases import counted, entity, identity, is_named, seconds
from firstfault.agent.render.safety import one_line
from firstfault.agent.report.contract import EntityPart, Report, TimelinePart

UNKNOWN_ORDER = "order unknown"
_FOLLOWS = "follows from "


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """All signals of one name and role. offset: from the first fault; spread: between the first and last of them.

    others: by kind, how many more things it was seen on that are not listed.
    """

    offset: str
    signal: str
    role: str
    entities: tuple[EntityPart, ...]
    others: Mapping[str, int]
    count: int
    spread: str | None
    because: str
    evidence: tuple[str, ...]

    @property
    def told(self) -> str:
        """Return the role and the reason for it, a reason only where it says more than that it follows."""
        reason = "" if self.because.startswith(_FOLLOWS) else one_line(self.because, 200)
        return f"{self.role}: {reason}" if reason else self.role

    @property
    def affected(self) -> str:
        """Return the things it was seen on: `on 3 nvswitches`, `on` the one thing by name, or nothing when none is named."""
        named = [part for part in self.entities if is_named(part)]
        return f" on {self._things}" if named else ""

    @property
    def _things(self) -> str:
        if len({identity(part) for part in self.entities}) == 1 and not self.others:
            return entity(self.entities[0])
        return counted(self.entities, self.others)


def first_entry(report: Report) -> TimelinePart | None:
    """Return the timeline entry of the first fault, None when there is none or it is not on the timeline."""
    first = report.first_fault
    if first is None:
        return None
    cited = set(first.evidence)
    same = [
        entry for entry in report.timeline if entry.signal == first.signal and cited & set(entry.evidence)
    ]
    exact = [entry for entry in same if entry.entity == first.entity]
    return next(iter(exact or same), None)


def steps(report: Report, cited: Citations) -> tuple[Step, ...]:
    """Return what followed (or came with) the first fault by role, causes first, context left out.

    What more things say than are listed comes right after the causes: it is what everybody sees of the incident.
    """
    first = first_entry(report)
    groups: dict[tuple[str, str], list[TimelinePart]] = {}
    for entry in report.timeline:
        if entry is not first and entry.role in ROLES:
            groups.setdefault((entry.role, entry.signal), []).append(entry)
    ordered = sorted(groups.items(), key=_prominence)
    return tuple(_step(role, signal, entries, first, cited) for (role, signal), entries in ordered)


def _step(
    role: str, signal: str, entries: Sequence[TimelinePart], first: TimelinePart | None, cited: Citations
) -> Step:
    offsets = [offset for entry in entries if (offset := offset_s(first, entry, cited)) is not None]
    spread = max(offsets) - min(offsets) if len(offsets) > 1 else None
    return Step(
        offset=_offset(first, entries[0], offsets, cited),
        signal=signal,
        role=role,
        entities=tuple(dict.fromkeys(entry.entity for entry in entries)),
        others=_others(entries),
        count=sum(entry.count for entry in entries),
        spread=None if spread is None else seconds(spread),
        because=entries[0].because,
        evidence=tuple(dict.fromkeys(item for entry in entries for item in entry.evidence)),
    )


def _prominence(item: tuple[tuple[str, str], list[TimelinePart]]) -> tuple[bool, int, int]:
    (role, _), entries = item
    return role != "cause", -sum(entry.others for entry in entries), ROLES[role]


def _others(entries: Sequence[TimelinePart]) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for entry in entries:
        if entry.others:
            found[entry.entity.kind] = found.get(entry.entity.kind, 0) + entry.others
    return found


def offset_s(first: TimelinePart | None, entry: TimelinePart, cited: Citations) -> float | None:
    """Return the seconds from the first fault to `entry` on a clock they share, None without one."""
    if first is None:
        return None
    if first.at is not None and entry.at is not None:
        return (entry.at - first.at).total_seconds()
    same_file = _path(first, cited) is not None and _path(first, cited) == _path(entry, cited)
    if same_file and first.uptime_s is not None and entry.uptime_s is not None:
        return entry.uptime_s - first.uptime_s
    return None


def _offset(
    first: TimelinePart | None, entry: TimelinePart, offsets: Sequence[float], cited: Citations
) -> str:
    if offsets:
        value = min(offsets)
        return seconds(value) if value < 0 else f"+{seconds(value)}"
    if first is None:
        return ""
    one, other = cited.first_of(first.evidence), cited.first_of(entry.evidence)
    if one is None or other is None or one.path != other.path:
        return UNKNOWN_ORDER
    if one.line_start == other.line_start:
        return "same line"
    return "later" if other.line_start > one.line_start else "earlier"


def _path(entry: TimelinePart, cited: Citations) -> str | None:
    part = cited.first_of(entry.evidence)
    return None if part is None else part.path
