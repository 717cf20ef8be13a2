"""What one line says, before repeats are folded and evidence is cut."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from firstfault.tools.entities import EntityRef
from firstfault.tools.evidence import Document
from firstfault.tools.kinds import FAMILY_OF_KIND, Family, Kind
from firstfault.tools.signals import Value

_LONGEST_INT = 15
_INT = re.compile(r"^-?(?:0|[1-9]\d*)$")
_DECIMAL = re.compile(r"^-?\d+\.\d+$")

_COPIED_KINDS = frozenset(
    {
        Kind.KERNEL_LOG, Kind.SYSLOG, Kind.JOURNAL, Kind.PLAIN, Kind.HOST_TOOL, Kind.CONTAINER_LOG, Kind.APPLICATION_LOG,
        Kind.KUBELET_LOG, Kind.RUNTIME_LOG, Kind.FABRIC_MANAGER_LOG, Kind.NVIDIA_SMI, Kind.IBSTAT,
    }
)  # fmt: skip
"""Kinds in which a line counts towards the family of who printed it, not of where it was copied to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One signal of one line. `attributes` make repeats the same; `passing` differ from repeat to repeat.

    facts: what catalogues say about it; they follow from the name and are not compared.
    is_detail: a further line of an event that is already counted. is_bound: what it says depends on lines around it.
    """

    name: str
    entity: EntityRef
    family: Family
    attributes: Mapping[str, Value] = field(default_factory=dict[str, Value])
    passing: Mapping[str, Value] = field(default_factory=dict[str, Value])
    facts: Mapping[str, Value] = field(default_factory=dict[str, Value])
    is_detail: bool = False
    is_bound: bool = False

    @property
    def key(self) -> tuple[object, ...]:
        """Return what repeats have in common."""
        return (self.name, self.entity.key, tuple(self.attributes.items()))

    @property
    def all_attributes(self) -> dict[str, Value]:
        """Return every attribute, parsed ones first."""
        return {**self.attributes, **self.passing, **self.facts}


def value_of(text: str) -> Value:
    """Return a number when `text` is one as people count, else the text itself (leading zeros are names)."""
    if len(text) <= _LONGEST_INT and _INT.match(text):
        return int(text)
    return float(text) if len(text) <= _LONGEST_INT and _DECIMAL.match(text) else text


def family_of(document: Document, said: Family | None) -> Family:
    """Return the family that a line of `document` counts towards, when its printer is of family `said`.

    What people paste stays a note; what a controller or the API repeats stays its statement.
    """
    own = FAMILY_OF_KIND[document.kind]
    return said if said is not None and document.kind in _COPIED_KINDS else own
