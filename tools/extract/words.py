"""Derives the words of which every line that a pattern matches holds at least one."""

from firstfault.tools.extract.trees import (
    ASCII_END,
    REPEATS,
    Tree,
    branches_of,
    code_of,
    group_of,
    members_of,
    repeat_of,
)

_MAX_WORDS = 64
"""A longer list of alternatives tells too little."""


def needed_words(tree: Tree) -> frozenset[str]:
    """Return the most telling set of words of which every match holds one; empty when there is none."""
    return _best(tree) or frozenset()


def _best(tree: Tree) -> frozenset[str] | None:
    """Return the most telling set of words of which every match holds one, or None when there is none."""
    best: frozenset[str] | None = None
    run = ""
    for name, value in [*tree, ("END", None)]:
        code = code_of(value) if str(name) == "LITERAL" else -1
        if 0 < code < ASCII_END:
            run += chr(code)
            continue
        for candidate in (frozenset({run}) if run else None, _words(str(name), value)):
            best = _better(best, candidate)
        run = ""
    return best


def _words(name: str, value: object) -> frozenset[str] | None:
    if name == "SUBPATTERN":
        return _best(group_of(value)[3])
    if name == "ATOMIC_GROUP":
        return _best(members_of(value))
    if name in REPEATS:
        low, _, inner = repeat_of(value)
        return _best(inner) if low else None
    if name == "BRANCH":
        sets = [_best(branch) for branch in branches_of(value)[1]]
        whole = frozenset(word for words in sets if words is not None for word in words)
        return whole if all(words is not None for words in sets) and len(whole) <= _MAX_WORDS else None
    return None


def _better(left: frozenset[str] | None, right: frozenset[str] | None) -> frozenset[str] | None:
    if left is None or right is None:
        return left if right is None else right
    return max(left, right, key=lambda words: (min(map(len, words)), -len(words), sorted(words)))
