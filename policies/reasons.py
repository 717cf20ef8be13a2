"""Reason templates filled with the numbers that a policy compared: one line each, nothing in it can act on a terminal."""

import re
from collections.abc import Mapping
from typing import Any, cast

_HOLE = re.compile(r"\{([a-z0-9_.]+)\}")
_MAX_CHARS = 300


def filled(template: str, context: Mapping[str, Any]) -> str:
    """Return `template` with every `{dotted.path}` replaced by its value in `context`, or by `unknown`.

    Names come from clusters and people: what is not printable becomes `?`, a long line is cut.
    """
    text = _HOLE.sub(lambda hole: _shown(_at(context, hole[1])), template)
    safe = "".join(char if char.isprintable() else "?" for char in text)
    return safe if len(safe) <= _MAX_CHARS else safe[: _MAX_CHARS - 1] + "…"


def holes(template: str) -> tuple[str, ...]:
    """Return the dotted paths that `template` is filled with."""
    return tuple(_HOLE.findall(template))


def _at(context: Mapping[str, Any], path: str) -> object:
    value: object = context
    for part in path.split("."):
        if not isinstance(value, Mapping):
            return None
        value = cast("Mapping[str, object]", value).get(part)
    return value


def _shown(value: object) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, list | tuple):
        return ", ".join(str(item) for item in cast("list[object]", value)) or "none"
    return str(value)
