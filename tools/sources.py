"""The one shape of every source, recorded or live.

A source answers a typed question about a window as of a time. It never raises for what the world does: a refusal,
a time-out, an empty or cut answer is a Gap and a Coverage that says so.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.evidence import Coverage, Document, Gap
from firstfault.tools.kinds import Kind
from firstfault.tools.times import Window


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked of a source.

    kinds: which kinds of document are wanted; empty means everything the source has.
    entities: what they should be about; empty means everything in the incident's scope.
    contains: a literal that lines must hold, pushed down where the source can; None means all lines.
    volatile_first: ask for what disappears soonest (events, pod statuses, previous logs) before anything else.
    """

    kinds: tuple[Kind, ...] = ()
    entities: tuple[EntityRef, ...] = ()
    contains: str | None = None
    volatile_first: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back, how completely, and what did not."""

    documents: tuple[Document, ...] = ()
    coverage: tuple[Coverage, ...] = ()
    gaps: tuple[Gap, ...] = ()


class Source(Protocol):
    """Something that can be asked. Implementations live with their system (recording, kube, prometheus, loki)."""

    @property
    def name(self) -> str:
        """Return the stable name shown in reports and audit."""
        ...

    def read(self, question: Question, window: Window, as_of: datetime | None) -> Answer:
        """Return what the source has for `question` inside `window`, nothing later than `as_of`."""
        ...


def nodes_asked(question: Question, scope: tuple[str, ...]) -> tuple[str, ...]:
    """Return the machines a question is about: those of its entities, or `scope` when it names none."""
    if not question.entities:
        return scope
    names = (e.name if e.kind is EntityKind.NODE else e.node for e in question.entities)
    return tuple(dict.fromkeys(name for name in names if name))


def namespaces_asked(question: Question, scope: tuple[str, ...]) -> tuple[str, ...]:
    """Return the namespaces a question is about: those of its entities, or `scope` when it names none."""
    if not question.entities:
        return scope
    names = (e.name if e.kind is EntityKind.NAMESPACE else e.namespace for e in question.entities)
    return tuple(dict.fromkeys(name for name in names if name))


def narrowed(answer: Answer, question: Question) -> Answer:
    """Return the answer cut to what `question` asks for: for sources that cannot push kinds and literals down."""
    kinds, literal = question.kinds, question.contains
    documents = tuple(
        document
        for document in answer.documents
        if (not kinds or document.kind in kinds) and (literal is None or literal in document.text)
    )
    return Answer(
        documents=documents,
        coverage=tuple(entry for entry in answer.coverage if not kinds or entry.kind in kinds),
        gaps=tuple(gap for gap in answer.gaps if not kinds or gap.kind is None or gap.kind in kinds),
    )
