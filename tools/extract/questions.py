"""What a question speaks of, in the words of the pattern tables: a hint where to look, never evidence. Pure."""

import re
from functools import cache

from firstfault.tools.catalogs.patterns import Pattern, all_patterns
from firstfault.tools.entities import EntityKind, EntityRef
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
_MACHINE = re.compile(
    r"\b(?:[Nn]ode|[Hh]ost|[Mm]achine|[Ss]erver|[Ww]orker|[Ii]nstance|[Rr]unner)\s+`?(?P<name>[A-Za-z][\w.-]*\d[\w-]*)"
    r"|\bon `?(?P<name2>[a-z][\w.]*-?\d[\w-]*)\b",
    re.ASCII,
)
_WORKLOAD = re.compile(
    r"\b(?:[Pp]od|[Dd]eployment|[Jj]ob|[Ss]ervice|[Ss]tateful ?[Ss]et|[Dd]aemon ?[Ss]et|[Cc]laim)\s+"
    r"`?(?P<name>[a-z0-9]+(?:-[a-z0-9]+)+)"
    r"|\b(?P<name2>[a-z0-9]+(?:-[a-z0-9]+)*) in namespace\b",
    re.ASCII,
)


def asked_thing(question: str, *, is_machine: bool) -> EntityRef | None:
    """Return the one machine, or the one workload, that the question is about; None when it names none or several."""
    pattern, kind = (_MACHINE, EntityKind.NODE) if is_machine else (_WORKLOAD, EntityKind.WORKLOAD)
    names = {found["name"] or found["name2"] for found in pattern.finditer(question)}
    return EntityRef(kind=kind, name=names.pop()) if len(names) == 1 else None


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
