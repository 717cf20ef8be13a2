"""Sentences of class definitions with the names that evidence gives them; what has no name is called by its kind. Pure.

A headline is the first thing that an on-call reads: `unknown was killed at its memory limit` helps nobody.
"""

import re
from collections.abc import Mapping, Sequence

from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.signals import Signal

_BLANK = re.compile(
    r"(?P<open> ?\()?(?:(?P<noun>Network port|Network adapter|Disk or controller|NVLink|NVSwitch|GPU|node|Node|service|Service"
    r"|switch|webhook|Webhook|quota|Quota|claim|Claim) )?\{(?P<field>\w+)\}(?P<close>\))?"
)
"""A blank with the noun that introduces it, and the brackets that hold nothing else."""
_UNNAMED = frozenset({"", "unknown", "?"})

_KIND_OF_NOUN = {
    "gpu": EntityKind.GPU,
    "nvlink": EntityKind.NVLINK,
    "nvswitch": EntityKind.NVSWITCH,
    "network port": EntityKind.PORT,
    "network adapter": EntityKind.ADAPTER,
    "disk or controller": EntityKind.DEVICE,
    "node": EntityKind.NODE,
}
"""Nouns that name a part of a machine: a machine's name after them would be read as the part's."""
_BY_LAYER = {
    "gpu": "a GPU",
    "nvlink": "a GPU",
    "network": "a host",
    "host": "a host",
    "storage": "a host",
    "driver": "a host",
    "application": "the program",
    "kubernetes": "a workload",
}
"""What a thing without a name is called where no noun stands before it."""
_BY_FIELD = {
    "target": "what the program calls",
    "user": "an account",
    "pod": "a pod",
    "module": "of the driver",
    "resource": "of what is asked for",
    "quota": "of the namespace",
    "component": "a part",
    "probe": "",
}
"""What an attribute that no signal has is called."""
_NAMES = frozenset({"GPU", "NVLink", "NVSwitch"})
_AN = re.compile(r"^(?:[aeio]|nv)", re.IGNORECASE)


def fill(
    template: str, signals: Sequence[Signal], *, culprit: EntityRef | None = None, layer: str = ""
) -> str:
    """Return `template` with `{entity}` and attributes of the signals filled in.

    culprit: what is at fault; its name is taken where the signals name nothing, or another thing of the same kind.
    layer: of the class, to say `a GPU` or `the program` where nothing has a name.
    """
    values = _values(signals)
    entity = _subject(signals, culprit)

    def put(blank: re.Match[str]) -> str:
        field, noun = blank["field"], blank["noun"]
        name = None
        if field == "entity" and entity is not None:
            name = _named(entity, noun)
        elif field in values:
            name = f"{noun} {values[field]}" if noun else str(values[field])
        if name is None and blank["open"] and blank["close"]:
            return ""
        said = name or _nameless(field, noun, layer)
        is_first = blank.start() == 0 and (layer or (noun or "")[:1].isupper())
        return f"{blank['open'] or ''}{said if name or not is_first else capital(said)}{blank['close'] or ''}"

    return re.sub(r" {2,}", " ", _BLANK.sub(put, template)).strip()


def _values(signals: Sequence[Signal]) -> Mapping[str, object]:
    values: dict[str, object] = {}
    for signal in reversed(signals):
        values |= {key: value for key, value in signal.attributes.items() if str(value) not in _UNNAMED}
    if signals:
        values["signal"] = signals[0].name
        values["count"] = sum(signal.count for signal in signals)
    return values


def _subject(signals: Sequence[Signal], culprit: EntityRef | None) -> EntityRef | None:
    """Return what the sentence is about, None where it has no name."""
    first = signals[0].entity if signals else None
    if first is None or first.name in _UNNAMED:
        return culprit if culprit is not None and culprit.name not in _UNNAMED else None
    return culprit if culprit is not None and culprit.kind is first.kind else first


def _named(entity: EntityRef, noun: str | None) -> str:
    """Return the name with its noun; a part whose machine alone is known is `a GPU of node n1`."""
    if noun is None:
        return (
            f"GPU {entity.name}" if entity.kind is EntityKind.GPU and entity.name.isdigit() else entity.name
        )
    is_machine = entity.kind is EntityKind.NODE
    if is_machine and _KIND_OF_NOUN.get(noun.lower(), entity.kind) is not entity.kind:
        phrase = indefinite(noun)
        return (
            f"{capital(phrase) if noun[0].isupper() and noun not in _NAMES else phrase} of node {entity.name}"
        )
    return f"{noun} {entity.name}"


def _nameless(field: str, noun: str | None, layer: str) -> str:
    """Return what a thing without a name is called."""
    if noun is not None:
        return indefinite(noun)
    return _BY_LAYER.get(layer, "something") if field == "entity" else _BY_FIELD.get(field, "…")


def indefinite(noun: str) -> str:
    """Return `a GPU`, `an NVLink`, `a network port`."""
    lower = noun if noun in _NAMES else noun.lower()
    return f"{'an' if _AN.match(lower) else 'a'} {lower}"


def capital(text: str) -> str:
    """Return `text` with a capital letter at its start."""
    return text[:1].upper() + text[1:]
