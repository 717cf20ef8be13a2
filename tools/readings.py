"""What readers yield: structure found in documents, each piece with the line it stands on.

Readers are pure: `read(document) -> Reading`. They never raise on bad input; what they cannot parse stays lines.
Lines themselves are not copied here: the extractor goes over every document's text by itself.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import cast

from firstfault.tools.entities import EntityRef
from firstfault.tools.evidence import Document, Evidence
from firstfault.tools.times import Stamp

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


@dataclass(frozen=True, kw_only=True)
class KubeObject:
    """One Kubernetes object in the shape of the API, whatever text it was read from.

    api: as `kubectl get -o json` would print it, as far as the text says; absent keys are unknown, not empty.
    lines: dotted field path (`spec.containers.0.image`) → 1-based line; the object itself is at path ``""``.
    columns: extra columns of a table row (`READY`, `STATUS`, `AGE` …), raw.
    partial: only some fields could be read (a table row, a cut text): absence of a field means nothing.
    """

    kind: str
    name: str
    document: Document
    namespace: str | None = None
    api: Mapping[str, Json] = field(default_factory=dict[str, Json])
    lines: Mapping[str, int] = field(default_factory=dict[str, int])
    columns: Mapping[str, str] = field(default_factory=dict[str, str])
    partial: bool = True

    def get(self, path: str, default: Json = None) -> Json:
        """Return the value at a dotted path (list indices are numbers), or `default`."""
        value: Json = dict(self.api)
        for part in split_path(path):
            if isinstance(value, dict) and part in value:
                value = value[part]
            elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
                value = value[int(part)]
            else:
                return default
        return value

    def text(self, path: str, default: str = "") -> str:
        """Return the value at `path` as text, or `default` when it is absent or not a scalar."""
        value = self.get(path)
        return default if value is None or isinstance(value, dict | list) else str(value)

    def items(self, path: str) -> list[dict[str, Json]]:
        """Return the list of mappings at `path`, or nothing."""
        value = self.get(path)
        return (
            [cast("dict[str, Json]", item) for item in value if isinstance(item, dict)]
            if isinstance(value, list)
            else []
        )

    def mapping(self, path: str) -> dict[str, Json]:
        """Return the mapping at `path`, or an empty one."""
        value = self.get(path)
        return value if isinstance(value, dict) else {}

    def line_of(self, path: str) -> int:
        """Return the line of `path`, or of the nearest enclosing field that has one."""
        parts = split_path(path)
        while parts:
            line = self.lines.get(join_path(parts))
            if line is not None:
                return line
            parts.pop()
        return self.lines.get("", 1)

    def cite(self, path: str = "", *, entity: EntityRef | None = None) -> Evidence:
        """Return the evidence for the field at `path`."""
        return self.document.cite(self.line_of(path), entity=entity)


def split_path(path: str) -> list[str]:
    """Return the parts of a dotted path; a key that holds dots is written in brackets: `metadata.labels.[a.b/c]`."""
    parts: list[str] = []
    rest = path
    while rest:
        if rest.startswith("["):
            key, _, rest = rest[1:].partition("]")
            rest = rest.removeprefix(".")
        else:
            key, _, rest = rest.partition(".")
        parts.append(key)
    return parts


def join_path(parts: list[str]) -> str:
    """Return the dotted path of `parts`; keys with dots are put in brackets."""
    return ".".join(f"[{part}]" if "." in part else part for part in parts)


@dataclass(frozen=True, kw_only=True)
class KubeEvent:
    """One event. count and last matter more than the position in a list (DOMAIN, Kubernetes traps)."""

    reason: str
    message: str
    document: Document
    line: int
    line_end: int
    type: str = "Normal"
    involved: EntityRef | None = None
    field_path: str | None = None
    component: str | None = None
    count: int = 1
    first: Stamp | None = None
    last: Stamp | None = None

    def cite(self, *, entity: EntityRef | None = None) -> Evidence:
        """Return the evidence for the whole event."""
        return self.document.cite(self.line, self.line_end, entity=entity or self.involved)


@dataclass(frozen=True, kw_only=True)
class Series:
    """One time series as a metrics server answered. Points are (aware UTC, value); NaN and blanks are left out.

    query: what was asked. blanks: points that were a vendor's "not supported" value: unknown, never zero.
    """

    metric: str
    labels: Mapping[str, str]
    points: tuple[tuple[datetime, float], ...]
    document: Document
    line: int
    query: str | None = None
    blanks: int = 0

    def cite(self, *, entity: EntityRef | None = None) -> Evidence:
        """Return the evidence for the series."""
        return self.document.cite(self.line, entity=entity)


@dataclass(frozen=True, kw_only=True)
class Fact:
    """One named value that a tool printed: `df.use_percent`, `ib.port.state`, `ulimit.max_locked_memory_kib`.

    name: dotted, with the unit in it where there is one. value: number, text or bool. labels: mount, port, link …
    """

    name: str
    value: str | float | int | bool
    document: Document
    line: int
    entity: EntityRef | None = None
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    stamp: Stamp | None = None

    def cite(self, *, entity: EntityRef | None = None) -> Evidence:
        """Return the evidence for the value."""
        return self.document.cite(self.line, entity=entity or self.entity)


@dataclass(frozen=True, kw_only=True)
class Change:
    """Who changed what, when and why, as far as the record says. scope: what it could have touched."""

    what: str
    document: Document
    line: int
    line_end: int
    kind: str = "change"
    """deployment, gitops_sync, helm, package, driver, firmware, kernel, cordon, config, node_pool, delete, quota, change."""
    who: str | None = None
    why: str | None = None
    stamp: Stamp | None = None
    scope: tuple[EntityRef, ...] = ()

    def cite(self) -> Evidence:
        """Return the evidence for the record."""
        return self.document.cite(self.line, self.line_end)


@dataclass(frozen=True, kw_only=True)
class Note:
    """A statement of a person: a claim with an author, weaker than machine output, still citable."""

    text: str
    document: Document
    line: int
    line_end: int
    author: str | None = None
    stamp: Stamp | None = None

    def cite(self) -> Evidence:
        """Return the evidence for the statement."""
        return self.document.cite(self.line, self.line_end)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Everything structured that one document holds. Empty for a plain log."""

    objects: tuple[KubeObject, ...] = ()
    events: tuple[KubeEvent, ...] = ()
    series: tuple[Series, ...] = ()
    facts: tuple[Fact, ...] = ()
    changes: tuple[Change, ...] = ()
    notes: tuple[Note, ...] = ()
    problems: tuple[str, ...] = ()
    """What could not be parsed, one sentence each; the caller turns them into gaps."""

    def __add__(self, other: "Reading") -> "Reading":
        """Return both readings as one, in order."""
        return joined((self, other))


def joined(readings: Iterable[Reading]) -> Reading:
    """Return all readings as one, in order; in time that grows with what they hold, not with its square."""
    held = tuple(readings)
    return Reading(
        objects=tuple(item for reading in held for item in reading.objects),
        events=tuple(item for reading in held for item in reading.events),
        series=tuple(item for reading in held for item in reading.series),
        facts=tuple(item for reading in held for item in reading.facts),
        changes=tuple(item for reading in held for item in reading.changes),
        notes=tuple(item for reading in held for item in reading.notes),
        problems=tuple(item for reading in held for item in reading.problems),
    )
