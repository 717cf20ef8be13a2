"""Suspects from counters: another operation at one place, behind the others, late, or silent."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from firstfault.agent.correlate.collectives.making import Said, began, made, statement
from firstfault.agent.correlate.collectives.paths import Paths
from firstfault.agent.correlate.collectives.standings import UNKNOWN_GROUP, Group, Standing, Wait, by_rank
from firstfault.tools.signals import Signal, Value
from firstfault.tools.times import Stamp

_EQUAL_SIZES = frozenset({"ALLREDUCE", "BROADCAST", "REDUCE"})
"""Operations in which every rank hands in as much as every other."""
_LEAST_SHARE = 0.5
"""Share of the members that must have spoken before the silence of another says something; a choice."""
_LEAST_WITNESSES = 2
_LATE_S = 10.0
"""How much later than the others a rank must have entered an operation to be called late; a choice."""
_LEAST_TO_COMPARE = 3
"""Two ranks cannot tell which of them is late."""
_SHOWN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One group in which ranks wait. wait: what most of them wait in; waiting: who; start: the first to enter it."""

    group: Group
    wait: Wait
    waiting: tuple[Standing, ...]
    start: tuple[Stamp, Signal] | None
    paths: Paths

    @property
    def since(self) -> Stamp | None:
        """Return when the wait began, None when no line tells."""
        return None if self.start is None else self.start[0]

    @property
    def about(self) -> dict[str, Value]:
        """Return what every signal of the group carries."""
        told: dict[str, Value] = {
            "group": self.group.name or "unknown",
            "waiting_op": self.wait.op,
            "ranks_waiting": len(self.waiting),
        }
        if self.wait.seq is not None:
            told["waiting_seq"] = self.wait.seq
        if self.group.members:
            told["world"] = len(self.group.members)
        return told

    def suspect(self, name: str, rank: str, said: list[Said], **more: Value) -> Signal:
        """Return the signal that suspects `rank`."""
        attributes = {"rank": rank, **more, **self.about, **self.paths.attributes(rank)}
        return made(name, self.paths.entity(rank), said, attributes, self.since)


def suspects(group: Group, paths: Paths) -> Iterator[Signal]:
    """Yield the suspects of one group, in order of rank, and when its wait began."""
    wait = group.usual_wait
    if wait is None:
        return
    waiting = tuple(each for each in group.waiting if _is_at(each, wait))
    scene = Scene(group=group, wait=wait, waiting=waiting, start=_start(waiting), paths=paths)
    yield from _hang_start(scene)
    if group.name != UNKNOWN_GROUP or _is_one_place(group):
        yield from _mismatches(scene)
    yield from _stragglers(scene)
    yield from _late(scene)
    yield from _silent(scene)


def _is_one_place(group: Group) -> bool:
    """Return whether all who wait, and not just two, stand at one sequence number: then lines without a group compare."""
    places = [each.wait.seq for each in group.waiting if each.wait is not None]
    return len(places) >= _LEAST_TO_COMPARE and None not in places and len(set(places)) == 1


def _is_at(standing: Standing, wait: Wait) -> bool:
    return standing.wait is not None and (standing.wait.seq, standing.wait.op) == (wait.seq, wait.op)


def _witnesses(standings: list[Standing] | tuple[Standing, ...]) -> list[Said]:
    found = [statement(each.wait) for each in standings[:_SHOWN] if each.wait is not None]
    return [each for each in found if each is not None]


def _start(waiting: tuple[Standing, ...]) -> tuple[Stamp, Signal] | None:
    """Return when the first rank entered the operation, and the line that tells."""
    starts = [
        (stamp, each.wait.signal)
        for each in waiting
        if each.wait and each.wait.signal and (stamp := began(each.wait)) is not None
    ]
    return min(starts, key=lambda item: _moment(item[0]), default=None)


def _moment(stamp: Stamp) -> tuple[bool, float, int]:
    seconds = stamp.at.timestamp() if stamp.at is not None else stamp.uptime_s or 0.0
    return stamp.at is None, seconds, stamp.position


