"""Takes secrets out of text and leaves a mark that says what was there.

What is found is replaced by `‹redacted:kind›`; everything else stays byte for byte, and so do line numbers. One look
over the text finds the lines where a rule may apply; only these are searched, and only for the rules in question.
Passes are repeated until nothing is found, so redacting twice changes nothing.
"""

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

from firstfault.tools.redaction.escaped import redact_escaped
from firstfault.tools.redaction.rules import Rule, named, plain, shipped_rules

if TYPE_CHECKING:
    from firstfault.tools.scan.engine import Scanner

MARK = re.compile(r"‹redacted:[a-z0-9-]+›")
"""What stands in place of a secret."""


@dataclass(frozen=True)
class Redactor:
    """Rules, and the expressions made of them as texts ask for them."""

    rules: tuple[Rule, ...]

    def redact(self, text: str) -> str:
        """Return `text` with every secret that the rules know replaced by its mark."""
        while True:
            redacted = redact_escaped(self._as_it_stands(text), self._as_it_stands, MARK)
            if redacted == text:
                return text
            text = redacted

    def _as_it_stands(self, text: str) -> str:
        while True:
            redacted = self._on_lines(self._across_lines(text))
            if redacted == text:
                return text
            text = redacted

    def redact_across_lines(self, text: str) -> str:
        """Return `text` with only those secrets replaced that can span lines: much faster, for whole documents."""
        return self._across_lines(text)

    def _across_lines(self, text: str) -> str:
        active = frozenset(
            number
            for number, rule in enumerate(self.rules)
            if rule.spans_lines and any(literal in text for literal in rule.spans_lines)
        )
        return self._searched(text, active) if active else text

    def _on_lines(self, text: str) -> str:
        data = text.encode("utf-8", "surrogatepass")
        found: dict[int, set[int]] = {}
        for hit in self._scanner.hits(io.BytesIO(data), len(data)):
            found.setdefault(hit.line - 1, set()).update(self._on_one_line[index] for index in hit.patterns)
        if not found:
            return text
        lines = text.split("\n")
        for at, active in found.items():
            lines[at] = self._searched(lines[at], frozenset(active))
        return "\n".join(lines)

    def _searched(self, text: str, active: frozenset[int]) -> str:
        expression = self._expressions.get(active)
        if expression is None:
            patterns = (named(self.rules[number].pattern, number) for number in sorted(active))
            expression = self._expressions[active] = re.compile("|".join([MARK.pattern, *patterns]))
        return expression.sub(self._marked, text)

    def _marked(self, match: re.Match[str]) -> str:
        group = match.lastgroup
        if group is None:
            return match[0]
        kind = self.rules[int(group.split("_")[1])].kind
        start, end = match.span(group)
        before, after = match.string[match.start() : start], match.string[end : match.end()]
        return before + "\n".join(_mark(line, kind) for line in match[group].split("\n")) + after

    @cached_property
    def _on_one_line(self) -> tuple[int, ...]:
        return tuple(number for number, rule in enumerate(self.rules) if rule.spans_lines is None)

    @cached_property
    def _scanner(self) -> "Scanner":
        from firstfault.tools.scan.engine import Scanner  # noqa: PLC0415 - extraction is slow to import

        return Scanner([re.compile(plain(self.rules[number].pattern)) for number in self._on_one_line])

    @cached_property
    def _expressions(self) -> dict[frozenset[int], re.Pattern[str]]:
        return {}


def redactor_of(rules: Sequence[Rule] = ()) -> Redactor:
    """Return a redactor for the shipped rules and further `rules`, which are tried with those that span lines."""
    return Redactor((*shipped_rules(), *rules))


def _mark(line: str, kind: str) -> str:
    """Return the mark for one line of a secret; blank lines stay, so that lines keep their numbers."""
    return f"‹redacted:{kind}›" if line.strip() else line


def redact(text: str) -> str:
    """Return `text` with every secret replaced by `‹redacted:kind›`; redacting again changes nothing."""
    return _shipped().redact(text)


def redact_across_lines(text: str) -> str:
    """Return `text` with only those secrets replaced that can span lines."""
    return _shipped().redact_across_lines(text)


@cache
def _shipped() -> Redactor:
    return redactor_of()
