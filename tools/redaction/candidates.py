"""Finds the lines where rules are worth trying: by literals in short texts, by one automaton in long ones."""

import io
import re
from collections.abc import Iterator, Sequence

from firstfault.tools.extract.engine import Scanner
from firstfault.tools.redaction.rules import Rule, plain

Pieces = Iterator[tuple[str, frozenset[int]]]
"""A text cut in order, each piece with the rules to try on it; the pieces joined are the text."""


class Literals:
    """Finds lines by the literals that rules name: nothing to build, one search of the C library for each literal."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        """Take the rules; pieces name them by their place."""
        owners: dict[str, list[int]] = {}
        for number, rule in enumerate(rules):
            for literal in () if rule.spans_lines else rule.triggers:
                owners.setdefault(literal, []).append(number)
        self._owners = owners
        self._all = frozenset(number for number, rule in enumerate(rules) if not rule.spans_lines)

    def pieces(self, text: str) -> Pieces:
        """Give the pieces of `text`."""
        lowered = text.lower()
        if len(lowered) != len(text):  # a few letters have a longer lower case: places would not agree
            yield text, self._all
            return
        lines: dict[int, tuple[int, set[int]]] = {}
        for literal, numbers in self._owners.items():
            for start, end in _lines_with(lowered if literal == literal.lower() else text, literal):
                lines.setdefault(start, (end, set()))[1].update(numbers)
        done = 0
        for start in sorted(lines):
            end, active = lines[start]
            yield text[done:start], frozenset()
            yield text[start:end], frozenset(active)
            done = end
        yield text[done:], frozenset()


class Automaton:
    """Finds lines by what the patterns themselves need; it takes about a second to build."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        """Take the rules; pieces name them by their place."""
        self._numbers = [number for number, rule in enumerate(rules) if not rule.spans_lines]
        self._scanner = Scanner([re.compile(plain(rules[number].pattern)) for number in self._numbers])

    def pieces(self, text: str) -> Pieces:
        """Give the pieces of `text`."""
        tries: dict[int, set[int]] = {}
        for hit in self._scanner.hits(io.BytesIO(text.encode("utf-8", "surrogatepass"))):
            tries.setdefault(hit.line - 1, set()).update(self._numbers[pattern] for pattern in hit.patterns)
        if not tries:
            yield text, frozenset()
            return
        lines = text.split("\n")
        done = 0
        for at, active in tries.items():
            yield "".join(f"{line}\n" for line in lines[done:at]), frozenset()
            yield lines[at], frozenset(active)
            yield "\n" if at + 1 < len(lines) else "", frozenset()
            done = at + 1
        yield "\n".join(lines[done:]), frozenset()


def _lines_with(text: str, literal: str) -> Iterator[tuple[int, int]]:
    """Give start and end of every line that holds `literal`, each once."""
    at = text.find(literal)
    while at >= 0:
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        yield text.rfind("\n", 0, at) + 1, end
        at = text.find(literal, end)
