"""The signatures of log lines: which line means which signal, about what, and who says so.

All tables named `log_patterns*.csv` are loaded, and `note_patterns*.csv` for what only people write. Columns:

    id                      unique over all tables
    source_log              where the line is printed; decides the family when `family` is empty
    pattern                 a Python regular expression (ASCII classes), searched in one line
    meaning … verified_on   what it says, in our words; typical owner; how far the pattern was checked
                            (repository and file: the fixed words stand there)
    signal                  dotted name; `{group}` takes the value of a named group, in lower case (`xid.{xid}`)
    entity                  `kind:group …`: the first group that matched names the entity, of that kind
    applies_to              kinds of document it is looked for in; empty means all
    family                  family of evidence, when it is neither that of the document nor that of `source_log`
    look_back               searched in the few lines above for groups that the line itself lacks
    example                 one line that must match; counter_example: a near miss that must not
"""

import re
from dataclasses import dataclass
from functools import cache

from firstfault.tools.catalogs.tables import CatalogueError, Row, read_table, table_names
from firstfault.tools.entities import EntityKind
from firstfault.tools.kinds import Family, Kind

REQUIRED = ("id", "pattern", "meaning", "signal", "example")
"""Columns without which a row is refused."""

_FAMILY_OF_SOURCE = (
    ("kernel (dmesg", Family.KERNEL),
    ("/var/log/fabricmanager", Family.FABRIC),
    ("/var/log/nvidia-imex", Family.FABRIC),
    ("OpenSM", Family.FABRIC),
    ("switch syslog", Family.FABRIC),
    ("nvidia-smi", Family.DEVICE),
    ("DCGM", Family.DEVICE),
    ("NCCL", Family.APPLICATION),
    ("ncclras", Family.APPLICATION),
    ("containerd", Family.RUNTIME),
    ("kubelet", Family.RUNTIME),
    ("device plugin", Family.RUNTIME),
    ("control plane", Family.CONTROL_PLANE),
    ("slurm", Family.CONTROL_PLANE),
)
"""The family that a line counts towards wherever it was copied to; lines that anyone may print are not listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """One row of a pattern table, compiled."""

    id: str
    regex: re.Pattern[str]
    signal: str
    meaning: str
    layer: str = ""
    role: str = ""
    owner: str = ""
    notes: str = ""
    source_log: str = ""
    verified_on: str = ""
    entity: tuple[tuple[EntityKind, str], ...] = ()
    applies_to: frozenset[Kind] = frozenset()
    family: Family | None = None
    look_back: re.Pattern[str] | None = None
    example: str = ""
    counter_example: str = ""
    table: str = ""

    def applies(self, kind: Kind) -> bool:
        """Return whether the pattern is looked for in documents of `kind`."""
        return not self.applies_to or kind in self.applies_to


@cache
def all_patterns() -> tuple[Pattern, ...]:
    """Return every pattern of every table, in a fixed order.

    Raises CatalogueError, naming table and row, when a row cannot be used.
    """
    found: list[Pattern] = []
    for name in (*table_names("log_patterns*.csv"), *table_names("note_patterns*.csv")):
        default = frozenset({Kind.OPERATOR_NOTES}) if name.startswith("note_") else frozenset[Kind]()
        found.extend(_pattern(row, name, default) for row in read_table(name))
    seen: set[str] = set()
    for pattern in found:
        if pattern.id in seen:
            msg = f"`{pattern.table}`: the id `{pattern.id}` is used twice"
            raise CatalogueError(msg)
        seen.add(pattern.id)
    return tuple(found)


def _pattern(row: Row, table: str, default: frozenset[Kind]) -> Pattern:
    absent = [column for column in REQUIRED if not row.get(column)]
    where = f"`{table}` row `{row.get('id', '')}`"
    if absent:
        msg = f"{where}: the column `{absent[0]}` is empty"
        raise CatalogueError(msg)
    try:
        look_back = row.get("look_back", "")
        row["pattern"].encode("ascii")  # the engines compare bytes
        return Pattern(
            id=row["id"],
            regex=re.compile(row["pattern"], re.ASCII),
            signal=row["signal"],
            meaning=row["meaning"],
            layer=row.get("layer", ""),
            role=row.get("usually_cause_or_symptom", ""),
            owner=row.get("typical_owner", ""),
            notes=row.get("notes", ""),
            source_log=row.get("source_log", ""),
            verified_on=row.get("verified_on", ""),
            entity=tuple(_entity(word) for word in row.get("entity", "").split()),
            applies_to=frozenset(Kind(word) for word in row.get("applies_to", "").split()) or default,
            family=Family(row["family"]) if row.get("family") else _family_of(row.get("source_log", "")),
            look_back=re.compile(look_back, re.ASCII) if look_back else None,
            example=row["example"],
            counter_example=row.get("counter_example", ""),
            table=table,
        )
    except (re.error, ValueError) as problem:
        msg = f"{where}: {problem}"
        raise CatalogueError(msg) from problem


def _entity(word: str) -> tuple[EntityKind, str]:
    kind, _, group = word.partition(":")
    return EntityKind(kind), group


def _family_of(source_log: str) -> Family | None:
    if " / " in source_log and source_log.startswith("job"):
        return None
    return next((family for start, family in _FAMILY_OF_SOURCE if source_log.startswith(start)), None)
