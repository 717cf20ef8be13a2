"""Devices and modules: `lspci`, `lspci -vvv`, `lsmod`."""

import re
from collections.abc import Sequence

from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.evidence import Document
from firstfault.tools.readers.sheet import Sheet
from firstfault.tools.readers.signs import numbered, sign
from firstfault.tools.readings import Fact

_DEVICE = re.compile(
    r"^(?P<bdf>(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.\d) (?P<class>[A-Z0-9][\w /.-]*?)(?: \[[0-9a-f]{4}\])?: "
    r"(?P<name>.*?)(?: \(rev (?P<rev>[0-9a-f]{2})\))?\s*$"
)
_LINK = re.compile(
    r"^\s+Lnk(?P<which>Cap|Sta):\s.*?Speed (?P<speed>[\d.]+GT/s)(?: \((?P<speed_note>\w+)\))?, Width "
    r"(?P<width>x\d+)(?: \((?P<width_note>\w+)\))?"
)
_ERRORS = re.compile(r"^\s+(?P<which>UESta|CESta|DevSta):\s+(?P<flags>.*)$")
_RAISED = re.compile(r"\b(\w{1,30})\+")
_DRIVER = re.compile(r"^\s+Kernel driver in use: (?P<driver>\S+)")
_PRODUCT = re.compile(r"^\s+Product Name: (?P<name>.+?)\s*$")
_MODULE = re.compile(r"^(?P<name>\w+)\s+(?P<size>\d{3,})\s+(?P<users>-?\d+)(?:\s+(?P<by>[\w,-]+))?\s*$")
DEVICE_SIGN = sign(
    r"^(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.\d [A-Z0-9][\w /.-]+(?: \[[0-9a-f]{4}\])?: |^Module\s+Size\s+Used by|"
    r"^(?:nvidia\w*|ib_\w+|mlx\d\w*|gdrdrv|nv_peer_mem)\s+\d{3,}\s+-?\d+\b"
)
_DISPLAY = ("3D controller", "VGA compatible controller", "Display controller")
_ADAPTERS = ("Infiniband controller", "Ethernet controller", "Network controller")


def device_facts(document: Document) -> Sequence[Fact]:
    """Return `pci.*` per device (class, link speed and width, raised error bits, driver) and `lsmod.*` per module."""
    sheet = Sheet(document, "pci")
    for number, raw in numbered(document):
        line = raw.rstrip("\r")
        device = _DEVICE.match(line)
        if device is not None:
            sheet.entity = _entity(device, document)
            labels = {"class": device["class"], **({"rev": device["rev"]} if device["rev"] else {})}
            sheet.add("device", device["name"], number, labels=labels)
        elif sheet.entity is not None and line[:1] in {" ", "\t"}:
            _put_detail(sheet, line, number)
    return [*sheet.facts, *_modules(document)]


def _entity(device: re.Match[str], document: Document) -> EntityRef:
    kind = EntityKind.DEVICE
    if device["class"].startswith(_DISPLAY) and "NVIDIA" in device["name"]:
        kind = EntityKind.GPU
    elif device["class"].startswith(_ADAPTERS):
        kind = EntityKind.ADAPTER
    return EntityRef(kind=kind, name=device["bdf"], node=document.node)


def _put_detail(sheet: Sheet, line: str, number: int) -> None:
    link, errors = _LINK.match(line), _ERRORS.match(line)
    driver, product = _DRIVER.match(line), _PRODUCT.match(line)
    if link is not None:
        which = "max" if link["which"] == "Cap" else "current"
        for part in ("speed", "width"):
            note = link[f"{part}_note"]
            sheet.add(f"link_{part}_{which}", link[part], number, labels={"note": note} if note else {})
    elif errors is not None:
        raised = _RAISED.findall(errors["flags"])
        sheet.add(
            {"UESta": "uncorrectable", "CESta": "correctable", "DevSta": "device_status"}[errors["which"]],
            " ".join(raised),
            number,
        )
    elif driver is not None:
        sheet.add("driver", driver["driver"], number)
    elif product is not None:
        sheet.add("product", product["name"], number)


def _modules(document: Document) -> list[Fact]:
    sheet = Sheet(document, "lsmod")
    for number, raw in numbered(document):
        match = _MODULE.match(raw.rstrip("\r"))
        if match is not None:
            labels = {"module": match["name"], **({"by": match["by"]} if match["by"] else {})}
            sheet.add("users", int(match["users"][:9]), number, labels=labels)
    return sheet.facts
