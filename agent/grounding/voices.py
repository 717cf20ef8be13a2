"""What code itself says about the evidence of a claim: the only words the claim may use. Pure.

Words of telemetry are in no voice: what an attacker can write into a log line can be quoted as evidence, it cannot be spoken.
"""

from collections.abc import Sequence
from itertools import groupby

from firstfault.agent.findings import Role, Standing, TimelineEntry
from firstfault.agent.grounding.claims import Claim, ClosedSets
from firstfault.agent.grounding.speech import (
    NO_KIND,
    Held,
    Labelled,
    Names,
    Voice,
    entity_names,
    merged,
    name_numbers,
    path_names,
    spoken,
    unspeakable,
    words_of,
)
from firstfault.agent.grounding.standings import absence_voices, diagnosis_voices, hypothesis_voices
from firstfault.agent.grounding.tokens import stem
from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.signals import Signal

_ROLE_WORDS = {
    Role.CAUSE: "cause",
    Role.ECHO: "echo consequence",
    Role.SYMPTOM: "symptom consequence",
    Role.CONTEXT: "context",
}
_KIND_WORDS = {EntityKind.NVSWITCH: "nvswitch switch", EntityKind.UNKNOWN: ""}


def voices_of(claim: Claim, held: Held) -> list[Voice]:
    """Return every voice that may speak for the evidence of `claim`."""
    cited = set(claim.evidence)
    entries = [
        entry for entry in held.timeline if any(item.id in cited for item in entry.signal.all_evidence)
    ]
    found = [_signal(entry, held.closed) for entry in entries]
    found += [_group(list(members), held.closed) for members in _same_name(entries)]
    return [
        *found,
        *hypothesis_voices(claim, cited, held.closed),
        *diagnosis_voices(cited, held.closed),
        *absence_voices(claim, held),
    ]


def _signal(entry: TimelineEntry, closed: ClosedSets) -> Voice:
    signal, stamp = entry.signal, entry.signal.stamp
    is_first = closed.diagnosis is not None and closed.diagnosis.first_fault == signal
    sentences = [*_sentences(entry, closed), _ROLE_WORDS[entry.role], "first fault" if is_first else ""]
    numbers = [
        *_numbers(entry),
        *(Labelled(value=e.line_start, label=(stem("line"),)) for e in signal.all_evidence),
    ]
    if stamp.uptime_s is not None:
        numbers.append(Labelled(value=stamp.uptime_s, label=(stem("uptime"),)))
    return Voice(
        words=words_of(sentences),
        names=_names([entry]),
        numbers=(*numbers, *_times_seen(signal.count)),
        times=() if stamp.at is None else (stamp.at,),
        raw_times=(stamp.raw,),
        unspeakable=unspeakable(closed, _supported_by(signal, closed)),
        entries=(entry,),
    )


def _group(entries: Sequence[TimelineEntry], closed: ClosedSets) -> Voice:
    roles = {entry.role for entry in entries}
    sentences = [s for entry in entries for s in _sentences(entry, closed)]
    sentences += [_ROLE_WORDS[role] for role in roles if len(roles) == 1]
    shared = set(_numbers(entries[0])).intersection(*(set(_numbers(entry)) for entry in entries))
    kinds = {
        kind: len({e.signal.entity.key for e in entries if e.signal.entity.kind == kind})
        for kind in _kinds(entries)
    }
    nodes = {node for entry in entries for node in _node_names(entry.signal.entity)}
    counts = [Labelled(value=count, label=(stem(kind),), after=True) for kind, count in kinds.items()]
    counts += [Labelled(value=len(nodes), label=(stem("node"),), after=True)] if nodes else []
    total = sum(entry.signal.count for entry in entries)
    return Voice(
        words=words_of(sentences),
        names=_names(entries),
        numbers=(*shared, *counts, *_times_seen(total)),
        unspeakable=unspeakable(closed, _supported_by(entries[0].signal, closed)),
        entries=tuple(entries),
    )


def _same_name(entries: Sequence[TimelineEntry]) -> list[list[TimelineEntry]]:
    ordered = sorted(entries, key=lambda entry: entry.signal.name)
    groups = [list(members) for _, members in groupby(ordered, key=lambda entry: entry.signal.name)]
    return [members for members in groups if len(members) > 1]


def _sentences(entry: TimelineEntry, closed: ClosedSets) -> list[str]:
    signal = entry.signal
    said = [sentence for name in _supported_by(signal, closed) for sentence in closed.classes.get(name, ())]
    about = [
        _KIND_WORDS.get(signal.entity.kind, str(signal.entity.kind)),
        str(signal.family),
        str(signal.evidence.kind),
    ]
    return [spoken(signal.name), closed.glosses.get(signal.name, ""), *map(spoken, about), *said]


def _supported_by(signal: Signal, closed: ClosedSets) -> list[str]:
    """Return the class that the diagnosis names, where this signal is among what supports it; other classes are rivals."""
    named = closed.diagnosis.failure_class if closed.diagnosis is not None else None
    own = {item.id for item in signal.all_evidence}
    return [
        h.failure_class
        for h in closed.hypotheses
        if h.failure_class == named
        and h.standing is Standing.SUPPORTED
        and own & {e.id for e in h.supporting}
    ]


def _numbers(entry: TimelineEntry) -> list[Labelled]:
    signal = entry.signal
    found = list(name_numbers(signal.name))
    for name, value in signal.attributes.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        found.append(Labelled(value=value, label=tuple(stem(part) for part in name.split("_"))))
    if signal.entity.name.isdecimal():
        found.append(Labelled(value=int(signal.entity.name), label=(stem(str(signal.entity.kind)),)))
    return found


def _times_seen(count: int) -> tuple[Labelled, ...]:
    return tuple(Labelled(value=count, label=(stem(word),), after=True) for word in ("times", "occurrences"))


def _names(entries: Sequence[TimelineEntry]) -> Names:
    found: Names = {}
    for entry in entries:
        found = merged(found, entity_names(entry.signal.entity))
        for item in entry.signal.all_evidence:
            found = merged(found, path_names(item.path) | {f"{item.path}:{item.line_start}": NO_KIND})
    return found


def _kinds(entries: Sequence[TimelineEntry]) -> set[str]:
    return {str(entry.signal.entity.kind) for entry in entries}


def _node_names(entity: EntityRef) -> set[str]:
    if entity.kind == "node":
        return {entity.name}
    return {entity.node} if entity.node else set()
