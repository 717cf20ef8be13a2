"""Parses YAML with the line of every value; a document that breaks is kept apart from those that do not."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from firstfault.tools.readers.located import MAX_DEPTH, Node
from firstfault.tools.readings import Json

MAX_YAML_BYTES = 16 * 1024 * 1024
_MAX_REPEATS = 2_000
"""Aliases can make a small text huge; no real document repeats more of its parts."""
_SEPARATOR = re.compile(r"^---(?:[ \t][^\n]*)?$", re.MULTILINE)
_OTHER_BREAKS = re.compile("\r(?!\n)|[\x85\u2028\u2029]")
"""What ends a line for YAML and not for us; read as a space, so that both count the same lines."""
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INT = re.compile(r"[-+]?\d{1,300}")
_TAG = "tag:yaml.org,2002:"
_TRUE = frozenset({"true", "yes", "on"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedYaml:
    """One document, or why it could not be parsed."""

    node: Node | None
    first_line: int
    problem: str | None = None


def yaml_documents(text: str, first_line: int = 1) -> Iterator[ParsedYaml]:
    """Yield the documents of `text` one by one. Never raises. first_line: the number of its first line."""
    starts = [0, *(match.end() for match in _SEPARATOR.finditer(text))]
    ends = [*(match.start() for match in _SEPARATOR.finditer(text)), len(text)]
    line, position = first_line, 0
    for start, end in zip(starts, ends, strict=True):
        line += text.count("\n", position, start)
        position = start
        if text[start:end].strip():
            yield _document(text[start:end], line)


def _document(text: str, first_line: int) -> ParsedYaml:
    if len(text) > MAX_YAML_BYTES:
        return ParsedYaml(
            node=None, first_line=first_line, problem=f"the YAML at line {first_line} is too large to parse"
        )
    try:
        composed = yaml.compose(_OTHER_BREAKS.sub(" ", text), Loader=_LOADER)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = first_line + (mark.line if mark is not None else 0)
        return ParsedYaml(node=None, first_line=first_line, problem=f"the YAML breaks at line {line}")
    if composed is None:
        return ParsedYaml(node=None, first_line=first_line)
    builder = _Builder(first_line)
    node = builder.node(composed, 0)
    problem = "the YAML repeats itself through aliases; it was cut" if builder.is_full else None
    return ParsedYaml(node=node, first_line=first_line, problem=problem)


class _Builder:
    def __init__(self, first_line: int) -> None:
        self._first_line = first_line
        self._seen: set[int] = set()
        self._repeats_left = _MAX_REPEATS

    @property
    def is_full(self) -> bool:
        return self._repeats_left <= 0

    def node(self, source: yaml.Node, depth: int) -> Node:
        self._count(source)
        line = self._first_line + source.start_mark.line
        if self.is_full or depth > MAX_DEPTH:
            return Node(line)
        if isinstance(source, yaml.MappingNode):
            return self._mapping(source, line, depth)
        if isinstance(source, yaml.SequenceNode):
            return Node(line, elements=[self.node(item, depth + 1) for item in source.value])
        return Node(line, value=_scalar(source))

    def _count(self, source: yaml.Node) -> None:
        if isinstance(source, yaml.CollectionNode):
            self._repeats_left -= id(source) in self._seen
            self._seen.add(id(source))

    def _mapping(self, source: yaml.MappingNode, line: int, depth: int) -> Node:
        keys: dict[str, Node] = {}
        for key, item in source.value:
            child = self.node(item, depth + 1)
            child.line = self._first_line + key.start_mark.line
            keys[str(key.value) if isinstance(key, yaml.ScalarNode) else f"?{len(keys)}"] = child
        return Node(line, keys=keys)


def _scalar(source: yaml.Node) -> Json:
    text = str(source.value)
    tag = source.tag.removeprefix(_TAG)
    if tag == "null":
        return None
    if tag == "bool":
        return text.lower() in _TRUE
    if tag == "int" and _INT.fullmatch(text):
        return int(text)
    if tag == "float":
        return _float(text)
    return text


def _float(text: str) -> Json:
    try:
        return float(text)
    except ValueError:
        return text
