"""Where things sit: Slurm's topology.conf, and tables with one row per node."""

import re
from collections.abc import Iterator, Sequence

from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.evidence import Document
from firstfault.tools.readers.columns import csv_cells
from firstfault.tools.readers.sheet import Sheet, snake
from firstfault.tools.readers.signs import numbered
from firstfault.tools.readings import Fact

_SWITCH = re.compile(r"^\s*(?:SwitchName|BlockName)=(?P<name>\S+)(?=.*\bNodes=(?P<nodes>\S+))", re.IGNORECASE)
_RANGE = re.compile(r"^(?P<head>[^\[\]]*)\[(?P<inner>[^\[\]]+)\](?P<tail>[^\[\]]*)$")
_SPLIT = re.compile(r",(?![^\[]*\])")
_NODE_HEADINGS = {"node", "hostname", "host", "nodename"}
_MOST_NODES = 10_000


def expand(text: str) -> Iterator[str]:
    """Yield the hosts of a Slurm host list: `n[1-3,7],m1`."""
    count = 0
    for part in _SPLIT.split(text):
        match = _RANGE.match(part)
        for name in _ranged(match) if match else (part,):
            count += 1
            if count > _MOST_NODES:
                return
            yield name


def _ranged(match: re.Match[str]) -> Iterator[str]:
    for piece in match["inner"].split(","):
        low, dash, high = piece.partition("-")
        if not dash or not low.isdigit() or not high.isdigit() or len(high) > len(str(_MOST_NODES)) + 4:
            yield f"{match['head']}{piece}{match['tail']}"
            continue
        for number in range(int(low), min(int(high), int(low) + _MOST_NODES) + 1):
            yield f"{match['head']}{number:0{len(low)}d}{match['tail']}"


def topology_facts(document: Document) -> Sequence[Fact]:
    """Return `topology.<dimension>` per node (`topology.switch`, `topology.rack` …), the node as entity."""
    return [*_slurm(document), *_table(document)]


def _slurm(document: Document) -> list[Fact]:
    sheet = Sheet(document, "topology")
    for number, line in numbered(document):
        match = _SWITCH.match(line)
        if match is not None:
            for node in expand(match["nodes"]):
                sheet.add("switch", match["name"], number, entity=EntityRef(kind=EntityKind.NODE, name=node))
    return sheet.facts


def _table(document: Document) -> list[Fact]:
    sheet = Sheet(document, "topology")
    head: list[str] = []
    for number, raw in numbered(document):
        cells = csv_cells(raw)
        if not head:
            if len(cells) <= 1 or cells[0].lower() not in _NODE_HEADINGS:
                return sheet.facts
            head = [snake(cell) for cell in cells]
            continue
        if len(cells) == len(head):
            entity = EntityRef(kind=EntityKind.NODE, name=cells[0])
            for name, cell in zip(head[1:], cells[1:], strict=True):
                if cell:
                    sheet.add(name, cell, number, entity=entity)
    return sheet.facts
