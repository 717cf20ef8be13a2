"""Takes secrets out of text and leaves a mark that says what was there.

What is found is replaced by `‹redacted:kind›`; everything else stays byte for byte, and so do line numbers. Passes
are repeated until nothing is found, so redacting twice changes nothing.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from firstfault.tools.redaction.candidates import Automaton, Literals
from firstfault.tools.redaction.rules import Rule, named, shipped_rules

MARK = re.compile(r"‹redacted:[a-z0-9-]+›")
"""What stands in place of a secret."""

LONG_TEXT = 8 * 1024 * 1024
"""From here on building the automaton pays. Units: characters. Measured: 1 s to build, several times faster."""


@dataclass(frozen=True)
class Redactor:
    """Rules, and the expressions made of them as texts ask for them."""

    rules: tuple[Rule, ...]

    def redact(self, text: str) -> str:
        """Return `text` with every secret that the rules know replaced by its mark."""
        while True:
            pieces = (self._automaton if len(text) >= LONG_TEXT else self._literals).pieces(
                self.across_lines(text)
            )
            redacted = "".join(self.searched(piece, active) if active else piece for piece, active in pieces)
            if redacted == text:
                return text
            text = redacted

    def across_lines(self, text: str) -> str:
        """Return `text` without those secrets that begin on one line and end on another."""
        lowered = text.lower()
        active = frozenset(
            number
            for number, rule in enumerate(self.rules)
            if rule.spans_lines
            and (
                not rule.triggers
                or any(each in (lowered if each == each.lower() else text) for each in rule.triggers)
            )
        )
        return self.searched(text, active) if active else text

    def searched(self, text: str, active: frozenset[int]) -> str:
        """Return `text` with what the rules numbered `active` find in one pass replaced."""
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
    def _literals(self) -> Literals:
        return Literals(self.rules)

    @cached_property
    def _automaton(self) -> Automaton:
        return Automaton(self.rules)

    @cached_property
    def _expressions(self) -> dict[frozenset[int], re.Pattern[str]]:
        return {}


def redactor_of(rules: Sequence[Rule] = ()) -> Redactor:
    """Return a redactor for the shipped rules and further `rules`, which are tried with those that span lines."""
    return Redactor((*shipped_rules(), *rules))


def _mark(line: str, kind: str) -> str:
    """Return the mark for one line of a secret; blank lines stay, so that lines keep their numbers."""
    return f"‹redacted:{kind}›" if line.strip() else line
