"""Which entity gets a lane of its own, and which share one when there are too many."""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass

from firstfault.agent.render.citations import ROLES
from firstfault.agent.render.phrases import entity, plural
from firstfault.agent.render.safety import cut
from firstfault.agent.report.contract import EntityPart, TimelinePart

MAX_LANES = 16
MANY_ALIKE = 5
"""This many entities of one kind with the same signals in the same roles share a lane."""
LABEL_LETTERS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Lanes:
    """The lanes from top to bottom, and which lane each entity is drawn in."""

    labels: tuple[str, ...]
    lane_of: Mapping[EntityPart, int]


def lanes(timeline: Sequence[TimelinePart], first: TimelinePart | None) -> Lanes:
    """Return the lanes: the first fault's on top, then causes, echoes, symptoms, context, each as they appear.

    When there are more than `MAX_LANES`, the kinds with the most entities share one lane each.
    """
    ordered = _ordered(timeline, first)
    groups = _groups(ordered, timeline, first)
    names: dict[str, int] = {}
    lane_of: dict[EntityPart, int] = {}
    for part in ordered:
        if part in groups:
            name = groups[part]
        else:
            name = cut(entity(part), LABEL_LETTERS)
            name = name if name not in names else f"{cut(name, LABEL_LETTERS - 5)} ({len(names)})"
        lane_of[part] = names.setdefault(name, len(names))
    if len(names) > MAX_LANES:
        return _overflowing(names, lane_of)
    return Lanes(labels=tuple(names), lane_of=lane_of)


def _ordered(timeline: Sequence[TimelinePart], first: TimelinePart | None) -> list[EntityPart]:
    best: dict[EntityPart, tuple[bool, int, int]] = {}
    for number, entry in enumerate(timeline):
        rank = (entry is not first, ROLES.get(entry.role, len(ROLES)), number)
        best[entry.entity] = min(rank, best.get(entry.entity, rank))
    return sorted(best, key=lambda part: best[part])


def _groups(
    ordered: Sequence[EntityPart], timeline: Sequence[TimelinePart], first: TimelinePart | None
) -> Mapping[EntityPart, str]:
    """Return the label of the shared lane of each entity that has none of its own.

    Many of one kind that say the same share a lane; then, as long as there are too many lanes, the largest kinds do.
    """
    told = frozenset(entry.entity for entry in timeline if entry.role in ROLES)
    free = [part for part in ordered if first is None or part != first.entity]
    said: dict[EntityPart, set[tuple[str, str]]] = {}
    for entry in timeline:
        said.setdefault(entry.entity, set()).add((entry.role, entry.signal))
    alike = _gather(free, lambda part: (part.kind, part in told, frozenset(said[part])))
    labels = {part: _label(group, told) for group in alike if len(group) >= MANY_ALIKE for part in group}
    for group in sorted(_gather(free, lambda part: (part.kind, part in told)), key=len, reverse=True):
        if len(set(labels.values())) + sum(part not in labels for part in ordered) <= MAX_LANES:
            break
        if len(group) > 1:
            labels |= dict.fromkeys(group, _label(group, told))
    return labels


def _gather(parts: Sequence[EntityPart], key: Callable[[EntityPart], Hashable]) -> list[list[EntityPart]]:
    groups: dict[Hashable, list[EntityPart]] = {}
    for part in parts:
        groups.setdefault(key(part), []).append(part)
    return list(groups.values())


def _label(group: Sequence[EntityPart], told: Collection[EntityPart]) -> str:
    label = f"{len(group)} {plural(group[0].kind, len(group))}"
    return label if group[0] in told else f"{label}, context"


def _overflowing(names: Mapping[str, int], lane_of: Mapping[EntityPart, int]) -> Lanes:
    last = MAX_LANES - 1
    label = f"{len(names) - last} more"
    return Lanes(
        labels=(*list(names)[:last], label), lane_of={part: min(lane, last) for part, lane in lane_of.items()}
    )
