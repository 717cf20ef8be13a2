"""The formats that are recognised, from `formats.csv`: kind, how it is recognised, what it yields, an example."""

import csv
import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files

from firstfault.tools.kinds import Kind


class Strength(StrEnum):
    """How a format is recognised."""

    SIGN = "sign"
    """One line is enough: nothing else prints it."""
    LINE = "line"
    """Lines look alike in several kinds: most of them must look so."""
    JSON = "json"
    """By the shape of the JSON value."""
    PROSE = "prose"
    """By sentences."""
    NONE = "none"
    """What is left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One recognised format; pattern is searched in single lines (SIGN, LINE) or names a JSON shape."""

    kind: Kind
    name: str
    strength: Strength
    pattern: re.Pattern[str]
    yields: str
    example: str


@cache
def formats() -> tuple[Format, ...]:
    """Return every format, in the order of the table."""
    text = files("firstfault.tools.recording.sniffing").joinpath("formats.csv").read_text(encoding="utf-8")
    return tuple(
        Format(
            kind=Kind(row["kind"]),
            name=row["format"],
            strength=Strength(row["strength"]),
            pattern=re.compile(row["pattern"], re.ASCII),
            yields=row["yields"],
            example=row["example"],
        )
        for row in csv.DictReader(text.splitlines())
    )
