"""What the words of people, and the signs that were seen, lean towards where no machine says it outright. Pure.

Sentences are read by patterns first; people write other sentences. Here every known word, and every name of a signal,
speaks for the classes in whose inputs and definitions it stands more often than in all together: the logarithm of how
much more often. Nothing speaks against a class. The sum orders classes and is never shown as a confidence; the words
and the statements that counted are shown. See docs/adr/0013-words-of-people.md.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log

from firstfault.agent.classes.definitions import ClassDefinition
from firstfault.agent.classes.matching import SignalSet, name_fits
from firstfault.tools.catalogs.class_words import class_words
from firstfault.tools.extract.words import SPOKEN, known_words
from firstfault.tools.signals import Signal

SIGN_COUNT = 0.5
"""What a criterion of a definition counts beside inputs with a word, times the rank of its strength."""
_SHOWN_WORDS = 6
_SHOWN_STATEMENTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaning:
    """How much speaks for a class. words: those of statements, the most telling first; signals: where they stand."""

    weight: float = 0.0
    words: tuple[str, ...] = ()
    signals: tuple[Signal, ...] = ()


@dataclass(slots=True)
class _Sum:
    weight: float = 0.0
    words: dict[str, float] = field(default_factory=dict[str, float])


def leanings(
    definitions: Sequence[ClassDefinition], signals: SignalSet, question: str
) -> Mapping[str, Leaning]:
    """Return what leans towards each class that anything leans towards.

    question: its words count as those of a statement do, and are never shown as evidence.
    """
    statements = [(s, _words(s)) for s in signals.signals if s.name == SPOKEN]
    said = {word for _, words in statements for word in words}
    sums: dict[str, _Sum] = defaultdict(_Sum)
    for word in sorted(said | set(known_words(question))):
        for name, weight in _of_word(word).items():
            sums[name].weight += weight
            if word in said:
                sums[name].words[word] = weight
    for sign in sorted({*signals.names} - {SPOKEN}):
        for name, weight in _of_sign(sign, definitions).items():
            sums[name].weight += weight
    return {name: _leaning(held, statements) for name, held in sums.items()}


def _words(signal: Signal) -> tuple[str, ...]:
    return tuple(str(signal.attributes["words"]).split())


def _leaning(held: _Sum, statements: Iterable[tuple[Signal, tuple[str, ...]]]) -> Leaning:
    telling = sorted(held.words, key=lambda word: (-held.words[word], word))[:_SHOWN_WORDS]
    weighed = [(sum(held.words.get(word, 0.0) for word in words), signal) for signal, words in statements]
    shown = sorted((each for each in weighed if each[0] > 0), key=lambda each: -each[0])[:_SHOWN_STATEMENTS]
    return Leaning(weight=held.weight, words=tuple(telling), signals=tuple(signal for _, signal in shown))


def _of_word(word: str) -> Mapping[str, float]:
    table = class_words()
    return _weights(table.counts.get(word, {}), table.inputs)


def _of_sign(sign: str, definitions: Sequence[ClassDefinition]) -> Mapping[str, float]:
    """Return the weights of a signal's name: by the criteria that look for it, as if they were so many inputs."""
    counts: dict[str, float] = {}
    for definition in definitions:
        ranks = [
            criterion.strength.rank
            for criterion in definition.looks_for
            for matcher in (*criterion.any, *criterion.all)
            if name_fits(sign, matcher.signal)
        ]
        if ranks:
            counts[definition.failure_class] = SIGN_COUNT * max(ranks)
    return _weights(counts, class_words().inputs)


def _weights(counts: Mapping[str, float], inputs: Mapping[str, int]) -> Mapping[str, float]:
    """Return for each class how much more often it has something than all classes together, as a logarithm."""
    everywhere = sum(counts.values()) / sum(inputs.values())
    found = {
        name: log((count + everywhere) / (inputs.get(name, 0) + 1) / everywhere)
        for name, count in counts.items()
    }
    return {name: weight for name, weight in found.items() if weight > 0}
