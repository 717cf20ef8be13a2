"""How values of `tools` and `agent` are spelled in text columns, and read back.

Canonical JSON out, pydantic in: what comes out of a database is checked like anything else from outside.
"""

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from firstfault.agent.findings import Incident
from firstfault.agent.store.canon import canonical, storable
from firstfault.agent.store.errors import StoredBytesError
from firstfault.tools.entities import EntityRef
from firstfault.tools.evidence import Body, Coverage, Document, Gap
from firstfault.tools.kinds import Kind
from firstfault.tools.times import Window

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """Everything of a `Document` but its bytes."""

    path: str
    kind: Kind
    source: str
    query: str
    complete: bool = False
    entity: EntityRef | None = None
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    window: Window | None = None
    link: str | None = None
    fetched_at: datetime | None = None
    note: str | None = None


_NAMES = tuple(each.name for each in dataclasses.fields(Described))
_ADAPTERS: dict[type[Any], TypeAdapter[Any]] = {
    kind: TypeAdapter(kind) for kind in (Described, Coverage, Gap, Incident)
}


def to_text(value: Described | Coverage | Gap | Incident) -> str:
    """Return `value` as canonical JSON."""
    return canonical(_plain(value))


def from_text(kind: type[T], text: str) -> T:
    """Return the `kind` that `text` spells. Raises StoredBytesError when it spells something else."""
    try:
        return cast("T", _ADAPTERS[kind].validate_python(json.loads(text)))
    except (ValidationError, ValueError) as error:
        msg = f"a stored {kind.__name__.lower()} cannot be read back: restore a backup"
        raise StoredBytesError(msg) from error


def described(document: Document) -> Described:
    """Return the description of a document."""
    return Described(**{name: getattr(document, name) for name in _NAMES})


def document(description: Described, body: Body) -> Document:
    """Return the document with its bytes."""
    return Document(body=body, **{name: getattr(description, name) for name in _NAMES})


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value):
        return {each.name: _plain(getattr(value, each.name)) for each in dataclasses.fields(value)}
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, Mapping):
        pairs = cast("Mapping[str, object]", value).items()
        return {storable(key): _plain(item) for key, item in pairs}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in cast("list[object]", value)]
    return value
