"""Which thing gets a lane of its own, and which share one when there are too many."""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass

from firstfault.agent.render.citations import ROLES
from firstfault.agent.render.phrases import entity, identity, plural
from firstfault.agent.render.safety import cut
from firstfault.agent.report.contract import EntityPart, TimelinePart

MAX_LANES = 16
MANY_ALIKE = 5
"""This many things of one kind with the same signals in the same roles share a lane."""
LABEL_LETTERS = 30

Thing = tuple[str, str]
"""What makes two printed names one thing (`phrases.identity`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lanes:
    """The lanes from top to bottom, and which lane each thing is drawn in."""

    labels: tuple[str, ...]
    places: Mapping[Thing, int]

    def lane_of(self, part: EntityPart) -> int:
        """Return the lane of a thing, 0 at the top."""
        return self.places[identity(part)]


def lanes(timeline: Sequence[TimelinePart], first: TimelinePart | None) -> Lanes:
    """Return the lanes: the first fault's on top, then causes, echoes, symptoms, context, each as they appear."""
    ordered = _ordered(timeline, first)
    shared = _shared(list(ordered), timeline, first)
    names: dict[str, int] = {}
    places: dict[Thing, int] = {}
    for thing, part in ordered.items():
        name = shared.get(thing)
        if name is None:
            name = cut(entity(part), LABEL_LETTERS)
            name = name if name not in names else f"{cut(name, LABEL_LETTERS - 5)} ({len(names)})"
        places[thing] = names.setdefault(name, len(names))
    if len(names) > MAX_LANES:
        return _overflowing(list(names), places)
    return Lanes(labels=tuple(names), places=places)


def _ordered(timeline: Sequence[TimelinePart], first: TimelinePart | None) -> Mapping[Thing, EntityPart]:
    best: dict[Thing, tuple[bool, int, int]] = {}
    for number, entry in enumerate(timeline):
        rank = (entry is not first, ROLES.get(entry.role, len(ROLES)), number)
        thing = identity(entry.entity)
        best[thing] = min(rank, best.get(thing, rank))
    return {thing: timeline[best[thing][2]].entity for thing in sorted(best, key=lambda thing: best[thing])}


def _shared(
    ordered: Sequence[Thing], timeline: Sequence[TimelinePart], first: TimelinePart | None
) -> Mapping[Thing, str]:
    """Return the label of the shared lane of each thing that has none of its own.

    Many of one kind that say the same share a lane; then, as long as there are too many lanes, the largest kinds do.
    """
    told = frozenset(identity(entry.entity) for entry in timeline if entry.role in ROLES)
    own = None if first is None else identity(first.entity)
    free = [thing for thing in ordered if thing != own]
    said: dict[Thing, set[tuple[str, str]]] = {}
    for entry in timeline:
        said.setdefault(identity(entry.entity), set()).add((entry.role, entry.signal))
    alike = _gather(free, lambda thing: (thing[0], thing in told, frozenset(said[thing])))
    labels = {thing: _label(group, told) for group in alike if len(group) >= MANY_ALIKE for thing in group}
    for group in sorted(_gather(free, lambda thing: (thing[0], thing in told)), key=len, reverse=True):
        if len(set(labels.values())) + sum(thing not in labels for thing in ordered) <= MAX_LANES:
            break
        if len(group) > 1:
            labels |= dict.fromkeys(group, _label(group, told))
    return labels


def _gather(things: Sequence[Thing], key: Callable[[Thing], Hashable]) -> list[list[Thing]]:
    groups: dict[Hashable, list[Thing]] = {}
    for thing in things:
        groups.setdefault(key(thing), []).append(thing)
    return list(groups.values())


def _label(group: Sequence[Thing], told: Collection[Thing]) -> str:
    label = f"{len(group)} {plural(group[0][0], len(group))}"
    return label if group[0] in told else f"{label}, context"


def _overflowing(names: Sequence[str], places: Mapping[Thing, int]) -> Lanes:
    last = MAX_LANES - 1
    label = f"{len(names) - last} more"
    return Lanes(
        labels=(*names[:last], label), places={thing: min(lane, last) for thing, lane in places.items()}
    )
