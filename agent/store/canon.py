"""One spelling for every value that is signed or chained: the same value gives the same bytes on every database.

Pure ASCII JSON with sorted keys: NUL bytes and broken surrogates of hostile input become escapes, so that SQLite and
Postgres hold the same text.
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import cast


def canonical(value: object) -> str:
    """Return the canonical JSON of `value`.

    Mappings, sequences, text, numbers, booleans, None and aware datetimes are taken; NaN and infinities, which JSON
    cannot hold, become their names. Raises TypeError for anything else.
    """
    return json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(value: object) -> str:
    """Return the hex SHA-256 of the canonical JSON of `value`."""
    return hashlib.sha256(canonical(value).encode("ascii")).hexdigest()


def moment(at: datetime) -> str:
    """Return the one spelling of an aware time: UTC, microseconds, `Z`; texts order as the times do."""
    if at.tzinfo is None:
        msg = f"the time `{at}` has no zone: times are kept in UTC"
        raise ValueError(msg)
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def storable(text: str) -> str:
    """Return `text` with NUL and lone surrogates written as escapes: what every database can hold."""
    return text.replace("\x00", "\\x00").encode("utf-8", "backslashreplace").decode("utf-8")


def _plain(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, datetime):
        return moment(value)
    if isinstance(value, Mapping):
        items = cast("Mapping[object, object]", value).items()
        return {_key(key): _plain(item) for key, item in items}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in cast("Sequence[object]", value)]
    msg = f"a `{type(value).__name__}` cannot be written to the audit: give text, numbers, lists or mappings"
    raise TypeError(msg)


def _key(key: object) -> str:
    if isinstance(key, str):
        return str(key)
    msg = f"the key `{key}` is not text"
    raise TypeError(msg)
