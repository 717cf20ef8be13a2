"""What a question speaks of, in the words of the pattern tables: a hint where to look, never evidence. Pure."""

from functools import cache

from firstfault.tools.catalogs.patterns import Pattern, all_patterns
from firstfault.tools.extract.statements import stated
from firstfault.tools.kinds import Kind


def asked_signals(question: str) -> frozenset[str]:
    """Return the names of the signals that the question would give if a person had stated it."""
    found: set[str] = set()
    for pattern in _statements():
        if stated(pattern.regex, question, pattern.signal) is not None:
            found.add(pattern.signal)
    return frozenset(found)


@cache
def _statements() -> tuple[Pattern, ...]:
    """Return the patterns for what people write."""
    return tuple(pattern for pattern in all_patterns() if Kind.OPERATOR_NOTES in pattern.applies_to)
