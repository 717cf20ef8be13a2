"""Space and memory: `df`, `df -i`, `free`, `mount`."""

import re
from collections.abc import Sequence

from firstfault.tools.evidence import Document
from firstfault.tools.readers.sheet import Sheet
from firstfault.tools.readers.signs import numbered, sign
from firstfault.tools.readings import Fact

_DF = re.compile(
    r"^(?P<source>\S+)\s+(?:(?P<type>[a-z]\w*)\s+)?(?P<size>[\d.]+[KMGTP]?i?B?)\s+(?P<used>[\d.]+[KMGTP]?i?B?)\s+(?P<free>[\d.]+[KMGTP]?i?B?)\s+"
    r"(?P<percent>\d+|-)%?\s+(?P<mount>/\S*)\s*$"
)
_DF_HEAD = re.compile(r"^Filesystem\s.*(?P<what>Avail\w*|IFree)\b")
_FREE_HEAD = re.compile(r"^\s+total\s+used\s+free\b")
_FREE = re.compile(r"^(?P<name>Mem|Swap):\s+(?P<cells>[\d.KMGTPi\sB]+)$")
_FREE_COLUMNS = ("total", "used", "free", "shared", "buff_cache", "available")
_MOUNT = re.compile(r"^(?P<source>\S+) on (?P<mount>/\S*) type (?P<type>\S+) \((?P<options>[^)]*)\)\s*$")
USAGE_SIGN = sign(
    r"^Filesystem\s+|^\S+\s+(?:[\d.]+[KMGTP]?i?B?\s+){3}\d+%\s+/|^\s+total\s+used\s+free\s|^\S+ on /\S* type \S+ \("
)
_FACTORS = {"": 1024.0, "B": 1.0, "K": 2.0**10, "M": 2.0**20, "G": 2.0**30, "T": 2.0**40, "P": 2.0**50}


def size_bytes(text: str) -> float | None:
    """Return a size of `df` or `free` in bytes (`94G`, `336K`; a bare number counts KiB), or None."""
    match = re.match(r"^(?P<number>[\d.]+)(?P<unit>[BKMGTP]?)i?B?$", text)
    try:
        return None if match is None else float(match["number"]) * _FACTORS[match["unit"]]
    except ValueError:
        return None


def usage_facts(document: Document) -> Sequence[Fact]:
    """Return `df.*` and `mount.*` per mount, `free.*` for memory and swap. Units: bytes, percent."""
    facts: list[Fact] = []
    for reader in (_df, _free, _mounts):
        facts += reader(document)
    return facts


def _df(document: Document) -> list[Fact]:
    sheet, prefix = Sheet(document, "df"), ""
    for number, raw in numbered(document):
        line = raw.rstrip("\r")
        head, match = _DF_HEAD.match(line), _DF.match(line)
        if head is not None:
            prefix = "inodes_" if head["what"] == "IFree" else ""
        elif match is not None:
            labels = {
                "mount": match["mount"],
                "source": match["source"],
                **({"type": match["type"]} if match["type"] else {}),
            }
            if match["percent"] != "-":
                sheet.add(f"{prefix}use_percent", int(match["percent"][:9]), number, labels=labels)
            for group, name in (("size", "size"), ("used", "used"), ("free", "free")):
                value = size_bytes(match[group])
                if value is not None:
                    sheet.add(
                        f"{prefix}{name}" if prefix else f"{name}_bytes",
                        value / 1024 if prefix else value,
                        number,
                        labels=labels,
                    )
    return sheet.facts


def _free(document: Document) -> list[Fact]:
    sheet, has_head = Sheet(document, "free"), False
    for number, raw in numbered(document):
        line = raw.rstrip("\r")
        match = _FREE.match(line) if has_head else None
        has_head = has_head or bool(_FREE_HEAD.match(line))
        if match is None:
            continue
        for name, cell in zip(_FREE_COLUMNS, match["cells"].split(), strict=False):
            value = size_bytes(cell)
            if value is not None:
                sheet.add(f"{match['name'].lower()}_{name}_bytes", value, number)
    return sheet.facts


def _mounts(document: Document) -> list[Fact]:
    sheet = Sheet(document, "mount")
    for number, raw in numbered(document):
        match = _MOUNT.match(raw.rstrip("\r"))
        if match is not None:
            labels = {
                "mount": match["mount"],
                "source": match["source"],
                "type": match["type"],
                "options": match["options"],
            }
            sheet.add("read_only", "ro" in match["options"].split(","), number, labels=labels)
    return sheet.facts
