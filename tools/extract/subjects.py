"""Decides what a signal is about: the thing its line names, else who speaks, else what the document is about."""

from collections.abc import Mapping

from firstfault.tools.catalogs.patterns import Pattern
from firstfault.tools.entities import PER_NODE_KINDS, UNKNOWN_ENTITY, EntityKind, EntityRef
from firstfault.tools.evidence import Document
from firstfault.tools.extract.speakers import Speaker

_MACHINE_KINDS = frozenset({EntityKind.NODE, *PER_NODE_KINDS})


def machine(document: Document, speaker: Speaker) -> str | None:
    """Return the node a line is from: what the document was taken from, else the host that the line names."""
    if document.node:
        return document.node
    if document.entity is not None and document.entity.kind is EntityKind.NODE:
        return document.entity.name
    return None if speaker.is_worker and "pod" in document.labels else speaker.host


def subject(pattern: Pattern, groups: Mapping[str, str], document: Document, speaker: Speaker) -> EntityRef:
    """Return the entity of a match: the first named group that says it, else `default_subject`."""
    for kind, group in pattern.entity:
        name = groups.get(group)
        if name:
            return named(kind, name, document, speaker)
    return default_subject(document, speaker)


def named(kind: EntityKind, name: str, document: Document, speaker: Speaker) -> EntityRef:
    """Return the thing of that kind and name, on the machine of the line where names repeat per machine."""
    node = machine(document, speaker) if kind in _MACHINE_KINDS and kind is not EntityKind.NODE else None
    return EntityRef(kind=kind, name=name, node=node)


def default_subject(document: Document, speaker: Speaker) -> EntityRef:
    """Return who speaks: the rank, else what the document is about, else the host."""
    node = machine(document, speaker)
    if speaker.rank is not None:
        return EntityRef(kind=EntityKind.RANK, name=speaker.rank, node=node)
    if document.entity is not None:
        return document.entity
    return EntityRef(kind=EntityKind.NODE, name=node) if node else UNKNOWN_ENTITY
