"""API objects as they were at one time, wherever they came from: a recording or the live read door."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import cast

from firstfault.tools.readings import Json, KubeObject

FACTS_UNREAD = "facts.unread"
"""The audit event of a decision for which something of the cluster could not be read."""


@dataclass(frozen=True, kw_only=True)
class ApiObject:
    """One object. whole: every field of it is here, so an absent field is really absent."""

    kind: str
    name: str
    namespace: str | None
    body: Mapping[str, Json]
    whole: bool
    columns: Mapping[str, str] = field(default_factory=dict[str, str])

    def part(self, *path: str) -> Mapping[str, Json] | None:
        """Return the mapping at `path`; an empty one when the object is whole and has none; None when unknown."""
        value = self.value(*path)
        if isinstance(value, dict):
            return value
        return {} if self.whole and value is None else None

    def value(self, *path: str) -> Json:
        """Return what is at `path`, or None."""
        value: Json = dict(self.body)
        for key in path:
            if not isinstance(value, dict):
                return None
            value = value.get(key)
        return value

    def rows(self, *path: str) -> tuple[Mapping[str, Json], ...]:
        """Return the mappings in the list at `path`."""
        value = self.value(*path)
        if not isinstance(value, list):
            return ()
        return tuple(cast("Mapping[str, Json]", item) for item in value if isinstance(item, dict))

    @property
    def labels(self) -> Mapping[str, Json] | None:
        """Return the labels, or None when they are not known."""
        return self.part("metadata", "labels")

    @property
    def annotations(self) -> Mapping[str, Json] | None:
        """Return the annotations, or None when they are not known."""
        return self.part("metadata", "annotations")

    @classmethod
    def of(cls, item: KubeObject) -> "ApiObject":
        """Return the object as a reader found it."""
        return cls(
            kind=item.kind,
            name=item.name,
            namespace=item.namespace,
            body=item.api,
            whole=not item.partial,
            columns=item.columns,
        )

    @classmethod
    def raw(cls, kind: str, body: Mapping[str, Json]) -> "ApiObject":
        """Return the object as the API server sent it."""
        metadata = body.get("metadata")
        fields = metadata if isinstance(metadata, dict) else {}
        namespace = fields.get("namespace")
        return cls(
            kind=kind,
            name=str(fields.get("name") or ""),
            namespace=namespace if isinstance(namespace, str) else None,
            body=body,
            whole=True,
        )


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """Objects at one time.

    complete: kinds of which every object in reach is here, so that counting them is allowed. absent: single objects that were
    asked for and are not there, as `kind/namespace/name`. gaps: what could not be read, in one line each.
    """

    objects: tuple[ApiObject, ...] = ()
    complete: frozenset[str] = frozenset()
    observed_at: datetime | None = None
    absent: frozenset[str] = frozenset()
    gaps: tuple[str, ...] = ()

    @cached_property
    def by_kind(self) -> Mapping[str, tuple[ApiObject, ...]]:
        """Return the objects of each kind, by namespace and name; of two with one name the fuller one."""
        best: dict[tuple[str, str, str], ApiObject] = {}
        for item in self.objects:
            key = (item.kind.lower(), item.namespace or "", item.name)
            if key not in best or _fullness(item) > _fullness(best[key]):
                best[key] = item
        found: dict[str, list[ApiObject]] = {}
        for key in sorted(best):
            found.setdefault(key[0], []).append(best[key])
        return {kind: tuple(items) for kind, items in found.items()}

    def all(self, kind: str) -> tuple[ApiObject, ...] | None:
        """Return every object of `kind`, or None when some may be missing."""
        return self.by_kind.get(kind.lower(), ()) if kind.lower() in self.complete else None

    def get(self, kind: str, name: str, namespace: str | None = None) -> ApiObject | None:
        """Return one object, or None when it was not seen."""
        named = (item for item in self.by_kind.get(kind.lower(), ()) if item.name == name)
        return next(
            (item for item in named if namespace is None or item.namespace == namespace),
            None,
        )


def instant(value: object) -> datetime | None:
    """Return the time that a field holds (RFC 3339), or None for anything else and for a time without a zone."""
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return at if at is not None and at.tzinfo is not None else None


def absence_of(kind: str, name: str, namespace: str | None) -> str:
    """Return how an object that is not there is noted in `Snapshot.absent`."""
    return f"{kind.lower()}/{namespace or ''}/{name}"


def _fullness(item: ApiObject) -> tuple[bool, int]:
    return item.whole, len(item.body) + len(item.columns)


def snapshot_of(items: Iterable[KubeObject], observed_at: datetime | None) -> Snapshot:
    """Return the objects of a recording.

    A kind is complete when every document that holds any of it says that it is whole, and when one list that is whole names
    all that any document names: the description of one node beside the list of all takes nothing from the list.
    """
    objects = tuple(items)
    named: dict[str, set[tuple[str, str]]] = defaultdict(set)
    whole: dict[str, dict[str, set[tuple[str, str]]]] = defaultdict(lambda: defaultdict(set))
    cut: set[str] = set()
    for item in objects:
        kind, name = item.kind.lower(), (item.namespace or "", item.name)
        named[kind].add(name)
        if item.document.complete:
            whole[kind][item.document.path].add(name)
        else:
            cut.add(kind)
    listed = {
        kind for kind, lists in whole.items() if any(len(n) > 1 and n == named[kind] for n in lists.values())
    }
    return Snapshot(
        objects=tuple(ApiObject.of(item) for item in objects),
        complete=frozenset((named.keys() - cut) | listed),
        observed_at=observed_at,
    )
