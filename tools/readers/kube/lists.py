"""Reads large lists of objects item by item: the values at the speed of the standard library, the lines when asked."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.readers.json_text import parse_json
from firstfault.tools.readers.kube.event_objects import event_of
from firstfault.tools.readers.located import LazyLines, Node, line_map
from firstfault.tools.readings import Json, KubeEvent, KubeObject, Reading

LARGE_LIST_CHARS = 8_000
"""From this length on parsing item by item is faster; below, everything is read in one way. Units: characters."""

_ITEMS = re.compile(r'"items"\s*:\s*\[')
_KIND = re.compile(r'"kind"\s*:\s*"(\w*)List"')
_END_CHARS = 4096
"""`items` and `kind` of a list stand this near to its start, or `kind` to its end."""
_GAP = re.compile(r"[\s,]*")
_DECODER = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    value: dict[str, Json]
    start: int
    end: int
    line: int


def large_list_reading(document: Document, context: ReadContext) -> Reading | None:
    """Return the objects and events of a large list, or None when `document` is none or not good JSON."""
    text = document.text
    opened = _ITEMS.search(text, 0, _END_CHARS) if len(text) >= LARGE_LIST_CHARS else None
    if opened is None:
        return None
    named = _KIND.search(text, 0, opened.start()) or _KIND.search(text, len(text) - _END_CHARS)
    kind = named[1] if named else ""
    objects: list[KubeObject] = []
    events: list[KubeEvent] = []
    try:
        for item in _items(text, opened.end()):
            if str(item.value.get("kind") or kind) == "Event":
                event = event_of(_node(text, item), document, context)
                events += [event] if event is not None else []
            else:
                objects.append(_object(item, kind, document, text))
    except (ValueError, RecursionError):
        return None
    return Reading(objects=tuple(objects), events=tuple(events))


def _items(text: str, position: int) -> Iterator[_Item]:
    line, counted = 1, 0
    while True:
        gap = _GAP.match(text, position)
        start = gap.end() if gap else position
        if text[start : start + 1] != "{":
            return
        value, position = _DECODER.raw_decode(text, start)
        line += text.count("\n", counted, start)
        counted = start
        yield _Item(value=value, start=start, end=position, line=line)


def _node(text: str, item: _Item) -> Node:
    parsed = parse_json(text[item.start : item.end], 0, item.line)
    return parsed.node if parsed is not None else Node(item.line, keys={})


def _lines(text: str, item: _Item) -> dict[str, int]:
    return line_map(_node(text, item))


def _object(item: _Item, kind: str, document: Document, text: str) -> KubeObject:
    held = item.value.get("metadata")
    metadata = held if isinstance(held, dict) else {}
    own = str(item.value.get("kind") or kind)
    return KubeObject(
        kind=own,
        name=str(metadata.get("name") or ""),
        namespace=str(metadata.get("namespace") or "") or None,
        document=document,
        api={**item.value, "kind": own} if own else item.value,
        lines=LazyLines(
            partial(_lines, text, item), item.line, item.line + text.count("\n", item.start, item.end)
        ),
        partial=False,
    )
