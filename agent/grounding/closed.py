"""The closed sets of one run: the sentences that definitions and catalogues have for what was found. Pure.

Templates of class definitions have their braces taken out, so that nothing that a log line carried becomes a word.
"""

import re
from collections.abc import Iterable, Sequence

from firstfault.agent.classes.definitions import ClassDefinition
from firstfault.agent.findings import Diagnosis, Hypothesis, Standing
from firstfault.agent.grounding.claims import ClosedSets
from firstfault.tools.catalogs.patterns import all_patterns
from firstfault.tools.catalogs.xids import sxid_entries, xid_entries

_BRACES = re.compile(r"\{[^}]*\}")


def closed_sets(
    diagnosis: Diagnosis | None,
    hypotheses: Sequence[Hypothesis],
    definitions: Iterable[ClassDefinition],
    signal_names: Iterable[str],
) -> ClosedSets:
    """Return the closed sets for these findings."""
    by_class = {definition.failure_class: definition for definition in definitions}
    return ClosedSets(
        hypotheses=tuple(hypotheses),
        diagnosis=diagnosis,
        classes={
            h.failure_class: _sentences(by_class[h.failure_class], h)
            for h in hypotheses
            if h.failure_class in by_class
        },
        class_names=tuple(by_class),
        glosses=glosses_of(signal_names),
    )


def glosses_of(signal_names: Iterable[str]) -> dict[str, str]:
    """Return what the catalogues say that each signal means; a name with several meanings has none."""
    meanings: dict[str, set[str]] = {}
    for pattern in all_patterns():
        meanings.setdefault(pattern.signal, set()).add(pattern.meaning)
    found: dict[str, str] = {}
    for name in signal_names:
        known = meanings.get(name, set()) or _numbered(name)
        if len(known) == 1:
            found[name] = next(iter(known))
    return found


def _numbered(name: str) -> set[str]:
    prefix, _, number = name.partition(".")
    if not number.isdecimal():
        return set()
    entries = {"xid": xid_entries, "sxid": sxid_entries}.get(prefix)
    entry = None if entries is None else entries().get(int(number))
    return set() if entry is None else {entry.meaning}


def _sentences(definition: ClassDefinition, hypothesis: Hypothesis) -> tuple[str, ...]:
    """Return the title, and of a supported class also the reasons that hold here."""
    reasons = [c.because for c in definition.looks_for] if hypothesis.standing is Standing.SUPPORTED else []
    chosen = next((m for m in definition.mechanisms if m.name == hypothesis.mechanism), None)
    worded = [text for text in (chosen.summary, chosen.because) if text] if chosen is not None else []
    held = [text for text in reasons if _was_filled_into(text, hypothesis.because)]
    return tuple(_BRACES.sub(" ", text) for text in (definition.title, *worded, *held))


def _was_filled_into(template: str, reason: str) -> bool:
    return all(piece.strip() in reason for piece in _BRACES.split(template))
