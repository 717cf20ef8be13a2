"""JSON as the stand-in handles it: bodies are dictionaries; anything else is a `Value`."""

from typing import Any, TypeAlias, cast

Body: TypeAlias = dict[str, Any]
Value: TypeAlias = Any


def as_body(value: object) -> Body | None:
    """Return `value` as a body when it is one."""
    return cast("Body", value) if isinstance(value, dict) else None


def as_rows(value: object) -> list[Body] | None:
    """Return `value` as a list of bodies when it is a list."""
    return cast("list[Body]", value) if isinstance(value, list) else None


def labels_of(body: Body) -> dict[str, str]:
    """Return an object's labels."""
    return cast("dict[str, str]", body["metadata"].get("labels") or {})
