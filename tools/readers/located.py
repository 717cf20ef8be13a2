"""Values that know the line they stand on, whatever they were parsed from."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from firstfault.tools.readings import Json

MAX_DEPTH = 200
"""Deeper nesting than any real object has; what lies below is dropped."""


@dataclass(slots=True)
class Node:
    """One value with its 1-based line; `items` is set for mappings (by key) and lists (by index)."""

    line: int
    value: Json = None
    keys: "dict[str, Node] | None" = None
    elements: "list[Node] | None" = None

    def child(self, *path: str) -> "Node | None":
        """Return the node at `path`, or None."""
        node: Node | None = self
        for part in path:
            if node is None:
                return None
            if node.keys is not None:
                node = node.keys.get(part)
            elif node.elements is not None and part.isdigit() and int(part) < len(node.elements):
                node = node.elements[int(part)]
            else:
                return None
        return node

    def text(self, *path: str) -> str:
        """Return the scalar at `path` as text, or an empty text."""
        node = self.child(*path)
        return "" if node is None or node.value is None else str(node.value)

    def list(self, *path: str) -> "list[Node]":
        """Return the elements at `path`, or none."""
        node = self.child(*path)
        return node.elements or [] if node is not None else []


class LineNode(Node):
    """A value that stands on one line with all that is in it: parts become nodes when they are asked for, most never are."""

    __slots__ = ("_elements", "_keys", "raw")

    def __init__(self, line: int, raw: Json) -> None:
        """Take the line and the value as the standard library parses it."""
        self.line = line
        self.raw = raw
        self._keys: dict[str, Node] | None = None
        self._elements: list[Node] | None = None

    @property
    def is_as_parsed(self) -> bool:
        """Return whether no part was asked for, so that none can have been changed."""
        return self._keys is None and self._elements is None

    @property
    def value(self) -> Json:  # pyright: ignore[reportIncompatibleVariableOverride] - worked out, read like the field
        """Return the scalar, None for a mapping or a list."""
        return None if isinstance(self.raw, dict | list) else self.raw

    @property
    def keys(self) -> dict[str, Node] | None:  # pyright: ignore[reportIncompatibleVariableOverride] - as above
        """Return the parts of a mapping."""
        if self._keys is None and isinstance(self.raw, dict):
            self._keys = {key: LineNode(self.line, part) for key, part in self.raw.items()}
        return self._keys

    @property
    def elements(self) -> list[Node] | None:  # pyright: ignore[reportIncompatibleVariableOverride] - as above
        """Return the parts of a list."""
        if self._elements is None and isinstance(self.raw, list):
            self._elements = [LineNode(self.line, part) for part in self.raw]
        return self._elements


def plain(node: Node, depth: int = 0) -> Json:
    """Return the value of `node` without lines."""
    if depth > MAX_DEPTH:
        return None
    if isinstance(node, LineNode) and node.is_as_parsed:
        return node.raw
    if node.keys is not None:
        return {key: plain(child, depth + 1) for key, child in node.keys.items()}
    if node.elements is not None:
        return [plain(child, depth + 1) for child in node.elements]
    return node.value


def line_map(node: Node) -> dict[str, int]:
    """Return dotted path → line for everything under `node`; the node itself is at ``""``."""
    return dict(_paths(node, "", 0))


def _paths(node: Node, prefix: str, depth: int) -> Iterator[tuple[str, int]]:
    yield prefix, node.line
    if depth > MAX_DEPTH:
        return
    children: Iterator[tuple[str, Node]] = iter(())
    if node.keys is not None:
        children = iter(node.keys.items())
    elif node.elements is not None:
        children = ((str(index), element) for index, element in enumerate(node.elements))
    for key, child in children:
        part = f"[{key}]" if "." in key else key
        yield from _paths(child, f"{prefix}.{part}" if prefix else part, depth + 1)


@dataclass(frozen=True, eq=False)
class LazyLines(Mapping[str, int]):
    """A path → line map that is worked out when it is first asked: most objects of a large dump never are.

    first, last: between which lines the object stands, known without working it out; 0 when not.
    """

    make: Callable[[], Mapping[str, int]] = field(repr=False)
    first: int = 0
    last: int = 0

    @cached_property
    def _lines(self) -> Mapping[str, int]:
        return self.make()

    def __getitem__(self, path: str) -> int:
        """Return the line of `path`."""
        return self.first if self.first and not path else self._lines[path]

    def __iter__(self) -> Iterator[str]:
        """Return the paths."""
        return iter(self._lines)

    def __len__(self) -> int:
        """Return how many paths have a line."""
        return len(self._lines)
