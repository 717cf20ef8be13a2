"""Secrets taken out of everything that leaves for a chat: every text in a message passes the redactor. Pure."""

from collections.abc import Callable, Mapping
from typing import Any, cast

from firstfault.agent.slack.port import Picture

_TEXTS = frozenset(
    {"text", "fallback", "alt_text", "title", "accessibility_label", "initial_value", "errors"}
)
"""Keys under which there are words; all else is ours: kinds, ids, addresses of our own buttons."""


def cleaned(content: Mapping[str, Any], redact: Callable[[str], str]) -> dict[str, Any]:
    """Return a message or view with every text redacted."""
    return {key: _walk(value, redact, key) for key, value in content.items()}


def cleaned_picture(picture: Picture, redact: Callable[[str], str]) -> Picture:
    """Return a picture whose words are redacted; what it shows is made from a report that already is."""
    return Picture(name=picture.name, title=redact(picture.title), alt=redact(picture.alt), data=picture.data)


def _walk(value: object, redact: Callable[[str], str], key: str) -> object:
    if isinstance(value, Mapping):
        items = cast("Mapping[str, object]", value).items()
        return {name: _walk(item, redact, "text" if key == "errors" else name) for name, item in items}
    if isinstance(value, list | tuple):
        return [_walk(item, redact, key) for item in cast("list[object]", value)]
    return redact(value) if isinstance(value, str) and key in _TEXTS else value
