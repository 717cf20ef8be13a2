"""A sentence as tokens: words by their stem with what surrounds them, names, numbers, times. Pure.

The stem is crude on purpose: two words that differ more than in an ending are two words.
"""

import re
from dataclasses import dataclass, replace
from enum import StrEnum

from firstfault.agent.grounding.vocabulary import HEDGES, IRREGULAR, NEGATORS, NEGATORS_AFTER, NUMBER_WORDS


class Sort(StrEnum):
    """What a token is."""

    WORD = "word"
    NAME = "name"
    NUMBER = "number"
    TIME = "time"


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """One token. stem: of a word; else the text. negated, hedged, either: what its surroundings make of it."""

    sort: Sort
    text: str
    stem: str
    negated: bool = False
    hedged: bool = False
    either: bool = False


_TIME = re.compile(r"(?:\d{4}-\d{2}-\d{2}T?)?(?:\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?(?:Z|[+-]\d{2}:?\d{2})?")
_NUMBER = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-+]?\d+(?:\.\d+)?")
_WITH_UNIT = re.compile(rf"({_NUMBER.pattern})(%|[a-zA-Z]{{1,3}})")
_WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?")
_ENDINGS = ("ingly", "edly", "ness", "ing", "ies", "ied", "ed", "es", "s", "e")
_SHORTEST_STEM = 3
_REACH = 3
_REACH_BACK = 2
"""How many tokens after and before a negator mean the opposite."""
EDGES = "()[]{},;:.!?\"'“”‘’«»…="


def stem(word: str) -> str:
    """Return the stem of a word, in lower case."""
    lower = word.lower().removesuffix("'s").removesuffix("'")
    if lower in IRREGULAR:
        return IRREGULAR[lower]
    for ending in _ENDINGS:
        if lower.endswith(ending) and len(lower) - len(ending) >= _SHORTEST_STEM:
            lower = lower.removesuffix(ending)
            break
    doubled = len(lower) > _SHORTEST_STEM and lower[-1] == lower[-2] and lower[-1] in "bdgmnprt"
    return lower[:-1] if doubled else lower


def tokenize(sentence: str) -> tuple[Token, ...]:
    """Return the tokens of one sentence, words with the reach of negations, hedges and `or` worked out."""
    plain = [token for chunk in sentence.split() for token in _chunk(chunk)]
    either = any(token.stem == "or" for token in plain)
    first_hedge = next((index for index, token in enumerate(plain) if token.stem in HEDGES), len(plain))
    negated = {reached for index, token in enumerate(plain) for reached in _reach(index, token.stem)}
    return tuple(
        replace(token, negated=index in negated, hedged=index > first_hedge, either=either)
        for index, token in enumerate(plain)
    )


def _reach(index: int, found: str) -> range:
    """Return the places whose meaning a negator at `index` turns; `create failed` turns what stands before it too."""
    if found not in NEGATORS:
        return range(0)
    return range(index - _REACH_BACK if found in NEGATORS_AFTER else index, index + _REACH + 1)


def _chunk(chunk: str) -> list[Token]:
    core = chunk.strip(EDGES)
    if not core:
        return []
    if _NUMBER.fullmatch(core):
        return [Token(sort=Sort.NUMBER, text=core, stem=core.replace(",", ""))]
    if _WORD.fullmatch(core):
        return [_word(core)]
    if ":" in core and _TIME.fullmatch(core):
        return [Token(sort=Sort.TIME, text=core, stem=core)]
    with_unit = _WITH_UNIT.fullmatch(core)
    if with_unit is not None:
        return [
            Token(sort=Sort.NUMBER, text=with_unit[1], stem=with_unit[1].replace(",", "")),
            _word(with_unit[2]),
        ]
    return [Token(sort=Sort.NAME, text=core, stem=core)]


def _word(text: str) -> Token:
    number = NUMBER_WORDS.get(text.lower())
    if number is not None:
        return Token(sort=Sort.NUMBER, text=text, stem=number)
    return Token(sort=Sort.WORD, text=text, stem="%" if text == "%" else stem(text))
