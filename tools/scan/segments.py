"""Picks the most telling part of a pattern: what stands between its wildcards, for each of its alternatives.

A line that matches `A.*B` holds A and holds B; an automaton for one of them is small, quick to build and quick to
run, and the exact pattern is searched only in the lines that it finds.
"""

from firstfault.tools.scan.trees import REPEATS, Tree, branches_of, group_of, members_of, repeat_of
from firstfault.tools.scan.words import best_words, quality

Items = list[tuple[object, object]]

_SHORT_GAP = 3
"""A repeat of anything up to this many characters is kept: it costs an automaton little."""


def narrowed(tree: Tree) -> Items:
    """Return a sequence that every match contains: the best segment, with its alternatives narrowed in the same way."""
    segments: list[Items] = [[]]
    for item in tree:
        if not _holds_wildcard(item):
            segments[-1].append(item)
            continue
        group = _narrowed_group(item)
        segments.extend([group, []] if group else [[]])
    return max(segments, key=lambda each: quality(best_words(each)))


def shortest_word(items: Tree) -> int:
    """Return the length of the shortest word that may be all a match of `items` holds; 0 when it need hold none."""
    return quality(best_words(items))[0]


def _narrowed_group(item: tuple[object, object]) -> Items:
    """Return a required group that holds wildcards, narrowed; nothing for a wildcard itself or an optional group."""
    name = str(item[0])
    if name == "SUBPATTERN":
        group, add, drop, inner = group_of(item[1])
        return [(item[0], (group, add, drop, narrowed(inner)))]
    if name == "BRANCH":
        label, branches = branches_of(item[1])
        return [(item[0], (label, [narrowed(branch) for branch in branches]))]
    if name in REPEATS:
        low, _, inner = repeat_of(item[1])
        return narrowed(inner) if low and len(inner) > 1 else []
    return []


def _holds_wildcard(item: tuple[object, object]) -> bool:
    name = str(item[0])
    if name in REPEATS:
        low, high, inner = repeat_of(item[1])
        is_wide = high - low > _SHORT_GAP and len(inner) == 1 and _takes_much(inner[0])
        return is_wide or (high > 1 and len(inner) > 1) or any(_holds_wildcard(part) for part in inner)
    if name == "SUBPATTERN":
        return any(_holds_wildcard(part) for part in group_of(item[1])[3])
    if name == "BRANCH":
        return any(_holds_wildcard(part) for branch in branches_of(item[1])[1] for part in branch)
    return False


def _takes_much(item: tuple[object, object]) -> bool:
    r"""Return whether a character class takes nearly anything: `.`, `[^…]`, `\\S`, `\\w`."""
    name = str(item[0])
    if name in {"ANY", "NOT_LITERAL"}:
        return True
    return name == "IN" and any(
        str(kind) in {"NEGATE", "CATEGORY"} and str(value) not in {"CATEGORY_DIGIT", "CATEGORY_SPACE"}
        for kind, value in members_of(item[1])
    )
