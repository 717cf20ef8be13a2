"""Suspects from counters: another operation at one place, behind the others, late, or silent."""

from collections import Counter
from collections.abc import Iterator

from firstfault.agent.correlate.collectives.making import Said, began, made, statement
from firstfault.agent.correlate.collectives.paths import Paths
from firstfault.agent.correlate.collectives.standings import UNKNOWN_GROUP, Group, Standing, Wait, by_rank
from firstfault.tools.signals import Signal, Value

_EQUAL_SIZES = frozenset({"ALLREDUCE", "BROADCAST", "REDUCE", "ALL_REDUCE"})
"""Operations in which every rank hands in as much as every other."""
_LEAST_SHARE = 0.5
"""Share of the members that must have spoken before the silence of another says something; a choice."""
_LATE_S = 10.0
"""How much later than the others a rank must have entered an operation to be called late; a choice."""
_LEAST_WITNESSES = 2
_SHOWN = 4


def suspects(group: Group, paths: Paths) -> Iterator[Signal]:
    """Yield the suspects of one group, in order of rank, and when its wait began."""
    wait = group.usual_wait
    if wait is None:
        return
    waiting = [each for each in group.waiting if _same_place(each, wait)]
    yield from _start(group, waiting, wait)
    if group.name != UNKNOWN_GROUP:
        yield from _mismatches(group, wait, paths)
    behind = [] if wait.seq is None else _behind(group, wait.seq)
    yield from _stragglers(group, behind, waiting, wait, paths)
    yield from _late(waiting, wait, paths)
    yield from _silent(group, waiting, wait, paths)


def _same_place(standing: Standing, wait: Wait) -> bool:
    return standing.wait is not None and (standing.wait.seq, standing.wait.op) == (wait.seq, wait.op)


def _about(group: Group, wait: Wait) -> dict[str, Value]:
    told: dict[str, Value] = {"group": group.name or "unknown", "waiting_op": wait.op}
    if wait.seq is not None:
        told["waiting_seq"] = wait.seq
    if group.members:
        told["world"] = len(group.members)
    return told


def _witnesses(standings: list[Standing]) -> list[Said]:
    found = [statement(each.wait) for each in standings[:_SHOWN] if each.wait is not None]
    return [each for each in found if each is not None]


def _start(group: Group, waiting: list[Standing], wait: Wait) -> Iterator[Signal]:
    """Yield when the wait began, from the rank that entered it first."""
    starts = [
        (stamp, each.wait.signal) for each in waiting if each.wait and (stamp := began(each.wait)) is not None
    ]
    timed = [(stamp, signal) for stamp, signal in starts if signal is not None]
    if not timed:
        return
    stamp, signal = min(
        timed,
        key=lambda item: (item[0].at is None, item[0].at or 0, item[0].uptime_s or 0.0, item[0].position),
    )
    yield Signal(
        name="collective.hang_start",
        entity=signal.entity,
        stamp=stamp,
        evidence=signal.evidence,
        family=signal.family,
        attributes={**_about(group, wait), "ranks_waiting": len(waiting), "ran_s": wait.ran_s or 0.0},
    )


def _mismatches(group: Group, wait: Wait, paths: Paths) -> Iterator[Signal]:
    """Yield the ranks that wait at the same sequence number in another operation, or with another size."""
    here = [each for each in group.waiting if each.wait is not None and each.wait.seq == wait.seq]
    usual_size = Counter(
        each.wait.sizes for each in here if each.wait and each.wait.op == wait.op
    ).most_common(1)
    for standing in here:
        own = standing.wait
        said = None if own is None else statement(own)
        if own is None or said is None:
            continue
        other_size = bool(own.sizes) and own.op in _EQUAL_SIZES and own.sizes != usual_size[0][0]
        if own.op != wait.op or other_size:
            others = _witnesses([each for each in here if _same_place(each, wait) and each is not standing])
            attributes = {
                "rank": standing.rank,
                "op": own.op,
                "kind": "mismatch",
                **_about(group, wait),
                **paths.attributes(standing.rank),
            }
            if other_size and own.op == wait.op:
                attributes["sizes"] = "x".join(map(str, own.sizes))
            yield made("collective.mismatch", paths.entity(standing.rank), [said, *others], attributes)


