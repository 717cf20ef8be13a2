"""Which failure classes can be tested with the kinds of document that are visible, and which cannot. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from importlib import resources

import yaml
from pydantic import BaseModel, ConfigDict

from firstfault.agent.classes.definitions import ClassDefinition, Strength
from firstfault.tools.kinds import Kind

UNKNOWN = "unknown"
"""What is left when no class fits: nothing to be blind to."""
NOTHING_WRONG = "none"
"""The family of classes that say that nothing is wrong, or nothing any more."""


class Sight(StrEnum):
    """How much of what would decide a class is visible."""

    FULL = "full"
    PARTIAL = "partial"
    BLIND = "blind"


class SourceWords(BaseModel):
    """What is said of a source that does not answer."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    blind: str
    remedy: str


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    speakers: Mapping[str, tuple[Kind, ...]]
    same_as: Mapping[Kind, tuple[Kind, ...]]
    enable: Mapping[Kind, str]
    sources: Mapping[str, SourceWords]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassSight:
    """How one class is seen. missing: what would show more, of the kinds that some source can give."""

    failure_class: str
    sight: Sight
    missing: tuple[Kind, ...]


@lru_cache(maxsize=1)
def sight_table() -> _Table:
    """Return the shipped table."""
    text = (resources.files("firstfault.agent.doctor") / "sight.yaml").read_text(encoding="utf-8")
    return _Table.model_validate(yaml.safe_load(text))


def kinds_of(definition: ClassDefinition) -> frozenset[Kind]:
    """Return the kinds that speak for or against the class: its needs, its absences, the speakers of its signals.

    Kinds that no live source gives (what people say, tools run by hand) are left out.
    """
    asked = {need.kind for need in definition.needs}
    asked |= {kind for absence in definition.absences for kind in absence.kind}
    asked |= {
        kind for name in _signals(definition) for kind in sight_table().speakers.get(name.split(".")[0], ())
    }
    table = sight_table()
    return frozenset(kind for kind in asked if kind in table.enable or kind in table.same_as)


def sights(classes: Iterable[ClassDefinition], visible: frozenset[Kind]) -> tuple[ClassSight, ...]:
    """Return how each class is seen, in order; a class that needs nothing that a source gives is left out."""
    table = sight_table()
    shown = visible | {kind for kind, others in table.same_as.items() if visible & set(others)}
    found: list[ClassSight] = []
    for definition in classes:
        wanted = kinds_of(definition)
        if not wanted or definition.failure_class == UNKNOWN:
            continue
        missing = tuple(sorted(wanted - shown))
        sight = Sight.FULL if not missing else Sight.PARTIAL if wanted & shown else Sight.BLIND
        found.append(ClassSight(failure_class=definition.failure_class, sight=sight, missing=missing))
    return tuple(found)


def steps(found: Sequence[ClassSight], sight: Sight) -> Iterator[tuple[str, str]]:
    """Yield what to enable, the step that shows most first, and the classes seen so that way that it would show."""
    left: dict[str, frozenset[str]] = {
        each.failure_class: _remedies(each.missing) for each in found if each.sight is sight
    }
    while left:
        counts = Counter(remedy for remedies in left.values() for remedy in remedies)
        best = min(counts, key=lambda remedy: (-counts[remedy], remedy))
        shown = [name for name, remedies in left.items() if best in remedies]
        yield best, _in_words(shown, found)
        left = {name: remedies for name, remedies in left.items() if name not in shown}


def _remedies(missing: Sequence[Kind]) -> frozenset[str]:
    table = sight_table()
    return frozenset(
        table.enable[source]
        for kind in missing
        for source in ((kind,) if kind in table.enable else table.same_as[kind])
        if source in table.enable
    )


def _in_words(names: Sequence[str], found: Sequence[ClassSight]) -> str:
    """Return the classes, a family that is blind as a whole by its name: `all nvlink classes`."""
    words: dict[str, None] = {}
    for name in names:
        family = name.partition(".")[0]
        whole = {each.failure_class for each in found if each.failure_class.startswith(f"{family}.")}
        is_whole = len(whole) > 1 and whole <= set(names) and family != NOTHING_WRONG
        words[f"all {family} classes" if is_whole else name] = None
    return ", ".join(words)


def _signals(definition: ClassDefinition) -> Iterator[str]:
    for criterion in definition.looks_for:
        if criterion.strength is not Strength.WEAK:
            for matcher in (*criterion.any, *criterion.all):
                yield from matcher.signal
