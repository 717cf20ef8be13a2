"""Parses JSON with the line of every value; cut, commented or badly ended text yields what is there."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from firstfault.tools.readers.located import MAX_DEPTH, LineNode, Node
from firstfault.tools.readings import Json

_TOKEN = re.compile(
    r"""[\s,]*(?:
    (?P<string>"[^"\\]*(?:\\.[^"\\]*)*")
    |(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
    |(?P<word>true|false|null|NaN|-?Infinity)
    |(?P<mark>[{}\[\]:])
    )""",
    re.VERBOSE | re.DOTALL,
)
_SPACE = re.compile(r"[\s,]*")
_WORDS: dict[str, Json] = {
    "true": True,
    "false": False,
    "null": None,
    "NaN": None,
    "Infinity": None,
    "-Infinity": None,
}
_MAX_INT_DIGITS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """One value, where it ended, and what was wrong with it (None when it is good JSON)."""

    node: Node
    end: int
    problem: str | None = None


def parse_json(text: str, start: int = 0, first_line: int = 1) -> Parsed | None:
    """Return the value that begins at `start`, or None when none does. Never raises."""
    return _on_one_line(text, start, first_line) or _Parser(text, start, first_line).value()


_ON_ONE_LINE = json.JSONDecoder(strict=False, parse_constant=_WORDS.get)
"""Words for what is no number are no value here."""


def _on_one_line(text: str, start: int, line: int) -> Parsed | None:
    """Return a good value that ends on the line it begins on, as servers print it: the standard library parses it at once."""
    if text[start : start + 1] not in {"{", "["}:
        return None
    feed = text.find("\n", start)
    stop = len(text) if feed < 0 else feed
    if text[start:stop].rstrip(" \r,")[-1:] not in {"}", "]"}:
        return None
    try:
        value, end = cast("tuple[Json, int]", _ON_ONE_LINE.raw_decode(text, start))
    except (ValueError, RecursionError):
        return None
    return Parsed(node=LineNode(line, value), end=end) if end <= stop else None


def json_values(text: str) -> Iterator[Parsed]:
    """Yield the values of a text that holds one or several, printed one after the other."""
    position, line = 0, 1
    while True:
        begin = _SPACE.match(text, position)
        start = begin.end() if begin else position
        if start >= len(text) or text[start] not in "{[":
            return
        line += text.count("\n", position, start)
        parsed = parse_json(text, start, line)
        if parsed is None:
            return
        yield parsed
        if parsed.problem is not None or parsed.end <= start:
            return
        line += text.count("\n", start, parsed.end)
        position = parsed.end


class _Parser:
    """Follows tokens with an explicit stack, so that no input can exhaust the call stack."""

    def __init__(self, text: str, start: int, line: int) -> None:
        self._text = text
        self._at = start
        self._line = line
        self._stack: list[Node] = []
        self._key: str | None = None
        self._root: Node | None = None
        self._problem: str | None = None

    def value(self) -> Parsed | None:
        while not self._is_done():
            match = _TOKEN.match(self._text, self._at)
            if match is None:
                self._stop()
                break
            kind = match.lastgroup or "mark"
            begin, token = match.start(kind), match[kind]
            if begin > self._at:
                self._line += self._text.count("\n", self._at, begin)
                self._at = begin
            self._take(kind, token)
            if kind == "string" and "\n" in token:
                self._line += token.count("\n")
            self._at = match.end()
        if self._root is None:
            return None
        return Parsed(node=self._root, end=self._at, problem=self._problem)

    def _is_done(self) -> bool:
        return self._root is not None and not self._stack

    def _take(self, kind: str, token: str) -> None:
        if kind == "mark":
            self._mark(token)
        elif kind == "string":
            self._scalar(_unquoted(token))
        elif kind == "number":
            self._scalar(_number(token))
        else:
            self._scalar(_WORDS[token])

    def _mark(self, mark: str) -> None:
        if mark in "{[":
            is_mapping = mark.startswith("{")
            node = Node(self._line, keys={}) if is_mapping else Node(self._line, elements=[])
            if len(self._stack) < MAX_DEPTH:
                self._place(node)
            self._key = None
            self._stack.append(node)
        elif mark in "}]" and self._stack:
            self._stack.pop()
            self._key = None

    def _scalar(self, value: Json) -> None:
        top = self._stack[-1] if self._stack else None
        if top is not None and top.keys is not None and self._key is None and isinstance(value, str):
            self._key = value
            top.keys[value] = Node(self._line)
            return
        self._place(Node(self._line, value=value))

    def _place(self, node: Node) -> None:
        top = self._stack[-1] if self._stack else None
        if top is None:
            self._root = self._root or node
        elif top.keys is not None:
            if self._key is not None:
                node.line = top.keys[self._key].line
                top.keys[self._key] = node
            self._key = None
        elif top.elements is not None:
            top.elements.append(node)

    def _stop(self) -> None:
        """Keep what was read; the open string at a cut is the last value."""
        rest = self._text[self._at :].lstrip(" \t\r\n,")
        if rest.startswith('"') and self._stack:
            self._line += self._text.count("\n", self._at, len(self._text) - len(rest))
            self._scalar(rest[1:])
        self._at = len(self._text)
        self._problem = f"the JSON ends or breaks at line {self._line}; what stands before it was read"


def _unquoted(token: str) -> str:
    if "\\" not in token:
        return token[1:-1]
    try:
        value = json.loads(token, strict=False)
    except ValueError:
        return token[1:-1]
    return value if isinstance(value, str) else token[1:-1]


def _number(token: str) -> Json:
    try:
        return int(token) if token.lstrip("-").isdigit() and len(token) < _MAX_INT_DIGITS else float(token)
    except (ValueError, OverflowError):
        return token