def _behind(group: Group, seq: int) -> list[Standing]:
    """Return the ranks that never enqueued `seq`, or still wait in an earlier operation of the same group."""
    found = [
        each
        for each in group.standings.values()
        if (each.enqueued is not None and each.enqueued < seq)
        or (
            group.name != UNKNOWN_GROUP
            and each.wait is not None
            and each.wait.seq is not None
            and each.wait.seq < seq
        )
    ]
    return sorted(found, key=by_rank)


def _stragglers(
    group: Group, behind: list[Standing], waiting: list[Standing], wait: Wait, paths: Paths
) -> Iterator[Signal]:
    """Yield the ranks behind. Several that answered and stand at one place took another way through the program."""
    if not waiting:
        return
    places = {each.enqueued for each in behind}
    is_parted = len(behind) > 1 and len(places) == 1 and all(each.answered for each in behind)
    for standing in behind:
        if not standing.said:
            continue
        counters = (("enqueued", standing.enqueued), ("completed", standing.completed))
        attributes: dict[str, Value] = {
            "rank": standing.rank,
            "kind": "mismatch" if is_parted else "straggler",
            "answered": standing.answered,
            "ranks_behind": len(behind),
            "ranks_waiting": len(waiting),
            **{key: value for key, value in counters if value is not None},
            **_about(group, wait),
            **paths.attributes(standing.rank),
        }
        yield made(
            "collective.straggler",
            paths.entity(standing.rank),
            [standing.said[0], *_witnesses(waiting)],
            attributes,
        )


def _late(waiting: list[Standing], wait: Wait, paths: Paths) -> Iterator[Signal]:
    """Yield the rank that came to the operation long after the others: equal counters and a slow start mean compute."""
    starts = [
        (stamp.at, each)
        for each in waiting
        if each.wait and (stamp := began(each.wait)) and stamp.at is not None
    ]
    if len(starts) < 3:  # noqa: PLR2004 - two ranks cannot tell which of them is late
        return
    starts.sort(key=lambda item: (item[0], by_rank(item[1])))
    late_s = (starts[-1][0] - starts[-2][0]).total_seconds()
    standing = starts[-1][1]
    said = None if standing.wait is None else statement(standing.wait)
    if late_s >= _LATE_S and said is not None:
        attributes: dict[str, Value] = {
            "rank": standing.rank,
            "kind": "straggler",
            "late_s": round(late_s, 3),
            "waiting_op": wait.op,
        }
        others = _witnesses([each for _, each in starts[:-1]])
        yield made(
            "collective.straggler",
            paths.entity(standing.rank),
            [said, *others],
            {**attributes, **paths.attributes(standing.rank)},
        )


def _silent(group: Group, waiting: list[Standing], wait: Wait, paths: Paths) -> Iterator[Signal]:
    """Yield the members that said nothing while most of the others told where they stand."""
    known = set(group.standings)
    missing = sorted(group.members - known, key=lambda rank: (int(rank) if rank.isdigit() else 0, rank))
    witnesses = _witnesses(waiting)
    enough = max(_LEAST_WITNESSES, _LEAST_SHARE * len(group.members))
    if not missing or len(witnesses) < _LEAST_WITNESSES or len(known & group.members) < enough:
        return
    for rank in missing:
        attributes: dict[str, Value] = {
            "rank": rank,
            "kind": "silent",
            "ranks_silent": len(missing),
            "ranks_waiting": len(waiting),
            **_about(group, wait),
            **paths.attributes(rank),
        }
        yield made("collective.silent_rank", paths.entity(rank), witnesses, attributes)
