"""What came from Slack, taken apart: a part that is missing, or of another shape, is empty and never an error."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

Values = Mapping[str, Any]


def values(given: object) -> Values:
    """Return a mapping, or an empty one."""
    return cast("Values", given) if isinstance(given, Mapping) else {}


def part(given: Values, *names: str) -> Values:
    """Return what is below `names`, or an empty mapping."""
    found: object = given
    for name in names:
        found = values(found).get(name)
    return values(found)


def rows(given: Values, name: str) -> Sequence[Values]:
    """Return the mappings in a list, or an empty list."""
    found = given.get(name)
    return [values(each) for each in cast("list[object]", found)] if isinstance(found, list) else []


def text(given: Values, name: str) -> str:
    """Return a text, or an empty one."""
    found = given.get(name)
    return "" if found is None else str(found)


def spoken(message: Values) -> str:
    """Return the words of a message: its text, and those of attachments, as alert receivers write them."""
    told = [text(message, "text")]
    for attachment in rows(message, "attachments"):
        told += [text(attachment, name) for name in ("pretext", "title", "title_link", "text")]
    return "\n".join(each for each in dict.fromkeys(told) if each)
