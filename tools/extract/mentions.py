"""Reads codes that somebody or something mentions: health monitors, device plugins, node conditions, alerts, notes."""

import re
from collections.abc import Iterator

from firstfault.tools.catalogs.xids import MAX_XID, sxid_entries, xid_entries
from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.evidence import Document
from firstfault.tools.extract.drafts import Draft, family_of
from firstfault.tools.extract.speakers import Speaker
from firstfault.tools.extract.subjects import default_subject, machine
from firstfault.tools.extract.sxid import sxid_draft
from firstfault.tools.extract.xid import nvlink5_fields, xid_draft
from firstfault.tools.kinds import Family
from firstfault.tools.signals import Value

_NUMBER = re.compile(r"\d+")
_NEGATED_BEFORE = re.compile(
    r"(?i)(?<![\w.-])(?:no|not|never|without|neither|nor|zero|0)(?![\w.-])[^.;:,]{0,16}$"
)
"""A comma ends what is denied, and a zero inside a version denies nothing."""
_NEGATED_AFTER = re.compile(
    r"(?i)^[\"']?(?:\s*[:=]\s*[\"']?(?:0|no|none|false)\b(?![.%])"
    r"|\s+(?:was|were|is|are|has)?\s*(?:not|never)\b|\s+(?:absent|not seen))"
)
_BDF = re.compile(
    r"(?<![0-9a-fA-F:])(?:[0-9a-fA-F]{4,8}:)[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-9a-fA-F])?(?![0-9a-fA-F:])",
    re.ASCII,
)
_UUID = re.compile(r"\bGPU-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{4,12}\b")
_INDEX = re.compile(r"(?i)\bgpu(?:[ _]?(?:id|index))?[\"']?[ :=#]{1,3}(\d{1,2})\b", re.ASCII)
_NODE = re.compile(
    r"(?i)\b(?:node|host(?:name)?|machine|server|worker|instance)[\"']?[ :=]{1,3}[\"'`]?(?P<name>[A-Za-z][\w.-]*\d[\w.-]*)",
    re.ASCII,
)
_SWITCH = re.compile(
    r"(?i)(?<!nv)\b(?:switch|leaf|spine|tor)[\"']?[ :=]{1,3}[\"'`]?(?P<name>[A-Za-z][\w.-]*\d[\w-]*|\d+)|"
    r"\b(?P<name2>(?:[\w]+-)*(?:leaf|spine|switch|sw|tor)-?[\w-]*\d[\w-]*)",
    re.ASCII,
)
_LINK = re.compile(r"(?i)\blink[ :=#]{1,3}(\d{1,2})\b", re.ASCII)


def mentions(
    match: re.Match[str], document: Document, speaker: Speaker, *, is_switch: bool
) -> Iterator[Draft]:
    """Return a draft for every code that the match of a mention names and the line does not deny."""
    line = match.string
    if " (PCI:" in line and "Xid (" in line:
        return
    if is_denied(match):
        return
    for code in dict.fromkeys(int(number) for number in _NUMBER.findall(match["codes"])):
        is_known = code in sxid_entries() if is_switch else 0 < code <= MAX_XID
        if is_known:
            yield _draft(code, line, document, speaker, is_switch=is_switch)


def is_denied(match: re.Match[str]) -> bool:
    """Return whether the words around a match say that it was not so: `no …`, `was not …`, `…: 0`, `… was not seen`."""
    line = match.string
    before = line[max(0, match.start() - 40) : match.start()]
    return bool(_NEGATED_BEFORE.search(before) or _NEGATED_AFTER.match(line[match.end() :]))


def stated_machine(*lines: str) -> EntityRef | None:
    """Return the machine that the first line naming one names (`node: gpu-7`), or None."""
    found = next((match for line in lines if (match := _NODE.search(line)) is not None), None)
    return None if found is None else EntityRef(kind=EntityKind.NODE, name=found["name"])


def stated_switch(*lines: str) -> EntityRef | None:
    """Return the switch that the first line naming one names (`leaf switch ib-leaf-12`), or None."""
    found = next((match for line in lines if (match := _SWITCH.search(line)) is not None), None)
    return None if found is None else EntityRef(kind=EntityKind.SWITCH, name=found["name"] or found["name2"])


def _draft(code: int, line: str, document: Document, speaker: Speaker, *, is_switch: bool) -> Draft:
    link = _LINK.search(line)
    attributes: dict[str, Value] = {"mentioned": True}
    if link is not None:
        attributes["link"] = int(link[1])
    family = family_of(document, None)
    if is_switch:
        return sxid_draft(code, _place(line, document, speaker, EntityKind.NVSWITCH), family, attributes)
    attributes.update(nvlink5_fields(code, line, None))
    if code not in xid_entries():
        attributes["in_catalogue"] = False
    return xid_draft(
        code, _place(line, document, speaker, EntityKind.GPU), _for_xid(document, family), attributes
    )


def _for_xid(document: Document, family: Family) -> Family:
    """Return the family of a mention: what repeats a kernel line is no second witness of it."""
    return family_of(document, Family.RUNTIME) if family is Family.APPLICATION else family


def _place(line: str, document: Document, speaker: Speaker, kind: EntityKind) -> EntityRef:
    """Return the device that the line names, else its node, else what the document is about."""
    named_node = _NODE.search(line)
    node = named_node["name"] if named_node else machine(document, speaker)
    for pattern in (_BDF, _UUID) if kind is EntityKind.GPU else (_BDF,):
        found = pattern.search(line)
        if found is not None:
            return EntityRef(kind=kind, name=found[0], node=node)
    index = _INDEX.search(line) if kind is EntityKind.GPU else None
    if index is not None:
        return EntityRef(kind=kind, name=index[1], node=node)
    return EntityRef(kind=EntityKind.NODE, name=node) if node else default_subject(document, speaker)
