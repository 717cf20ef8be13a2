"""What code says about how a hypothesis stands, who owns the fault, and what is verified not to be there. Pure."""

from firstfault.agent.findings import Standing, TimelineEntry
from firstfault.agent.grounding.claims import Claim, ClosedSets
from firstfault.agent.grounding.speech import (
    Held,
    Voice,
    entity_names,
    name_numbers,
    path_names,
    spoken,
    unspeakable,
    words_of,
)
from firstfault.agent.grounding.tokens import stem
from firstfault.tools.evidence import CoverageState


def hypothesis_voices(claim: Claim, cited: set[str], closed: ClosedSets) -> list[Voice]:
    """Return the voice for `… is ruled out` or `… is untested`, where the hypothesis stands so on what is cited."""
    found = next((h for h in closed.hypotheses if h.failure_class == claim.about), None)
    if found is None or found.standing is Standing.SUPPORTED:
        return []
    if found.standing is Standing.RULED_OUT and not cited <= {
        e.id for e in (*found.supporting, *found.contradicting)
    }:
        return []
    standing = "ruled out" if found.standing is Standing.RULED_OUT else "untested"
    words = words_of([*_class_words(found.failure_class, closed), standing])
    required = frozenset(stem(word) for word in standing.split())
    return [Voice(words=words, required=required, unspeakable=unspeakable(closed, [found.failure_class]))]


def diagnosis_voices(cited: set[str], closed: ClosedSets) -> list[Voice]:
    """Return the voice for the owner that code decided on, where only evidence of the diagnosis is cited."""
    diagnosis = closed.diagnosis
    if diagnosis is None or not cited <= {item.id for item in diagnosis.evidence}:
        return []
    names = {} if diagnosis.culprit is None else entity_names(diagnosis.culprit)
    words = words_of([f"owner {diagnosis.owner}", f"layer {diagnosis.layer}"])
    return [Voice(words=words, names=names, required=frozenset({stem("owner")}))]


def absence_voices(claim: Claim, held: Held) -> list[Voice]:
    """Return the voice for a verified absence: the document was read completely and no such signal came of it."""
    absent = claim.absent
    if absent is None or not any(held.evidence[item].path == absent.path for item in claim.evidence):
        return []
    complete = any(
        item.path == absent.path and item.state is CoverageState.COMPLETE for item in held.coverage
    )
    seen = any(
        _fits(entry.signal.name, absent.signal) and _is_from(entry, absent.path) for entry in held.timeline
    )
    if not complete or seen:
        return []
    words = words_of([f"no {spoken(absent.signal)}"])
    return [
        Voice(
            words=words,
            names=path_names(absent.path),
            numbers=name_numbers(absent.signal),
            required=frozenset({"no"}),
        )
    ]


def _fits(name: str, wanted: str) -> bool:
    return name == wanted or name.startswith(f"{wanted}.")


def _is_from(entry: TimelineEntry, path: str) -> bool:
    return any(item.path == path for item in entry.signal.all_evidence)


def _class_words(failure_class: str, closed: ClosedSets) -> list[str]:
    return [spoken(failure_class), *closed.classes.get(failure_class, ())]
