"""Tables of `kubectl get`, `kubectl get events` and `kubectl top`, with or without the command that made them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.readers.columns import cells_of, columns_of
from firstfault.tools.readers.kube.event_lines import listed_events
from firstfault.tools.readers.kube.kinds import kind_of_word
from firstfault.tools.readers.kube.objects import kind_of_path
from firstfault.tools.readers.kube.rows import kind_of_columns, row_object
from firstfault.tools.readers.kube.usage import usage_facts
from firstfault.tools.readings import Fact, KubeEvent, KubeObject, Reading

_HEADER = re.compile(
    r"^\s*(?:NAMESPACE|NAME|POD|NODE|LAST ?SEEN|FIRST ?SEEN|KIND|TYPE|CLUSTER)(?:\s{2,}|\t)\S"
)
_LONE = re.compile(r"^\s*NAME\s*$")
_COMMAND = re.compile(
    r"^\s*(?:\S*[$#>]\s*)?(?:\w+=\S+\s+)*(?:kubectl|oc|k)\s+(?:\S+\s+)*?(?:get|top|describe|events)\b(?P<rest>.*)$"
)
_NAMESPACE = re.compile(r"(?:-n|--namespace)[ =](\S+)")
_NOISE = re.compile(
    r"^\s*(?:No resources found|error:|Error from server|Unable to connect|Warning:|The connection to the server)"
)

_TYPED = {
    "READY": re.compile(r"^(?:\d+(?:/\d+)?|True|False|Unknown|<\w+>|\.\.\.)$"),
    "RESTARTS": re.compile(r"^(?:\d|<\w+>|\.\.\.)"),
    "AGE": re.compile(r"^(?:(?:\d+[smhdy])+|<\w+>|\.\.\.)"),
}
"""What cells of these columns look like in any `kubectl get`."""


@dataclass(slots=True, kw_only=True)
class Command:
    """What the command above a table says about it."""

    kind: str = ""
    namespace: str | None = None


@dataclass(slots=True, kw_only=True)
class Table:
    """A header line, the rows below it, and the command above it."""

    header: str
    first: int
    end: int
    command: Command


def table_reading(document: Document, context: ReadContext) -> Reading:
    """Return the objects, events and usage facts of all tables in `document`."""
    objects: list[KubeObject] = []
    events: list[KubeEvent] = []
    facts: list[Fact] = []
    for table in tables(document):
        columns = columns_of(table.header)
        titles = {column.title.upper().replace(" ", "") for column in columns}
        namespace = table.command.namespace or document.labels.get("namespace")
        if {"TYPE", "REASON"} <= titles:
            events += listed_events(document, context, range(table.first, table.end), table.header, namespace)
            continue
        for number in range(table.first, table.end):
            row = document.lines[number - 1].rstrip("\r")
            if not row.strip() or _NOISE.match(row):
                continue
            cells = cells_of(row, columns)
            if not is_row(cells):
                continue
            if any(title.startswith(("CPU(", "MEMORY(")) for title in titles):
                facts += usage_facts(cells, document, number, namespace)
                continue
            kind = table.command.kind or kind_of_columns(titles) or kind_of_path(document.path)
            found = row_object(kind, cells, document, number, namespace)
            if found is not None:
                objects.append(found)
    return Reading(objects=tuple(objects), events=tuple(events), facts=tuple(facts))


def is_row(cells: Mapping[str, str]) -> bool:
    """Return whether the cells hold what their columns may hold: below a table people paste other things."""
    upper = {title.upper().replace(" ", ""): cell for title, cell in cells.items()}
    return all(pattern.match(upper[title]) for title, pattern in _TYPED.items() if title in upper)


def is_header(line: str) -> bool:
    """Return whether `line` is the header of a `kubectl` table."""
    return (
        bool(_HEADER.match(line)) and all(_is_title(column.title) for column in columns_of(line))
    ) or bool(_LONE.match(line))


def _is_title(title: str) -> bool:
    head = title.partition("(")[0]
    return head == head.upper() and any(character.isalpha() for character in head)


def tables(document: Document) -> Iterator[Table]:
    """Yield the tables of a text: each header with the rows down to a blank line, a command or the next header."""
    command = Command()
    header, first = "", 0
    for number, raw in enumerate([*document.lines, ""], start=1):
        line = raw.rstrip("\r")
        found = _command(line)
        if header and (found is not None or not line.strip() or is_header(line)):
            yield Table(header=header, first=first, end=number, command=command)
            header = ""
        if found is not None:
            command = found
        elif is_header(line):
            header, first = line, number + 1


def _command(line: str) -> Command | None:
    match = _COMMAND.match(line)
    if match is None:
        return None
    words = [word for word in match["rest"].split("|")[0].split() if not word.startswith("-")]
    kind = (
        kind_of_word(words[0].partition("/")[0].partition(",")[0]) if words and "," not in words[0] else None
    )
    namespace = _NAMESPACE.search(line)
    return Command(kind=kind or "", namespace=namespace[1] if namespace else None)
