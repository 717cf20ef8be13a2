"""Collects facts of one document, with numbers and units told apart."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from firstfault.tools.entities import EntityRef
from firstfault.tools.evidence import Document
from firstfault.tools.readings import Fact

Scalar = str | float | int | bool

_NUMBER = re.compile(r"^(?P<number>[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\s*(?P<unit>[A-Za-z%/ ]*)$")
_MAX_DIGITS = 30
_UNITS = {
    "": "", "C": "_c", "W": "_w", "%": "_percent", "MiB": "_mib", "GiB": "_gib", "KiB": "_kib", "MB": "_mb", "GB": "_gb",
    "kB": "_kb",
    "MHz": "_mhz", "GHz": "_ghz", "KB/s": "_kb_per_s", "MB/s": "_mb_per_s", "GB/s": "_gb_per_s", "s": "_s", "us": "_us",
    "ms": "_ms",
    "Gb/sec": "_gbit_per_s", "Gb/s": "_gbit_per_s", "Mb/s": "_mbit_per_s", "F": "_f", "V": "_v", "RPM": "_rpm",
    "seconds": "_s", "ppm": "_ppm",
}  # fmt: skip
_NOT_WORD = re.compile(r"[^a-z0-9]+")


def snake(text: str) -> str:
    """Return a heading as one lower-case word: `GPU Current Temp` becomes `gpu_current_temp`."""
    return _NOT_WORD.sub("_", text.lower()).strip("_")


def measured(text: str) -> tuple[Scalar, str]:
    """Return (value, suffix for the name) of a printed value: `33 C` gives (33, "_c"), `In Progress` itself."""
    word = text.strip()
    match = _NUMBER.match(word) if len(word) <= _MAX_DIGITS else None
    suffix = _UNITS.get(match["unit"].strip()) if match else None
    if match is None or suffix is None:
        return word, ""
    number = match["number"]
    return (int(number) if number.lstrip("+-").isdigit() else float(number)), suffix


@dataclass(slots=True)
class Sheet:
    """Facts being collected, all with one prefix. entity: what they are about until it is changed."""

    document: Document
    prefix: str
    entity: EntityRef | None = None
    facts: list[Fact] = field(default_factory=list[Fact])

    def add(
        self,
        name: str,
        value: Scalar,
        line: int,
        *,
        labels: Mapping[str, str] | None = None,
        entity: EntityRef | None = None,
    ) -> None:
        """Add `prefix.name` with `value` as it stands on `line`."""
        self.facts.append(
            Fact(
                name=f"{self.prefix}.{name}",
                value=value,
                document=self.document,
                line=line,
                entity=entity or self.entity or self.document.entity,
                labels=labels or {},
            )
        )

    def measure(
        self,
        name: str,
        text: str,
        line: int,
        *,
        labels: Mapping[str, str] | None = None,
        entity: EntityRef | None = None,
    ) -> None:
        """Add a printed value; its unit goes into the name, an empty one is left out."""
        value, suffix = measured(text)
        if value != "":
            self.add(name + suffix, value, line, labels=labels, entity=entity)
