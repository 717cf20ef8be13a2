"""What a voice is: the code's own words on one thing, and how sentences, names and paths become parts of one. Pure.

A voice holds words by stem with the marks they carry (said under a negation, a hedge or an `or`), the names of the things
it is about, its numbers with the label each stands behind, and its times.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise

from firstfault.agent.findings import TimelineEntry
from firstfault.agent.grounding.claims import ClosedSets
from firstfault.agent.grounding.tokens import EDGES, Sort, stem, tokenize
from firstfault.tools.entities import EntityRef
from firstfault.tools.evidence import Coverage, Evidence

Marks = tuple[bool, bool, bool]
"""Whether a word stands under a negation, a hedge, an `or`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A number and the stems that must stand right before it (`xid` 79) or, when `after`, right behind it (3 `node`)."""

    value: float
    label: tuple[str, ...] = ()
    after: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """The code's own words on one thing. names: name → kinds that may stand before it. required: stems that must occur."""

    words: Mapping[str, frozenset[Marks]] = field(default_factory=dict[str, frozenset[Marks]])
    names: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    numbers: tuple[Labelled, ...] = ()
    times: tuple[datetime, ...] = ()
    raw_times: tuple[str, ...] = ()
    required: frozenset[str] = frozenset()
    unspeakable: tuple[tuple[str, ...], ...] = ()
    """Names of failure classes, as stems in a row, that this voice must not put together from its words."""
    entries: tuple[TimelineEntry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What a claim is held against: stored evidence by id, the timeline, what was read, the closed sets."""

    evidence: Mapping[str, Evidence]
    timeline: Sequence[TimelineEntry]
    coverage: Sequence[Coverage]
    closed: ClosedSets


NO_KIND = frozenset[str]()
_SENTENCE_END = re.compile(r"[.;:]\s+")


def words_of(sentences: Iterable[str]) -> dict[str, frozenset[Marks]]:
    """Return the stems in `sentences`, each with the marks it carries somewhere."""
    found: dict[str, set[Marks]] = {}
    for sentence in (part for text in sentences for part in _SENTENCE_END.split(text)):
        for token in tokenize(sentence):
            if token.sort in {Sort.WORD, Sort.NAME}:
                found.setdefault(token.stem, set()).add((token.negated, token.hedged, token.either))
    return {word: frozenset(marks) for word, marks in found.items()}


def spoken(name: str) -> str:
    """Return a dotted name as words, without its numbers."""
    return re.sub(r"[._\d]+", " ", name)


def unspeakable(closed: ClosedSets, allowed: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """Return the names of all failure classes but the `allowed` ones, as stems: `switch fault`, `gpu slow`."""
    found: list[tuple[str, ...]] = []
    for name in sorted(set(closed.class_names) - set(allowed)):
        layer, _, leaf = name.partition(".")
        words = leaf.split("_")
        found.append(tuple(stem(word) for word in (words if len(words) > 1 else (layer, *words))))
    return tuple(found)


def name_numbers(name: str) -> tuple[Labelled, ...]:
    """Return the numbers in a dotted name, each labelled by the part before it: `xid.79` is 79 behind `xid`."""
    parts = name.split(".")
    return tuple(
        Labelled(value=int(part), label=(stem(before),))
        for before, part in pairwise(parts)
        if part.isdecimal()
    )


Names = dict[str, frozenset[str]]
"""Name → kinds that may stand before it; none: it is a path or the like."""


def entity_names(entity: EntityRef) -> Names:
    """Return the names that an entity goes by, with the kinds that may stand before each."""
    kind = stem(str(entity.kind))
    forms = {entity.name, entity.name.strip(EDGES), entity.name.replace(" ", "_")}
    if entity.namespace:
        forms.add(f"{entity.namespace}/{entity.name}")
    found: Names = {form: frozenset({kind}) for form in forms if form}
    if entity.namespace:
        found = merged(found, {entity.namespace: frozenset({stem("namespace")})})
    if entity.node:
        found = merged(found, {entity.node: frozenset({stem("node"), stem("host")})})
    return found


def merged(first: Names, second: Names) -> Names:
    """Return both; a name in both goes by the kinds of both."""
    return {name: first.get(name, NO_KIND) | second.get(name, NO_KIND) for name in (*first, *second)}


def path_names(path: str) -> Names:
    """Return a path and its last part as names."""
    return {path: NO_KIND, path.rpartition("/")[2]: NO_KIND}
