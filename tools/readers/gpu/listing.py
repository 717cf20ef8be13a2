"""Shorter forms of nvidia-smi: `-L`, `nvlink`, `topo -m`, and `--query-gpu … --format=csv`."""

import re
from collections.abc import Sequence

from firstfault.tools.entities import EntityRef
from firstfault.tools.evidence import Document
from firstfault.tools.readers.columns import csv_cells
from firstfault.tools.readers.gpu.errors import gpu_entity
from firstfault.tools.readers.sheet import Sheet, snake
from firstfault.tools.readers.signs import numbered, sign
from firstfault.tools.readings import Fact

_GPU = re.compile(r"^\s*GPU (?P<index>\d+): (?P<name>.*?) \(UUID: (?P<uuid>[^)]+)\)")
_LINK = re.compile(r"^\s+Link (?P<link>\d+)(?:, (?P<lane>[\w ]+))?: (?P<what>.*?)\s*$")
_COUNTER = re.compile(r"^(?P<name>[A-Za-z][\w /()-]*?)(?: Errors?)?: (?P<value>\S+)$")
_CSV_COLUMN = re.compile(r"^(?P<name>[a-z][\w.]*)(?:\s*\[(?P<unit>[^\]]+)\])?$")
LIST_SIGN = sign(r"^\s*GPU \d+: .*\(UUID: (?:GPU|MIG)-")
TOPO_SIGN = sign(
    r"^\s*(?:\x1b\[\d+m\s*)?GPU0\s+(?:GPU1|CPU Affinity|NIC0|mlx5_0)|^GPU\d+\s+(?:X|NV\d+|PIX|PXB|PHB|NODE|SYS)\s"
)
CSV_SIGN = sign(
    r"^(?:index|name|uuid|gpu_uuid|gpu_name|gpu_bus_id|gpu_serial|serial|count|timestamp|pci\.bus_id|driver_version|pid)\s*,\s*[a-z][\w.]*(?:\s*\[[\w/%]+\])?\s*(?:,|$)"
)
_TOPO_CELL = re.compile(r"^(?:X|NV\d+|PIX|PXB|PHB|NODE|SYS)$")


def listing_facts(document: Document) -> Sequence[Fact]:
    """Return `smi.gpu` per listed GPU and `smi.nvlink.*` per link: state, speed, error counters."""
    sheet = Sheet(document, "smi")
    for number, raw in numbered(document):
        line = raw.rstrip("\r")
        gpu = _GPU.match(line)
        if gpu is not None:
            sheet.entity = gpu_entity(gpu["index"], document)
            sheet.add("gpu", gpu["name"], number, labels={"index": gpu["index"], "uuid": gpu["uuid"]})
            continue
        link = _LINK.match(line)
        if link is not None:
            _put_link(sheet, link, number)
    return sheet.facts


def _put_link(sheet: Sheet, link: re.Match[str], number: int) -> None:
    labels = {"link": link["link"]}
    what = link["what"]
    if "inactive" in what.lower():
        sheet.add("nvlink.state", "inactive", number, labels=labels)
        return
    counter = _COUNTER.match(what)
    if counter is not None:
        sheet.measure(f"nvlink.{snake(counter['name'])}", counter["value"], number, labels=labels)
    else:
        sheet.measure("nvlink.speed", what, number, labels=labels)


def topo_facts(document: Document) -> Sequence[Fact]:
    """Return `smi.topo` with labels `from` and `to`: how two devices are connected (`NV18`, `PIX`, `SYS` …)."""
    sheet = Sheet(document, "smi")
    columns: list[str] = []
    for number, raw in numbered(document):
        cells = raw.replace("\r", "").split()
        if cells[:1] == ["GPU0"] and (len(cells) == 1 or not _TOPO_CELL.match(cells[1])):
            columns = [cell for cell in cells if re.match(r"^(?:GPU|NIC|mlx)\w*\d", cell)]
            continue
        if not columns or not cells or not re.match(r"^(?:GPU|NIC|mlx)\w*\d+$", cells[0]):
            continue
        for column, cell in zip(columns, cells[1:], strict=False):
            if _TOPO_CELL.match(cell) and cell != "X":
                sheet.add("topo", cell, number, labels={"from": cells[0], "to": column})
    return sheet.facts


def csv_facts(document: Document) -> Sequence[Fact]:
    """Return `smi.query.<column>` per row; the GPU is named by its bus address, else by its index."""
    sheet = Sheet(document, "smi.query")
    columns: list[tuple[str, str]] = []
    for number, raw in numbered(document):
        cells = csv_cells(raw)
        matches = [_CSV_COLUMN.match(cell) for cell in cells]
        if len(cells) > 1 and all(matches):
            columns = [(match["name"], match["unit"] or "") for match in matches if match is not None]
            continue
        if not columns or len(cells) != len(columns):
            continue
        row = dict(zip((name for name, _ in columns), cells, strict=True))
        entity = _row_entity(row, document)
        for (name, unit), cell in zip(columns, cells, strict=True):
            text = cell if not unit or cell.endswith(unit) else f"{cell} {unit}"
            if cell not in {"[N/A]", "N/A", "[Not Supported]"}:
                sheet.measure(snake(name), text, number, entity=entity)
    return sheet.facts


def _row_entity(row: dict[str, str], document: Document) -> EntityRef | None:
    name = (
        row.get("pci.bus_id")
        or row.get("gpu_bus_id")
        or row.get("index")
        or row.get("uuid")
        or row.get("gpu_uuid")
    )
    return gpu_entity(name, document) if name else document.entity
