"""Flight-recorder dumps of PyTorch's process groups, as JSON text."""

from collections.abc import Sequence

from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.evidence import Document
from firstfault.tools.readers.located import Node
from firstfault.tools.readers.sheet import Sheet
from firstfault.tools.readings import Fact

_ENTRY_FIELDS = (
    "collective_seq_id",
    "p2p_seq_id",
    "op_id",
    "profiling_name",
    "state",
    "input_sizes",
    "process_group",
    "timeout_ms",
)
_UNFINISHED = frozenset({"scheduled", "started"})
_MOST_ENTRIES = 20_000


def is_recorder_dump(node: Node) -> bool:
    """Return whether `node` is a dump of the flight recorder."""
    return node.child("entries") is not None and (
        node.child("version") is not None or node.child("pg_config") is not None
    )


def recorder_facts(node: Node, document: Document) -> Sequence[Fact]:
    """Return `flight.entry` per unfinished collective, `flight.last_*`, `flight.group_ranks` per group, `flight.version`.

    Labels: seq, op, state, group, sizes. The rank is the dump's own, else the one its file is named after.
    """
    sheet = Sheet(document, "flight", _rank(node, document))
    version = node.child("version")
    if version is not None:
        sheet.add("version", version.text(), version.line)
    for name, group in ((node.child("pg_config") or Node(node.line)).keys or {}).items():
        ranks = group.child("ranks")
        if ranks is not None:
            text = (
                ",".join(_flat(each) for each in ranks.elements)
                if ranks.elements is not None
                else ranks.text()
            )
            sheet.add("group_ranks", text, ranks.line, labels={"group": name})
    for name, status in ((node.child("pg_status") or Node(node.line)).keys or {}).items():
        for key in ("last_enqueued_collective", "last_started_collective", "last_completed_collective"):
            child = status.child(key)
            if child is not None and isinstance(child.value, int):
                sheet.add(key.removesuffix("_collective"), child.value, child.line, labels={"group": name})
    for entry in node.list("entries")[-_MOST_ENTRIES:]:
        state = entry.text("state")
        if state in _UNFINISHED:
            sheet.add("entry", state, _line(entry), labels=_labels(entry))
    return sheet.facts


def _rank(node: Node, document: Document) -> EntityRef | None:
    rank = node.text("rank") or document.labels.get("rank", "")
    return EntityRef(kind=EntityKind.RANK, name=rank) if rank else document.entity


def _line(entry: Node) -> int:
    return (entry.child("state") or entry).line


def _labels(entry: Node) -> dict[str, str]:
    labels: dict[str, str] = {}
    for key in _ENTRY_FIELDS:
        child = entry.child(key)
        if child is not None and child.keys is None and child.elements is None and child.value is not None:
            labels[key] = str(child.value)
        elif child is not None and child.elements is not None:
            labels[key] = ",".join(_flat(element) for element in child.elements)
    return labels


def _flat(node: Node) -> str:
    return "x".join(_flat(element) for element in node.elements) if node.elements is not None else node.text()