def _hang_start(scene: Scene) -> Iterator[Signal]:
    """Yield when the wait began, from the rank that entered it first."""
    if scene.start is None:
        return
    stamp, signal = scene.start
    yield Signal(
        name="collective.hang_start",
        entity=signal.entity,
        stamp=stamp,
        evidence=signal.evidence,
        family=signal.family,
        attributes=scene.about,
    )


def _mismatches(scene: Scene) -> Iterator[Signal]:
    """Yield the ranks that wait at the same sequence number in another operation, or with another size."""
    here = [each for each in scene.group.waiting if each.wait is not None and each.wait.seq == scene.wait.seq]
    usual_size = Counter(each.wait.sizes for each in scene.waiting if each.wait).most_common(1)[0][0]
    for standing in here:
        own = standing.wait
        said = None if own is None else statement(own)
        if own is None or said is None:
            continue
        told: dict[str, Value] = {"op": own.op, "kind": "mismatch"}
        if own.op == scene.wait.op:
            if not own.sizes or own.op not in _EQUAL_SIZES or own.sizes == usual_size:
                continue
            told["sizes"] = "x".join(map(str, own.sizes))
        others = _witnesses([each for each in scene.waiting if each is not standing])
        yield scene.suspect("collective.mismatch", standing.rank, [said, *others], **told)


def _behind(group: Group, seq: int) -> list[Standing]:
    """Return the ranks that never enqueued `seq`, or still wait in an earlier operation of the same group."""
    found = [
        each
        for each in group.standings.values()
        if (each.enqueued is not None and each.enqueued < seq)
        or (group.name != UNKNOWN_GROUP and each.wait and each.wait.seq is not None and each.wait.seq < seq)
    ]
    return sorted(found, key=by_rank)


def _stragglers(scene: Scene) -> Iterator[Signal]:
    """Yield the ranks behind. Several that answered and stand at one place took another way through the program."""
    behind = [] if scene.wait.seq is None else _behind(scene.group, scene.wait.seq)
    places = {each.enqueued for each in behind}
    is_parted = len(behind) > 1 and len(places) == 1 and all(each.answered for each in behind)
    for standing in behind:
        if not standing.said:
            continue
        counters = (("enqueued", standing.enqueued), ("completed", standing.completed))
        yield scene.suspect(
            "collective.straggler",
            standing.rank,
            [standing.said[0], *_witnesses(scene.waiting)],
            kind="mismatch" if is_parted else "straggler",
            answered=standing.answered,
            ranks_behind=len(behind),
            **{key: value for key, value in counters if value is not None},
        )


def _late(scene: Scene) -> Iterator[Signal]:
    """Yield the rank that came to the operation long after the others: equal counters and a slow start mean compute."""
    starts = [
        (stamp.at, each)
        for each in scene.waiting
        if each.wait and (stamp := began(each.wait)) is not None and stamp.at is not None
    ]
    if len(starts) < _LEAST_TO_COMPARE:
        return
    starts.sort(key=lambda item: (item[0], by_rank(item[1])))
    late_s = (starts[-1][0] - starts[-2][0]).total_seconds()
    standing = starts[-1][1]
    said = None if standing.wait is None else statement(standing.wait)
    if late_s >= _LATE_S and said is not None:
        others = _witnesses([each for _, each in starts[:-1]])
        yield scene.suspect(
            "collective.straggler",
            standing.rank,
            [said, *others],
            kind="straggler",
            late_s=round(late_s, 3),
        )


def _silent(scene: Scene) -> Iterator[Signal]:
    """Yield the members that said nothing while most of the others told where they stand."""
    known = scene.group.members & set(scene.group.standings)
    missing = scene.group.members - known
    witnesses = _witnesses(scene.waiting)
    enough = max(_LEAST_WITNESSES, _LEAST_SHARE * len(scene.group.members))
    if not missing or len(witnesses) < _LEAST_WITNESSES or len(known) < enough:
        return
    for rank in sorted(missing, key=lambda rank: by_rank(Standing(rank=rank))):
        yield scene.suspect(
            "collective.silent_rank", rank, witnesses, kind="silent", ranks_silent=len(missing)
        )
