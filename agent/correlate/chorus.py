"""What thousands say with one voice, told by a few of them: ten thousand ranks that time out are one thing that happened.

Comes after everything that compares ranks with each other, and changes nothing where few speak. Pure.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from firstfault.agent.classes.matching import node_of
from firstfault.tools.signals import Signal

MOST_VOICES = 48
"""So many things may say one thing and are all listed: a rack of machines, or six machines of eight GPUs. A choice."""
KEPT = 12
"""How many of more are listed, the earliest: as many as anybody looks at. A choice."""
HEARD_ON = "heard_on_machines"
"""Attribute of the first of a few that speak for most: on how many machines it was said. The few are no sample of them."""
_LATEST = datetime.max.replace(tzinfo=UTC)


def gathered(signals: Sequence[Signal]) -> tuple[Signal, ...]:
    """Return the signals, in their order; of those that too many things say, the first few, which count for all.

    What at most half of the machines say is kept once for each of them: it tells which machines are different, and what
    these share. What most say tells neither.
    """
    voices: dict[tuple[object, ...], list[Signal]] = defaultdict(list)
    for signal in signals:
        voices[signal.name, signal.family, signal.entity.kind].append(signal)
    machines = len({node_of(signal) for signal in signals} - {""})
    told: dict[int, Signal] = {}
    for group in voices.values():
        told |= _told(group, machines)
    return tuple(told[id(signal)] for signal in signals if id(signal) in told)


def _told(group: Sequence[Signal], machines: int) -> dict[int, Signal]:
    """Return the signals of one name that are kept, by the identity of what they were."""
    if len({signal.entity.key for signal in group}) <= MOST_VOICES:
        return {id(signal): signal for signal in group}
    ordered = sorted(group, key=_place)
    speakers = {node_of(signal) for signal in ordered} - {""}
    if speakers and len(speakers) * 2 <= machines:
        by_machine: dict[str, list[Signal]] = defaultdict(list)
        for signal in ordered:
            by_machine[node_of(signal)].append(signal)
        return {id(held[0]): _for_all(held[0], held[1:]) for held in by_machine.values()}
    first, *others = ordered[:KEPT]
    leader = _for_all(first, ordered[KEPT:])
    leader = replace(leader, attributes={**leader.attributes, HEARD_ON: len(speakers)})
    return {id(first): leader, **{id(signal): signal for signal in others}}


def _for_all(signal: Signal, left: Iterable[Signal]) -> Signal:
    """Return the signal with what it stands for besides itself."""
    rest = tuple(left)
    if not rest:
        return signal
    others = {each.entity.key for each in rest} - {signal.entity.key}
    return replace(
        signal,
        count=signal.count + sum(each.count for each in rest),
        others=signal.others + len(others) + sum(each.others for each in rest),
    )


def _place(signal: Signal) -> tuple[datetime, str, int, str, str]:
    evidence = signal.evidence
    return signal.stamp.at or _LATEST, evidence.path, evidence.line_start, signal.name, signal.entity.key
