"""Which recorded change, if any, brought the fault about. Pure.

A change is blamed only when time and scope fit (DESIGN §5, Change): it is not known to be later than the first fault, it
is no repair, and it speaks of what failed (a word of its record is a word of the question or of the evidence), says
that it went everywhere, or is of a kind that plainly brings the class about. Of several that fit the earliest is taken:
the newest change is not a reason.
"""

import re
from collections.abc import Iterable, Sequence

from firstfault.agent.classes.definitions import ClassDefinition
from firstfault.agent.classes.matching import SignalSet, name_fits
from firstfault.agent.correlate.chronology import arrange
from firstfault.tools.kinds import Family
from firstfault.tools.signals import Signal
from firstfault.tools.times import Order, order

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]{2,}|[a-z]{1,4}\d{1,3}\b")
_EVERYWHERE = re.compile(
    r"\b(?:all|every|each|whole) (?:\w+ ){0,2}(?:clusters?|nodes?|regions?|hosts?|machines?|namespaces?|fleet|pools?)\b"
    r"|\b(?:fleet|cluster)[- ]wide\b",
    re.IGNORECASE,
)
_COMMON = frozenset(
    re.split(
        r"\s+",
        "about after again alert all also and any are around because been before being between but can cannot "
        "case change changed changes cluster clusters could day days did does due each error errors even "
        "every fail failed failing fails failure fault find first for four from had has have hour hours how "
        "into its itself job jobs keep kubernetes last less line made make may minute minutes more most much "
        "names new node nodes none not nothing now number one only open other out over part pending platform "
        "pod pods problem production reason reports run running same see seen service services since some "
        "start started state still stuck system take team than that the their them then there these they this "
        "three time times two under until use used user users very was went were what when where which while "
        "who why will with within without work working works would wrong yet you ",
    )
)
"""Words that tell nothing about what a change touched."""
_MIN_STEM = 4
_ENDINGS = ("ings", "ing", "ions", "ion", "ies", "ied", "es", "ed", "s", "y")


def blamed_change(
    definition: ClassDefinition,
    own: Sequence[Signal],
    first: Signal | None,
    signals: SignalSet,
    question: str,
) -> Signal | None:
    """Return the record of the change to blame for a class whose signals are `own`, or None."""
    if not definition.changes:
        return None
    spoken = words_of(
        [question, *(signal.evidence.excerpt for signal in own), *(signal.entity.name for signal in own)]
    )
    fitting = [
        signal
        for signal in signals.signals
        if signal.family is Family.CHANGE
        and name_fits(signal.name, definition.changes)
        and not signal.attributes.get("repair")
        and not _later(signal, first)
        and (name_fits(signal.name, definition.likely_changes) or _touches(signal, spoken))
    ]
    return next(iter(arrange(fitting)), None)


def _later(change: Signal, first: Signal | None) -> bool:
    return first is not None and order(first.stamp, change.stamp) is Order.BEFORE


def _touches(change: Signal, spoken: frozenset[str]) -> bool:
    text = str(change.attributes.get("what", change.evidence.excerpt))
    return bool(_EVERYWHERE.search(text)) or bool(words_of([text]) & spoken)


def words_of(texts: Iterable[str]) -> frozenset[str]:
    """Return the telling words of the texts, cut to their stems so that `pulls` and `pulled` are one."""
    found = (word.casefold() for text in texts for word in _WORD.findall(text))
    return frozenset(_stem(word) for word in found if word not in _COMMON)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM:
            return word.removesuffix(ending)
    return word
