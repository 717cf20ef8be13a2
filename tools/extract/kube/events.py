"""Events as signals, and what a line is about: the object whose event or status it stands in. Pure."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from firstfault.tools.catalogs.patterns import all_patterns
from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.extract.kube.cluster import Cluster, entity_of
from firstfault.tools.extract.kube.health import ending_names
from firstfault.tools.extract.kube.marks import mark_event
from firstfault.tools.kinds import Family
from firstfault.tools.readers.located import LazyLines
from firstfault.tools.readings import KubeEvent, KubeObject
from firstfault.tools.signals import Signal, Value

_TELLING = frozenset(
    {
        "Killing", "Preempted", "NodeNotReady", "Rebooted", "Starting", "ScalingReplicaSet", "DeploymentRollback", "RemovingNode",
        "DeletingNode", "TaintManagerEviction", "NodeHasInsufficientMemory", "NodeHasSufficientMemory", "NodeHasDiskPressure",
        "NodeHasNoDiskPressure", "NodeNotSchedulable", "NodeSchedulable", "ScaleDown", "ScaledUpGroup", "NotTriggerScaleUp",
        "LeaderElection", "SuccessfulDelete", "Drain", "Cordon", "Uncordon", "Evict", "DisruptionTerminating", "Descheduled",
    }
)  # fmt: skip
"""Reasons of Normal events that tell what happened to a node or pod."""
_WORD = re.compile(r"(?<!^)(?=[A-Z][a-z])|(?<=[a-z])(?=[A-Z])")


def snake(reason: str) -> str:
    """Return a reason in the form of signal names: `FailedScheduling` becomes `failed_scheduling`."""
    return _WORD.sub("_", reason).lower()


def event_signals(cluster: Cluster) -> Iterator[Signal]:
    """Yield one signal for each Warning and for each Normal event that tells what happened: `kube.event.<reason>`."""
    ending = ending_names(cluster)
    for event in cluster.events:
        if event.type == "Warning" or event.reason in _TELLING:
            is_ending = event.involved is not None and event.involved.key in ending
            yield mark_event(
                event,
                f"kube.event.{snake(event.reason)}",
                message=event.message,
                component=event.component,
                ending=is_ending,
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A range of lines and what they are about. event: None when it is the range of an object."""

    start: int
    end: int
    entity: EntityRef
    event: KubeEvent | None = None
    ending: bool = False


class Places:
    """Knows what a line of a document is about: the event it belongs to, else the object it was read from."""

    def __init__(self, cluster: Cluster) -> None:
        ending = ending_names(cluster)
        events: dict[str, list[_Place]] = defaultdict(list)
        objects: dict[str, list[_Place]] = defaultdict(list)
        for event in cluster.events:
            if event.involved is not None:
                is_ending = event.involved.key in ending
                events[event.document.path].append(
                    _Place(
                        start=event.line,
                        end=event.line_end,
                        entity=event.involved,
                        event=event,
                        ending=is_ending,
                    )
                )
        for item in cluster.objects:
            entity = entity_of(item)
            start = item.line_of("")
            end = start if item.columns and item.partial else _last_line(item, start)
            objects[item.document.path].append(
                _Place(start=start, end=end, entity=entity, ending=entity.key in ending)
            )
        self._events = {
            path: sorted(places, key=lambda place: place.start) for path, places in events.items()
        }
        self._objects = {
            path: sorted(places, key=lambda place: place.start) for path, places in objects.items()
        }

    def adopt(self, signals: Iterable[Signal]) -> Iterator[Signal]:
        """Yield the signals, those on lines of events and objects with the entity, time and count of these."""
        for signal in signals:
            path, line = signal.evidence.path, signal.evidence.line_start
            place = _at(self._events.get(path, ()), line) or _at(self._objects.get(path, ()), line)
            yield signal if place is None else _adopted(signal, place)


def _last_line(item: KubeObject, start: int) -> int:
    if isinstance(item.lines, LazyLines) and item.lines.last:
        return item.lines.last
    return max(item.lines.values(), default=start)


def _at(places: Sequence[_Place], line: int) -> _Place | None:
    index = bisect_right(places, line, key=lambda place: place.start) - 1
    return places[index] if index >= 0 and line <= places[index].end else None


@cache
def _patterns_with_entity() -> Mapping[str, frozenset[str]]:
    """Return pattern id → the groups that can name its entity."""
    return {pattern.id: frozenset(group for _, group in pattern.entity) for pattern in all_patterns()}


def _names_entity(pattern: str, signal: Signal) -> bool:
    """Return whether the line itself names what it is about; else its entity is only that of the document."""
    groups = _patterns_with_entity().get(pattern)
    if groups is None:
        return signal.entity.kind is not EntityKind.UNKNOWN
    plain = {group.rstrip("0123456789") for group in groups}
    return any(name in signal.attributes for name in plain)


def _adopted(signal: Signal, place: _Place) -> Signal:
    added: dict[str, Value] = {"ending": place.ending}
    if place.entity.name:
        added["pod" if place.entity.kind is EntityKind.POD else "object"] = place.entity.name
    if place.entity.node:
        added["node"] = place.entity.node
    is_named = _names_entity(str(signal.attributes.get("pattern", "")), signal)
    changed = replace(
        signal,
        entity=signal.entity if is_named else place.entity,
        attributes={**added, **signal.attributes},
    )
    if place.event is None:
        return changed
    event = place.event
    return replace(
        changed,
        stamp=event.first or event.last or signal.stamp,
        last=event.last,
        count=max(signal.count, event.count),
        family=signal.family if signal.family is Family.NOTE else Family.API_EVENTS,
    )
