"""Reads manifests that stand among other output: below a prompt, between tables, in a fenced block of a note."""

import re
from collections.abc import Iterator, Sequence

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.readers.json_text import parse_json
from firstfault.tools.readers.kube.objects import reading_of_nodes
from firstfault.tools.readers.located import Node
from firstfault.tools.readers.yaml_text import yaml_documents
from firstfault.tools.readings import Reading

_YAML_START = re.compile(r"^apiVersion:\s+\S")
_YAML_LINE = re.compile(r"^(?:\s|#|- |---|[\w.\"'/-]+:(?:\s|$))")
_JSON_START = re.compile(r"^\{\s*(?:\"|$)")
_JSON_SIGN = re.compile(r"\"(?:apiVersion|kind)\"\s*:")
_SIGN_LINES = 3
_MOST = 200
"""Manifests read from one document; nobody pastes more by hand."""
_LONGEST_LINES = 20_000


def pasted_reading(document: Document, context: ReadContext) -> Reading:
    """Return the objects and events in the manifests that `document` holds among other text."""
    return reading_of_nodes(list(_nodes(document.lines)), document, context)


def _nodes(lines: Sequence[str]) -> Iterator[Node]:
    number, found = 0, 0
    while number < len(lines) and found < _MOST:
        if _YAML_START.match(lines[number]):
            end = _end_of_yaml(lines, number)
            parsed = yaml_documents("\n".join(lines[number:end]), number + 1)
            yield from (item.node for item in parsed if item.node is not None)
        elif _is_json(lines, number):
            end, node = _json(lines, number)
            if node is not None:
                yield node
        else:
            number += 1
            continue
        number, found = end, found + 1


def _end_of_yaml(lines: Sequence[str], start: int) -> int:
    """Return the index of the first line that is no part of the manifest: a prompt, a fence, a table, a sentence."""
    end = start + 1
    while end < len(lines) and (not lines[end].strip() or _YAML_LINE.match(lines[end])):
        if lines[end].startswith("Name:  ") or _YAML_START.match(lines[end]):
            break
        end += 1
    return end


def _is_json(lines: Sequence[str], number: int) -> bool:
    return bool(_JSON_START.match(lines[number])) and any(
        _JSON_SIGN.search(line) for line in lines[number : number + _SIGN_LINES]
    )


def _json(lines: Sequence[str], start: int) -> tuple[int, Node | None]:
    text = "\n".join(lines[start : start + _LONGEST_LINES])
    parsed = parse_json(text, 0, start + 1)
    if parsed is None:
        return start + 1, None
    return start + max(1, text.count("\n", 0, parsed.end)), parsed.node
