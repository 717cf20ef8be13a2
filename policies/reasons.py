"""Reason templates filled with the numbers that a policy compared: one line each, nothing in it can act on a terminal.

`{facts.pool_nodes}` is a number, `{facts.pool_nodes|node|nodes}` the word that goes with it.
"""

import re
from collections.abc import Mapping
from typing import Any, cast

_HOLE = re.compile(r"\{([a-z0-9_.]+)(?:\|([^|{}]+)\|([^|{}]+))?\}")
_MAX_CHARS = 300


def filled(template: str, context: Mapping[str, Any]) -> str:
    """Return `template` with every `{dotted.path}` replaced by its value in `context`, or by `unknown`.

    `{dotted.path|one|many}` becomes `one` where the value is 1, else `many`.

    Names come from clusters and people: what is not printable becomes `?`, a long line is cut.
    """
    text = _HOLE.sub(lambda hole: _put(_at(context, hole[1]), hole[2], hole[3]), template)
    safe = "".join(char if char.isprintable() else "?" for char in text)
    return safe if len(safe) <= _MAX_CHARS else safe[: _MAX_CHARS - 1] + "…"


def holes(template: str) -> tuple[str, ...]:
    """Return the dotted paths that `template` is filled with."""
    return tuple(hole[1] for hole in _HOLE.finditer(template))


def _at(context: Mapping[str, Any], path: str) -> object:
    value: object = context
    for part in path.split("."):
        if not isinstance(value, Mapping):
            return None
        value = cast("Mapping[str, object]", value).get(part)
    return value


def _put(value: object, one: str | None, many: str | None) -> str:
    if one is None or many is None:
        return _shown(value)
    return one if value == 1 else many


def _shown(value: object) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, list | tuple):
        return ", ".join(str(item) for item in cast("list[object]", value)) or "none"
    return str(value)
