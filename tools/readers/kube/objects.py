"""Objects as the API prints them: JSON and YAML, one, many, lists, tables, and fragments of them."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.readers.kube.digests import digest_reading
from firstfault.tools.readers.kube.event_objects import event_of
from firstfault.tools.readers.kube.kinds import kind_of_word
from firstfault.tools.readers.kube.rows import kind_of_columns
from firstfault.tools.readers.located import LazyLines, Node, line_map, plain
from firstfault.tools.readings import KubeObject, Reading, joined

_WATCHED = frozenset({"ADDED", "MODIFIED", "DELETED", "ERROR", "BOOKMARK"})
"""Types of the events of a watch (`kubectl get --watch -o json --output-watch-events`)."""


def reading_of_nodes(nodes: list[Node], document: Document, context: ReadContext) -> Reading:
    """Return the objects and events that parsed values hold."""
    return joined(_reading(node, document, context) for node in nodes)


def _reading(node: Node, document: Document, context: ReadContext) -> Reading:
    listed = _listed(node)
    if listed is not None:
        return reading_of_nodes(listed, document, context)
    kind = node.text("kind")
    if kind == "Table" and node.child("rows") is not None:
        return Reading(objects=tuple(_table_objects(node, document)))
    if kind == "Event" and node.child("reason") is not None:
        event = event_of(node, document, context)
        return Reading(events=(event,) if event is not None else ())
    if kind:
        return Reading(objects=(kube_object(node, kind, document),))
    return digest_reading(node, document, context) or Reading(objects=_fragment(node, document))


def _listed(node: Node) -> list[Node] | None:
    """Return the objects of a list, or None when `node` is no list."""
    if node.elements is not None:
        return [element for element in node.elements if element.text("kind")]
    watched = node.child("object")
    if watched is not None and node.text("type") in _WATCHED:
        return [watched]
    kind, items = node.text("kind"), node.list("items")
    if node.child("items") is not None and kind.endswith("List"):
        return [_kinded(item, kind.removesuffix("List")) for item in items]
    if not kind and any(item.text("kind") for item in items):
        return items
    return None if node.keys is not None else []


def _kinded(item: Node, kind: str) -> Node:
    """Return `item` with the kind of its list: servers leave it out inside typed lists."""
    if kind and item.keys is not None and "kind" not in item.keys:
        item.keys["kind"] = Node(item.line, value=kind)
    return item


def kube_object(node: Node, kind: str, document: Document, *, partial: bool = False) -> KubeObject:
    """Return the object that `node` holds."""
    api = plain(node)
    return KubeObject(
        kind=kind,
        name=node.text("metadata", "name") or node.text("details", "name"),
        namespace=node.text("metadata", "namespace") or None,
        document=document,
        api=api if isinstance(api, dict) else {},
        lines=LazyLines(lambda: line_map(node)),
        partial=partial,
    )


def _table_objects(node: Node, document: Document) -> Iterator[KubeObject]:
    """Yield the rows of a server-side table (`Accept: application/json;as=Table`)."""
    titles = [column.text("name").upper() for column in node.list("columnDefinitions")]
    for row in node.list("rows"):
        held = row.child("object")
        cells = [cell.text() for cell in row.list("cells")]
        if held is None:
            continue
        kind = held.text("kind")
        kube = kube_object(held, "" if kind == "PartialObjectMetadata" else kind, document, partial=True)
        yield KubeObject(
            kind=kube.kind
            or kind_of_columns({title.replace(" ", "") for title in titles})
            or kind_of_path(document.path),
            name=kube.name or (cells[0] if cells else ""),
            namespace=kube.namespace,
            document=document,
            api=kube.api,
            lines=kube.lines,
            columns=dict(zip(titles, cells, strict=False)),
            partial=True,
        )


def _fragment(node: Node, document: Document) -> tuple[KubeObject, ...]:
    """Return a piece of an object without kind: its kind is what the file is called, if that is one."""
    if not node.keys:
        return ()
    return (kube_object(node, kind_of_path(document.path), document, partial=True),)


def kind_of_path(path: str) -> str:
    """Return the kind that the file name `path` says (`raw/nodes.json`), or an empty text."""
    stem = PurePosixPath(path).name.partition(".")[0].rstrip("-0123456789")
    return kind_of_word(stem) or ""
