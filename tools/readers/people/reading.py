"""Chooses between the forms in which people's words are kept."""

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.readers.json_text import json_values
from firstfault.tools.readers.people.chats import chat_notes, is_chat
from firstfault.tools.readers.people.plain import text_notes, yaml_notes
from firstfault.tools.readings import Reading

_YAML_SUFFIXES = (".yaml", ".yml")


def notes_reading(document: Document, context: ReadContext) -> Reading:
    """Return one note per statement; nested lines carry the headings above them."""
    if document.text.lstrip("\ufeff \t\r\n")[:1] in {"{", "["}:
        nodes = [value.node for value in json_values(document.text)]
        if nodes and all(is_chat(node) for node in nodes):
            return Reading(
                notes=tuple(note for node in nodes for note in chat_notes(node, document, context))
            )
    reader = yaml_notes if document.path.endswith(_YAML_SUFFIXES) or _looks_nested(document) else text_notes
    return Reading(notes=tuple(reader(document, context)))


def _looks_nested(document: Document) -> bool:
    """Notes in YAML keep their shape when the file is renamed: headings with lines indented below them."""
    lines = [line for line in document.lines if line.strip() and not line.lstrip().startswith("#")]
    headings = [
        index
        for index, line in enumerate(lines[:-1])
        if line.rstrip().endswith(":") and not line.startswith(" ")
    ]
    return any(lines[index + 1][:1] in {" ", "-"} for index in headings)
