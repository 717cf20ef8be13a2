"""What a question speaks of, in the words of the pattern tables: a hint where to look, never evidence. Pure."""

import re
from functools import cache

from firstfault.tools.catalogs.patterns import Pattern, all_patterns
from firstfault.tools.extract.statements import stated
from firstfault.tools.kinds import Kind

_STATE = re.compile(
    r"(?:^|[.:;,!?)]\s+|\b(?:and|or|but|so)\s+)(?:is|are|do|does)\b(?![^.?!]*\b(?:why|what|which|who|where|how)\b)[^.?!]*\?",
    re.IGNORECASE,
)
_CAUSE = re.compile(
    r"\bwhy\b|\bwhat (?:caus|kill|happen|stop|remov|break|broke|made|makes|took|takes|went wrong)"
    r"|\b(?:root )?cause\b|\bwhere (?:does|did) it (?:start|begin)",
    re.IGNORECASE,
)


def asks_for_state(question: str) -> bool:
    """Return whether the question is whether something is wrong at present: "Is the service broken?"."""
    return _STATE.search(question) is not None and not asks_for_cause(question)


def asks_for_cause(question: str) -> bool:
    """Return whether the question is why something is or was so."""
    return _CAUSE.search(question) is not None


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
