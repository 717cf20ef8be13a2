"""Words of a text in the form in which they are compared: small letters, no endings, compounds whole and in parts. Pure."""

import re
from collections.abc import Iterator

_WORD = re.compile(r"[A-Za-z][A-Za-z]+(?:[-_/.][A-Za-z]+)*", re.ASCII)
_PART = re.compile(r"[-_/.]")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_ENDINGS = ("ations", "ation", "ings", "ing", "edly", "ed", "ies", "es", "s", "ly")
_SHORTEST_STEM = 4
_SAYS_NOTHING = frozenset(
    [
        "the",
        "an",
        "and",
        "or",
        "of",
        "in",
        "on",
        "at",
        "to",
        "for",
        "from",
        "with",
        "without",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "it",
        "its",
        "this",
        "that",
        "these",
        "those",
        "as",
        "by",
        "not",
        "no",
        "has",
        "have",
        "had",
        "do",
        "does",
        "did",
        "all",
        "one",
        "each",
        "other",
        "others",
        "than",
        "then",
        "there",
        "they",
        "them",
        "when",
        "where",
        "what",
        "why",
        "which",
        "who",
        "how",
        "we",
        "our",
        "us",
        "you",
        "he",
        "she",
        "his",
        "her",
        "can",
        "could",
        "will",
        "would",
        "may",
        "might",
        "but",
        "if",
        "so",
        "only",
        "also",
        "more",
        "most",
        "same",
        "into",
        "out",
        "up",
        "down",
        "over",
        "again",
        "after",
        "before",
        "since",
        "while",
        "during",
        "still",
        "any",
        "some",
        "every",
        "both",
        "none",
        "nothing",
        "never",
        "now",
        "today",
        "yesterday",
        "minute",
        "minutes",
        "hour",
        "hours",
        "day",
        "days",
        "second",
        "seconds",
        "am",
        "pm",
        "utc",
        "time",
    ]
)
"""Words that stand in every text."""


def stems(text: str) -> Iterator[str]:
    """Yield the words of a text in order; `CreateContainerError` and `kube-proxy` give the whole and their parts."""
    for match in _WORD.finditer(text):
        parts = [
            _stem(part.lower())
            for piece in _PART.split(match[0])
            for part in _HUMP.split(piece)
            if len(part) > 1
        ]
        if len(parts) > 1:
            yield "-".join(parts)
        yield from (part for part in parts if part not in _SAYS_NOTHING)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word.removesuffix(ending)
    return word
