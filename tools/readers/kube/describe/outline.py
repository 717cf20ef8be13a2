"""The outline of a description: lines by indentation, keys and values apart, several objects apart."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

_KEY = re.compile(r"^(?P<key>[^:\s][^:]*?):(?:\s+(?P<value>.*?))?\s*$")
_TAB = 8


@dataclass(slots=True)
class Entry:
    """One line of a description with the lines indented below it. key is empty for a line that has none."""

    line: int
    indent: int
    text: str
    key: str = ""
    value: str = ""
    below: "list[Entry]" = field(default_factory=list["Entry"])

    def find(self, *keys: str) -> "Entry | None":
        """Return the first entry below with one of `keys` (letter case does not matter)."""
        wanted = {key.lower() for key in keys}
        return next((entry for entry in self.below if entry.key.lower() in wanted), None)

    def say(self, *keys: str) -> str:
        """Return the value of the first entry below with one of `keys`, or an empty text; `<none>` is empty."""
        entry = self.find(*keys)
        return "" if entry is None or entry.value in ABSENT else entry.value

    def values(self) -> "list[tuple[int, str]]":
        """Return the lines of a value that goes over several lines, each with its number; `<none>` gives nothing."""
        first = [(self.line, self.value)] if self.value and self.value not in ABSENT else []
        return first + [(entry.line, entry.text) for entry in self.below if entry.text not in ABSENT]


ABSENT = frozenset({"<none>", "<unset>", "<unknown>", "<nil>", "N/A", ""})
"""What `kubectl` prints where a field has no value."""


def outlines(lines: Sequence[str]) -> Iterator[Entry]:
    """Yield one root per described object; a text without a `Name:` at the margin is one object."""
    root = Entry(line=1, indent=-1, text="")
    stack = [root]
    for number, raw in enumerate(lines, start=1):
        line = raw.rstrip("\r").expandtabs(_TAB)
        text = line.strip()
        if not text:
            continue
        indent = len(line) - len(line.lstrip(" "))
        entry = _entry(number, indent, text)
        if indent == 0 and entry.key == "Name" and any(below.key == "Name" for below in root.below):
            yield root
            root = Entry(line=number, indent=-1, text="")
            stack = [root]
        while len(stack) > 1 and stack[-1].indent >= indent:
            stack.pop()
        if root.line == 1 and not root.below:
            root.line = number
        stack[-1].below.append(entry)
        stack.append(entry)
    if root.below:
        yield root


def _entry(number: int, indent: int, text: str) -> Entry:
    match = _KEY.match(text)
    if match is None:
        return Entry(line=number, indent=indent, text=text)
    return Entry(
        line=number, indent=indent, text=text, key=match["key"].strip(), value=(match["value"] or "").strip()
    )
