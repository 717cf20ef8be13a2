"""One byte form for every value that is hashed: sorted keys, no spaces, UTC times, no floats.

Two processes that hold equal values get equal bytes; a value of an unknown type is refused, never guessed.
"""

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime
from enum import Enum
from functools import cache
from typing import cast

Plain = None | bool | int | str | list["Plain"] | dict[str, "Plain"]


def plain(value: object) -> Plain:
    """Return `value` as JSON-safe data with a fixed order.

    Raises TypeError for what has no canonical form (floats among them) and ValueError for a time without a zone.
    """
    kind = type(value)
    if kind is str or kind is int or kind is bool or value is None:
        return cast("Plain", value)
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, str | int):
        return value
    if isinstance(value, datetime):
        return _utc(value)
    return _plain_collection(value)


def _plain_collection(value: object) -> Plain:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: plain(getattr(value, name)) for name in _field_names(type(value))}
    if isinstance(value, Mapping):
        items = cast("Mapping[object, object]", value).items()
        found = {str(plain(key)): plain(item) for key, item in items}
        return {key: found[key] for key in sorted(found)}
    if isinstance(value, AbstractSet):
        return cast(
            "Plain",
            sorted(str(plain(item)) for item in cast("AbstractSet[object]", value)),
        )
    if isinstance(value, Sequence):
        return [plain(item) for item in cast("Sequence[object]", value)]
    msg = f"no canonical form for `{type(value).__name__}`"
    raise TypeError(msg)


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


def _utc(value: datetime) -> str:
    if value.tzinfo is None:
        msg = "a time without a zone has no canonical form"
        raise ValueError(msg)
    return value.astimezone(UTC).isoformat(timespec="microseconds")


def to_bytes(value: object) -> bytes:
    """Return the canonical bytes of `value`."""
    return json.dumps(plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def digest(value: object) -> str:
    """Return the SHA-256 hex digest of the canonical bytes of `value`."""
    return hashlib.sha256(to_bytes(value)).hexdigest()
