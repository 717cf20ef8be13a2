"""Reads NVSwitch SXid lines and the detail lines that belong to them.

Format: open-gpu-kernel-modules, nvswitch error reporting: a headline (`Fatal, Link 48 …`), then `Severity … Engine
instance …` and `Data {…}` lines of the same event, which are counted as the headline, not again.
"""

import re

from firstfault.tools.catalogs.xids import SxidEntry, sxid_entries
from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.evidence import Document
from firstfault.tools.extract.drafts import Draft, family_of
from firstfault.tools.extract.speakers import Speaker
from firstfault.tools.extract.subjects import named
from firstfault.tools.kinds import Family
from firstfault.tools.signals import Value

_LINE = re.compile(
    r"(?:nvidia-nvswitch(?P<switch>\d+): )?SXid \((?:PCI:)?(?P<bdf>[0-9a-fA-F:.]+)\): (?P<code>\d{5})(?:, (?P<tail>.*)|\b)",
    re.ASCII,
)
_HEADLINE = re.compile(r"^(?P<class>Fatal|Non-fatal|Correctable)(?:, Link (?P<link>\d+))?(?P<text>.{0,120})")
_INSTANCE = re.compile(r"^Severity (?P<severity>\d+) Engine instance (?P<instance>\d+)")
_CLASS_OF_SEVERITY = {"0": "Non-fatal", "1": "Fatal", "2": "Correctable"}
"""NVSWITCH_ERROR_SEVERITY of open-gpu-kernel-modules."""
_LINK_BLOCKS = ("11", "12", "13", "14", "15", "16", "17", "19", "20", "24")
"""Leading digits of codes whose engine instance is the link number (port and link blocks of the switch)."""


class SxidReader:
    """Reads the SXid lines of one document in order: a data line belongs to the event before it."""

    def __init__(self) -> None:
        self._last_link: dict[tuple[str, int], int] = {}

    def parse(self, line: str, document: Document, speaker: Speaker) -> Draft | None:
        """Return what an SXid line says, or None when it holds none."""
        match = _LINE.search(line)
        if match is None:
            return None
        code, tail = int(match["code"]), match["tail"] or ""
        where = (match["bdf"], code)
        passing: dict[str, Value] = {}
        headline, instance = _HEADLINE.match(tail), _INSTANCE.match(tail)
        link: int | None = self._last_link.get(where)
        if headline is not None:
            link = int(headline["link"]) if headline["link"] else None
            passing = {"class": headline["class"], "text": headline["text"].strip(" ,")}
        elif instance is not None:
            link = int(instance["instance"]) if match["code"].startswith(_LINK_BLOCKS) else link
            passing = {"class": _CLASS_OF_SEVERITY.get(instance["severity"], "unknown")}
        elif not tail.startswith("Data {"):
            passing = {"text": tail[:120].strip()}
        if link is not None:
            self._last_link[where] = link
        attributes: dict[str, Value] = {} if link is None else {"link": link}
        if match["switch"]:
            attributes["switch"] = int(match["switch"])
        entity = named(EntityKind.NVSWITCH, match["bdf"], document, speaker)
        is_detail = instance is not None or tail.startswith("Data {")
        return sxid_draft(
            code, entity, family_of(document, Family.KERNEL), attributes, passing, is_detail=is_detail
        )


def sxid_draft(  # noqa: PLR0913 - one argument for each part of a draft
    code: int,
    entity: EntityRef,
    family: Family,
    attributes: dict[str, Value],
    passing: dict[str, Value] | None = None,
    *,
    is_detail: bool = False,
) -> Draft:
    """Return the draft of an SXid, with what the catalogue knows of its code."""
    entry = sxid_entries().get(code)
    return Draft(
        name=f"sxid.{code}",
        entity=entity,
        family=family,
        attributes={"sxid": code, **attributes},
        passing=passing or {},
        facts=_catalogue(entry) if entry is not None else {"in_catalogue": False},
        is_detail=is_detail,
        is_bound=True,
    )


def _catalogue(entry: SxidEntry) -> dict[str, Value]:
    facts: dict[str, Value] = {
        "mnemonic": entry.mnemonic,
        "meaning": entry.meaning,
        "layer": entry.layer,
        "first_suspect": entry.first_suspect,
        "guide_class": entry.guide_class,
    }
    facts.update({f"action_{who}": what for who, what in entry.says})
    if entry.notes:
        facts["notes"] = entry.notes
    return facts
