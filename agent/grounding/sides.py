"""A sentence taken apart at the word that claims an order or a cause. Pure."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum


class Link(StrEnum):
    """What a sentence says of its two sides."""

    ORDER = "order"
    CAUSE = "cause"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """earlier: what is said to come first or to be the cause; later: the other, empty without a link."""

    earlier: str
    later: str = ""
    link: Link | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Meaning:
    link: Link
    left_is_earlier: bool


_CAUSE_THEN_EFFECT = (
    "led to, leads to, resulted in, results in, caused, causes, cause, triggered, triggers, produced, produces, made, makes, "
    "explains, explained, therefore, hence, thus, so, which is why, is why, brought down, took down, broke, breaks"
)
_EFFECT_THEN_CAUSE = (
    "because of, because, due to, was caused by, is caused by, caused by, owing to, as a result of, resulted from, results from, "
    "stems from, stemmed from, follows from, followed from, was triggered by, triggered by, explained by, thanks to, since, "
    "is an echo of, are echoes of, echo of, echoes of, is a symptom of, are symptoms of, symptom of, symptoms of, "
    "is a consequence of, are consequences of, consequence of, consequences of"
)
_EARLIER_THEN_LATER = "and then, then, before, followed by, was followed by, preceded, precedes, until"
_LATER_THEN_EARLIER = "after, following, followed, follows, preceded by, was preceded by"

_MEANINGS = {
    phrase: _Meaning(link=link, left_is_earlier=left)
    for phrases, link, left in (
        (_CAUSE_THEN_EFFECT, Link.CAUSE, True),
        (_EFFECT_THEN_CAUSE, Link.CAUSE, False),
        (_EARLIER_THEN_LATER, Link.ORDER, True),
        (_LATER_THEN_EARLIER, Link.ORDER, False),
    )
    for phrase in phrases.split(", ")
}
_LINKING = re.compile(rf"\b({'|'.join(sorted(_MEANINGS, key=len, reverse=True))})\b", re.IGNORECASE)


def sides_of(sentence: str, terms: Iterable[str] = ()) -> Sides | None:
    """Return the sides of a sentence, or None when it makes more than one link.

    terms: phrases in which a linking word is part of a name, such as the signal `dns follows`.
    """
    spans = [span for term in terms for span in _places(sentence.lower(), term.lower())]
    found = [m for m in _LINKING.finditer(sentence) if not any(a <= m.start() < b for a, b in spans)]
    if not found:
        return Sides(earlier=sentence)
    if len(found) > 1:
        return None
    match = found[0]
    left, right = sentence[: match.start()], sentence[match.end() :]
    meaning = _MEANINGS[match[0].lower()]
    if not left.strip():
        left, comma, right = _turned(right)
        if meaning.left_is_earlier or not comma:
            return None
    earlier, later = (left, right) if meaning.left_is_earlier else (right, left)
    return Sides(earlier=earlier, later=later, link=meaning.link)


def _places(sentence: str, term: str) -> Iterator[tuple[int, int]]:
    at = sentence.find(term) if term else -1
    while at >= 0:
        yield at, at + len(term)
        at = sentence.find(term, at + 1)


def _turned(rest: str) -> tuple[str, str, str]:
    """Return `B`, the comma and `A` of a sentence that begins with its linking word: `After A, B`."""
    first, comma, second = rest.partition(", ")
    return second, comma, first
