"""Derives the words of which every line that a pattern matches holds at least one."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from firstfault.tools.scan.trees import (
    ASCII_END,
    REPEATS,
    Tree,
    branches_of,
    code_of,
    group_of,
    members_of,
    repeat_of,
    tree_of,
)

_MAX_WORDS = 64
"""A longer list of alternatives tells too little."""
_FEW_WORDS = 16
"""Looking for more words one by one costs as much as the pattern itself."""


@cache
def needed_words(pattern: re.Pattern[str]) -> frozenset[str]:
    """Return words in lower case of which every line that `pattern` matches holds one, in whatever case.

    Empty when there are none: then every line has to be searched. Kept: the kinds of document share most patterns.
    """
    return frozenset(word.lower() for word in best_words(tree_of(pattern)) or ())


@cache
def required_words(pattern: re.Pattern[str]) -> tuple[frozenset[str], ...]:
    """Return sets of words in lower case: every line that `pattern` matches holds one of each, in whatever case.

    The set that `needed_words` gives is left out: whoever asks has found it already.
    """
    found = [frozenset(word.lower() for word in words) for words in _all_words(tree_of(pattern))]
    known = needed_words(pattern)
    return tuple(words for words in dict.fromkeys(found) if words != known and len(words) <= _FEW_WORDS)


def by_head(words: Iterable[str]) -> dict[str, list[str]]:
    """Return words by the shortest of them that they begin with: where a word stands, its head stands too."""
    found: dict[str, list[str]] = {}
    head: str | None = None
    for word in sorted(set(words)):
        if head is None or not word.startswith(head):
            head = word
        found.setdefault(head, []).append(word)
    return found


def letter_tree(words: Sequence[str]) -> str:
    """Return one expression for all words, with common beginnings written once; no word begins another.

    `re` tries alternatives one after the other: written as a tree, few are left to try at any letter.
    """
    branches: dict[str, list[str]] = {}
    for word in words:
        branches.setdefault(word[0], []).append(word[1:])
    parts = [
        re.escape(letter) + (letter_tree(rest) if any(rest) else "")
        for letter, rest in sorted(branches.items())
    ]
    return parts[0] if len(parts) == 1 else f"(?:{'|'.join(parts)})"


def best_words(tree: Tree) -> frozenset[str] | None:
    """Return the most telling set of words of which every match holds one, or None when there is none."""
    best: frozenset[str] | None = None
    for candidate in _all_words(tree):
        best = _better(best, candidate)
    return best


def _all_words(tree: Tree) -> Iterator[frozenset[str]]:
    """Yield sets of words of which every match holds one of each, in the order of the pattern."""
    run = ""
    for name, value in [*tree, ("END", None)]:
        code = code_of(value) if str(name) == "LITERAL" else -1
        if 0 < code < ASCII_END:
            run += chr(code)
            continue
        if run:
            yield frozenset({run})
        words = _words(str(name), value)
        if words:
            yield words
        run = ""


def _words(name: str, value: object) -> frozenset[str] | None:
    if name == "SUBPATTERN":
        return best_words(group_of(value)[3])
    if name == "ATOMIC_GROUP":
        return best_words(members_of(value))
    if name in REPEATS:
        low, _, inner = repeat_of(value)
        return best_words(inner) if low else None
    if name == "BRANCH":
        sets = [best_words(branch) for branch in branches_of(value)[1]]
        whole = frozenset(word for words in sets if words is not None for word in words)
        return whole if all(words is not None for words in sets) and len(whole) <= _MAX_WORDS else None
    return None


def _better(left: frozenset[str] | None, right: frozenset[str] | None) -> frozenset[str] | None:
    if left is None or right is None:
        return left if right is None else right
    return max(left, right, key=quality)


def quality(words: frozenset[str] | None) -> tuple[int, int, list[str]]:
    """Return a key that is greater the more a set of words tells: long words, few of them."""
    if not words:
        return 0, 0, []
    return min(map(len, words)), -len(words), sorted(words)
