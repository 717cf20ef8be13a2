"""Which words of people's statements speak for some class of failure, whatever sentence they stand in. Pure.

Patterns know sentences; people write others. Each statement gives one signal with the words in it that the table of
class words knows; how much a word says for which class is weighed where hypotheses are ranked.
"""

from collections.abc import Iterable, Iterator, Sequence

from firstfault.tools.catalogs.class_words import class_words
from firstfault.tools.catalogs.wordstems import stems
from firstfault.tools.entities import UNKNOWN_ENTITY
from firstfault.tools.evidence import Document
from firstfault.tools.kinds import Family, Kind
from firstfault.tools.signals import Signal
from firstfault.tools.times import Clock, Stamp

SPOKEN = "note.words"
"""The name of the signal: a statement with words that are known; attribute `words`, separated by blanks."""
SPEAKING = frozenset({Kind.OPERATOR_NOTES, Kind.CHANGE_LOG})
_MOST_STATEMENTS = 400
_LONGEST = 2_000


def known_words(text: str) -> tuple[str, ...]:
    """Return the words of a text that the table knows, each once, sorted."""
    known = class_words().counts
    return tuple(sorted({word for word in stems(text) if word in known}))


def word_signals(documents: Sequence[Document]) -> Iterator[Signal]:
    """Yield one signal for each statement of a person, or record of a change, with a word that is known."""
    for document in documents:
        if document.kind in SPEAKING:
            yield from _of(document)


def _of(document: Document) -> Iterator[Signal]:
    for number, line in _statements(document):
        words = known_words(line)
        if words:
            yield Signal(
                name=SPOKEN,
                entity=UNKNOWN_ENTITY,
                stamp=Stamp(clock=Clock.POSITION, raw="", series=document.path, position=number),
                evidence=document.cite(number),
                family=Family.NOTE,
                attributes={"words": " ".join(words)},
            )


def _statements(document: Document) -> Iterable[tuple[int, str]]:
    lines = enumerate(document.lines[:_MOST_STATEMENTS], 1)
    return ((number, line) for number, line in lines if len(line) <= _LONGEST)
