"""A described object of any other kind: headings become field names, tables of conditions are read."""

import re

from firstfault.tools.readers.kube.describe.conditions import put_conditions
from firstfault.tools.readers.kube.describe.outline import ABSENT, Entry
from firstfault.tools.readers.kube.describe.parts import put_metadata, time_text, truth
from firstfault.tools.readers.kube.draft import Draft

_METADATA = {
    "name",
    "namespace",
    "labels",
    "annotations",
    "uid",
    "creationtimestamp",
    "controlled by",
    "finalizers",
    "metadata",
}
_NUMBER = re.compile(r"-?\d{1,15}")
_MAX_DEPTH = 40


def generic(root: Entry, draft: Draft, raw_lines: list[str]) -> None:
    """Fill `draft` from any description; `Last Transition Time` becomes `lastTransitionTime`."""
    put_metadata(root, draft)
    for entry in root.below:
        low = entry.key.lower()
        if not entry.key or low in _METADATA or low == "events":
            continue
        if low == "conditions" and entry.below and entry.below[0].text.lower().startswith("type "):
            put_conditions(draft, entry, raw_lines)
        else:
            _put(draft, entry, 0)
    declared = root.find("Metadata")
    if declared is not None:
        inner = Draft()
        _put(inner, declared, 0)
        held = inner.node.keys or {}
        for key, node in (held["metadata"].keys or {} if "metadata" in held else {}).items():
            (draft.node.keys or {}).setdefault("metadata", held["metadata"])
            metadata = (draft.node.keys or {})["metadata"].keys
            if metadata is not None:
                metadata.setdefault(key, node)


def field_name(heading: str) -> str:
    """Return the field that a heading is printed for."""
    if re.search(r"[./]", heading) or (" " not in heading and not heading[:1].isupper()):
        return heading
    words = heading.split()
    head = words[0] if words[0].isupper() and len(words[0]) > 1 else words[0][:1].lower() + words[0][1:]
    return (head.lower() if head.isupper() and len(words) > 1 else head) + "".join(
        word[:1].upper() + word[1:] for word in words[1:]
    )


def _put(draft: Draft, entry: Entry, depth: int) -> None:
    name = field_name(entry.key)
    if depth > _MAX_DEPTH:
        return
    if not entry.below:
        if entry.value not in ABSENT:
            draft.put(name, value=_value(entry.value), line=entry.line)
        return
    if entry.value and not any(below.key for below in entry.below):
        draft.put(
            name, value=" ".join([entry.value, *(below.text for below in entry.below)]), line=entry.line
        )
        return
    repeated = _first_repeats(entry.below)
    if repeated:
        _put_list(draft, name, entry, depth)
        return
    draft.touch(name, line=entry.line)
    inner = Draft((draft.node.keys or {})[name])
    for below in entry.below:
        if below.key:
            _put(inner, below, depth + 1)


def _first_repeats(entries: list[Entry]) -> bool:
    keys = [entry.key for entry in entries if entry.key]
    return bool(keys) and keys.count(keys[0]) > 1


def _put_list(draft: Draft, name: str, entry: Entry, depth: int) -> None:
    """Lists of mappings are printed without marks: a new element begins where the first heading comes again."""
    element: Draft | None = None
    seen: set[str] = set()
    for below in entry.below:
        if not below.key:
            continue
        if element is None or below.key in seen:
            element, seen = draft.append(name, line=below.line), set()
        seen.add(below.key)
        _put(element, below, depth + 1)


def _value(text: str) -> str | int | bool:
    if _NUMBER.fullmatch(text):
        return int(text)
    return truth(time_text(text))
