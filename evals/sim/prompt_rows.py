"""The tables of a deliberation prompt read back, as a model would read them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

_HEADS = (
    "INCIDENT",
    "HYPOTHESES",
    "SIGNALS",
    "MEANINGS",
    "UNEXPLAINED",
    "DOCUMENTS",
    "ENTITIES",
    "NOT SEEN",
    "READS",
)
_HYPOTHESIS_CELLS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row with evidence: its short name, the cells between, and the text at the end."""

    name: str
    cells: tuple[str, ...]
    text: str


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """What a model is shown, by section."""

    sections: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    @property
    def signals(self) -> list[Row]:
        """Return the signal table: time, entity, signal, role, values, place and text."""
        return _rows(self.sections.get("SIGNALS", []), 8)

    @property
    def unexplained(self) -> list[Row]:
        """Return the lines that no signal cites."""
        return _rows(self.sections.get("UNEXPLAINED", []), 3)

    @property
    def read_rows(self) -> list[Row]:
        """Return the rows of results of reads."""
        return _rows(self.sections.get("READS", []), 3)

    @property
    def hypotheses(self) -> list[list[str]]:
        """Return class, standing, reason and evidence names."""
        rows = [line.split(" | ") for line in self.sections.get("HYPOTHESES", [])]
        return [row for row in rows if len(row) == _HYPOTHESIS_CELLS]

    @property
    def entities(self) -> list[str]:
        """Return what reads may be about."""
        return [
            name.strip()
            for line in self.sections.get("ENTITIES", [])
            for name in line.split(",")
            if "/" in name
        ]

    @property
    def documents(self) -> list[str]:
        """Return the paths of documents."""
        return [line.split(" | ")[0] for line in self.sections.get("DOCUMENTS", [])]

    @property
    def not_seen(self) -> list[str]:
        """Return the names of sources that were not had."""
        return [line.split(" | ")[0] for line in self.sections.get("NOT SEEN", [])]

    @property
    def has_read(self) -> bool:
        """Return whether results of reads are shown."""
        return "READS" in self.sections


def parse_prompt(text: str) -> Prompt:
    """Return the sections of a prompt."""
    sections: dict[str, list[str]] = {}
    current = ""
    for line in text.splitlines():
        head = next((h for h in _HEADS if line.startswith(h)), None)
        if head is not None:
            current = head
            sections.setdefault(current, [])
        elif line.strip() and not line.startswith(("<data", "</data")):
            sections.setdefault(current, []).append(line)
    return Prompt(sections=sections)


def _rows(lines: Sequence[str], cells: int) -> list[Row]:
    found: list[Row] = []
    texts: dict[str, str] = {}
    for line in lines:
        parts = line.split(" | ", cells - 1)
        if len(parts) == cells and parts[0].startswith("E"):
            text = texts.setdefault(parts[0], parts[-1])
            found.append(Row(name=parts[0], cells=tuple(parts[1:-1]), text=text))
    return found
