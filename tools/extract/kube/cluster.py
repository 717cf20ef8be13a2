"""All Kubernetes objects and events of an incident in one place, so that they can be read against each other. Pure.

One object may have been read several times (a described pod, its row in a table, its JSON): every reading is kept,
`views` returns them with the fullest first, and detectors look at the fullest that has the field.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from firstfault.tools.context import NO_CONTEXT, ReadContext
from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.readers.kube.kinds import entity_of as named_entity
from firstfault.tools.readings import KubeEvent, KubeObject, Reading


def entity_of(item: KubeObject) -> EntityRef:
    """Return the entity of an object; a pod carries the machine it runs on."""
    is_pod = item.kind.casefold() == "pod"
    node = (item.text("spec.nodeName") or item.columns.get("NODE", "")) if is_pod else ""
    return named_entity(item.kind, item.name, item.namespace, node if node and node != "<none>" else None)


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """What was read of a cluster, indexed by kind and name."""

    objects: tuple[KubeObject, ...] = ()
    events: tuple[KubeEvent, ...] = ()
    context: ReadContext = NO_CONTEXT

    @cached_property
    def _by_kind(self) -> dict[str, list[KubeObject]]:
        index: dict[str, list[KubeObject]] = defaultdict(list)
        for item in self.objects:
            index[item.kind.casefold()].append(item)
        return dict(index)

    @cached_property
    def _by_name(self) -> dict[tuple[str, str], list[KubeObject]]:
        index: dict[tuple[str, str], list[KubeObject]] = defaultdict(list)
        for item in self.objects:
            index[(item.kind.casefold(), item.name)].append(item)
        return dict(index)

    def every(self, *kinds: str) -> Iterator[KubeObject]:
        """Yield every reading of the objects of these kinds, in order."""
        for kind in kinds:
            yield from self._by_kind.get(kind.casefold(), ())

    def fullest(self, *kinds: str) -> list[KubeObject]:
        """Return one reading of each object of these kinds, the one with the most fields."""
        if kinds not in self._fullest:
            self._fullest[kinds] = self._chosen(kinds)
        return [*self._fullest[kinds]]

    @cached_property
    def _fullest(self) -> dict[tuple[str, ...], list[KubeObject]]:
        return {}

    def _chosen(self, kinds: tuple[str, ...]) -> list[KubeObject]:
        best: dict[tuple[str, str, str], KubeObject] = {}
        for item in self.every(*kinds):
            key = (item.kind.casefold(), item.namespace or "", item.name)
            if key not in best or _fullness(item) > _fullness(best[key]):
                best[key] = item
        return _without_bare_twins(best.values())

    def pods_on(self, node: str) -> list[KubeObject]:
        """Return one reading of each pod that runs, or ran, on a machine."""
        return self._pods_on.get(node, [])

    @cached_property
    def _pods_on(self) -> dict[str, list[KubeObject]]:
        index: dict[str, list[KubeObject]] = defaultdict(list)
        for pod in self.fullest("pod"):
            index[pod.text("spec.nodeName")].append(pod)
        return dict(index)

    def views(self, kind: str, name: str, namespace: str | None = None) -> list[KubeObject]:
        """Return every reading of one object, the fullest first; an unknown namespace fits any."""
        found = [
            item
            for item in self._by_name.get((kind.casefold(), name), ())
            if namespace is None or item.namespace is None or item.namespace == namespace
        ]
        return sorted(found, key=lambda item: -_fullness(item))

    def find(self, kind: str, name: str, namespace: str | None = None) -> KubeObject | None:
        """Return the fullest reading of one object, or None when it was not read."""
        return next(iter(self.views(kind, name, namespace)), None)

    def events_of(self, item: KubeObject) -> list[KubeEvent]:
        """Return the events about an object, in order."""
        wanted = entity_of(item)
        return [
            event
            for event in self._events_about.get((wanted.kind, wanted.name), ())
            if event.involved is not None and is_same(event.involved, wanted)
        ]

    @cached_property
    def _events_about(self) -> dict[tuple[EntityKind, str], list[KubeEvent]]:
        index: dict[tuple[EntityKind, str], list[KubeEvent]] = defaultdict(list)
        for event in self.events:
            if event.involved is not None:
                index[event.involved.kind, event.involved.name].append(event)
        return dict(index)

    def lists_all(self, kind: str) -> bool:
        """Return whether a document that said to be complete lists objects of this kind: absence then means absence."""
        return any(item.document.complete for item in self.every(kind)) and len(self.fullest(kind)) > 1


def is_same(first: EntityRef, second: EntityRef) -> bool:
    """Return whether two references may be one thing: kind and name equal, namespaces not known to differ."""
    if first.kind is not second.kind or first.name != second.name:
        return False
    return first.namespace is None or second.namespace is None or first.namespace == second.namespace


_MOST_PARTS = 100


def _fullness(item: KubeObject) -> int:
    """Return how much was read of an object, without working out its lines; a row of a table is the least."""
    parts = sum(len(item.mapping(part)) for part in ("metadata", "spec", "status"))
    return parts + (0 if item.columns else _MOST_PARTS) + (0 if item.partial else 1)


def _without_bare_twins(items: Iterable[KubeObject]) -> list[KubeObject]:
    """Return the items without those whose namespace is unknown while a namesake has one."""
    everything: Sequence[KubeObject] = list(items)
    known = {(item.kind.casefold(), item.name) for item in everything if item.namespace}
    return [item for item in everything if item.namespace or (item.kind.casefold(), item.name) not in known]


def gather(readings: Iterable[Reading], context: ReadContext = NO_CONTEXT) -> Cluster:
    """Return the cluster that the readings show together. context: how times in fields are read."""
    objects: list[KubeObject] = []
    events: list[KubeEvent] = []
    for reading in readings:
        objects.extend(reading.objects)
        events.extend(reading.events)
    return Cluster(objects=tuple(objects), events=tuple(events), context=context)
