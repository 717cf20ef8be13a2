"""Puts an object together in the shape of the API, with the line of every field."""

from dataclasses import dataclass, field

from firstfault.tools.evidence import Document
from firstfault.tools.readers.located import LazyLines, Node, line_map, plain
from firstfault.tools.readings import Json, KubeObject


def _empty() -> Node:
    return Node(1, keys={})


@dataclass(slots=True)
class Draft:
    """A mapping being filled. Paths are keys, never list indices: lists grow by `append`."""

    node: Node = field(default_factory=_empty)

    def put(self, *path: str, value: Json, line: int) -> None:
        """Set the scalar at `path`; an empty text or None says nothing and is left out."""
        if value is None or value == "":
            return
        keys = self._keys(path[:-1], line)
        keys[path[-1]] = Node(line, value=value)

    def append(self, *path: str, line: int) -> "Draft":
        """Return a new mapping at the end of the list at `path`."""
        element = Draft(Node(line, keys={}))
        self._elements(path, line).append(element.node)
        return element

    def append_value(self, *path: str, value: Json, line: int) -> None:
        """Add a scalar to the list at `path`."""
        self._elements(path, line).append(Node(line, value=value))

    def touch(self, *path: str, line: int) -> None:
        """Make sure that a mapping stands at `path`, with its line: it was printed, though it may be empty."""
        self._keys(path, line)

    def touch_list(self, *path: str, line: int) -> None:
        """Make sure that a list stands at `path`: it was printed, though it may be empty."""
        self._elements(path, line)

    def _keys(self, path: tuple[str, ...], line: int) -> dict[str, Node]:
        node = self.node
        for part in path:
            keys = node.keys if node.keys is not None else {}
            child = keys.get(part)
            if child is None or child.keys is None:
                child = Node(line, keys={})
                keys[part] = child
            node = child
        return node.keys if node.keys is not None else {}

    def _elements(self, path: tuple[str, ...], line: int) -> list[Node]:
        keys = self._keys(path[:-1], line)
        child = keys.get(path[-1])
        if child is None or child.elements is None:
            child = Node(line, elements=[])
            keys[path[-1]] = child
        return child.elements if child.elements is not None else []

    def finish(
        self,
        kind: str,
        document: Document,
        *,
        line: int,
        columns: dict[str, str] | None = None,
        partial: bool = True,
    ) -> KubeObject:
        """Return the object; name and namespace are read from `metadata`."""
        self.node.line = line
        node = self.node
        api = plain(node)
        return KubeObject(
            kind=kind,
            name=node.text("metadata", "name"),
            namespace=node.text("metadata", "namespace") or None,
            document=document,
            api=api if isinstance(api, dict) else {},
            lines=LazyLines(lambda: line_map(node)),
            columns=columns or {},
            partial=partial,
        )
