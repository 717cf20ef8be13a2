"""Derives from an exact pattern an expression that every matching line meets, for engines that look at everything.

An exact Python pattern is searched only in lines that hit; which lines hit is decided by a *necessary condition*
derived from its parse tree: without groups, look-around and end anchors, only the most telling segment, cut at both
ends so that an automaton reports few end positions. It is wider than the pattern, never narrower: nothing that the
pattern matches is missed (a property test). Words that serve the same end are in `words`.
"""

import re
from collections.abc import Callable, Iterable
from typing import cast

from firstfault.tools.scan.segments import Items, narrowed, shortest_word
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

_ANY_BYTES = "[^\\n]"
_NON_ASCII = "\\x80-\\xff"
_ANY_BYTE = f"[\\x00-\\x7f{_NON_ASCII}]"
_CATEGORIES = {
    "CATEGORY_DIGIT": "\\d",
    "CATEGORY_NOT_DIGIT": "\\D",
    "CATEGORY_SPACE": "\\s",
    "CATEGORY_NOT_SPACE": "\\S",
    "CATEGORY_WORD": "\\w",
    "CATEGORY_NOT_WORD": "\\W",
}
TELLING = 7
"""A segment whose words are shorter stands in ordinary lines too: then the whole pattern is the condition. Measured."""
LONGEST = 300
"""Longer expressions may be too large for an automaton: their segment is the condition. Units: characters."""
_UNBOUNDED = 4_000_000
"""Repeat counts from here on are `no limit` to the parser."""


def expression_of(pattern: re.Pattern[str]) -> str:
    """Return the necessary condition of `pattern` in the common subset of PCRE; its case rules are those of `pattern`.

    The pattern is ASCII, without DOTALL; the text it is compared with is whole UTF-8.
    """
    tree = tree_of(pattern)
    segment = narrowed(tree)
    whole = "" if shortest_word(segment) >= TELLING else _sequence(_cut(list(tree)))
    return whole if 0 < len(whole) <= LONGEST else _sequence(_cut(segment))


def _cut(items: Items) -> Items:
    """Return the sequence without what may be empty at its ends, also inside the groups that stand there."""
    return _cut_head(_cut_tail(items))


def _cut_tail(items: Items) -> Items:
    while items and _may_be_empty(items[-1]):
        items.pop()
    return [*items[:-1], _shortest(items[-1], _cut_tail)] if items else items


def _cut_head(items: Items) -> Items:
    while items and (
        _may_be_empty(items[0]) or (len(items) > 1 and _is_at(items[0]) and _may_be_empty(items[1]))
    ):
        items.pop(0)
    return [_shortest(items[0], _cut_head), *items[1:]] if items else items


def _is_at(item: tuple[object, object]) -> bool:
    return str(item[0]) == "AT"


def _shortest(item: tuple[object, object], cut: Callable[[Items], Items]) -> tuple[object, object]:
    """Return an item at an end as short as a match allows: a repeat as often as it must, groups cut in turn."""
    name = str(item[0])
    if name in REPEATS:
        low, _, inner = repeat_of(item[1])
        return item[0], (low, low, inner)
    if name == "SUBPATTERN":
        group, add, drop, inner = group_of(item[1])
        return item[0], (group, add, drop, cut(list(inner)))
    if name == "BRANCH":
        label, branches = branches_of(item[1])
        return item[0], (label, [cut(list(branch)) for branch in branches])
    return item


def _may_be_empty(item: tuple[object, object]) -> bool:
    name = str(item[0])
    if name in {"ASSERT", "ASSERT_NOT"}:
        return True
    if name == "AT":
        return str(item[1]) in {"AT_END", "AT_END_STRING"}
    if name in REPEATS:
        low, _, inner = repeat_of(item[1])
        return low == 0 or all(_may_be_empty(part) for part in inner)
    if name == "SUBPATTERN":
        inner = group_of(item[1])[3]
        return all(_may_be_empty(part) for part in inner)
    if name == "BRANCH":
        branches = branches_of(item[1])[1]
        return any(all(_may_be_empty(part) for part in branch) for branch in branches)
    return False


def _sequence(items: Iterable[tuple[object, object]]) -> str:
    return "".join(_text(str(name), value) for name, value in items)


def _text(name: str, value: object) -> str:  # noqa: PLR0911 - one return for each kind of node reads best
    match name:
        case "LITERAL":
            return _byte(code_of(value))
        case "NOT_LITERAL":
            return f"(?:{_other_than(code_of(value))}{{1,4}})"
        case "ANY":
            return f"(?:{_ANY_BYTES}{{1,4}})"
        case "IN":
            return _class(members_of(value))
        case "BRANCH":
            branches = branches_of(value)[1]
            return f"(?:{'|'.join(_sequence(branch) for branch in branches)})"
        case "SUBPATTERN":
            _, add, _, inner = group_of(value)
            return f"(?{'i' if add & re.IGNORECASE else ''}:{_sequence(inner)})"
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return _repeat(*repeat_of(value))
        case "AT":
            return {"AT_BEGINNING": "^", "AT_BOUNDARY": "\\b", "AT_NON_BOUNDARY": "\\B"}.get(str(value), "")
        case "ASSERT" | "ASSERT_NOT":
            return ""
        case _:
            return f"{_ANY_BYTES}*"


def _repeat(low: int, high: int, inner: Tree) -> str:
    one = _one_byte(inner)
    body = one if one is not None else f"(?:{_sequence(inner)})"
    widens = one is not None and _takes_non_ascii(inner)
    if high >= _UNBOUNDED or (widens and high > 1):
        return body + ("*" if low == 0 else "+" if low == 1 else f"{{{low},}}")
    if widens:
        return f"(?:{body}{{1,4}})" + ("?" if low == 0 else "")
    return body + ("?" if (low, high) == (0, 1) else "" if low == high == 1 else f"{{{low},{high}}}")


def _one_byte(inner: Tree) -> str | None:
    """Return the class of a repeated single character without the room for several bytes, or None."""
    if len(inner) != 1:
        return None
    name, value = str(inner[0][0]), inner[0][1]
    if name == "ANY":
        return _ANY_BYTES
    if name == "NOT_LITERAL":
        return _other_than(code_of(value))
    return _bare_class(members_of(value)) if name == "IN" else None


def _other_than(code: int) -> str:
    """Return the bytes of any other character; one outside ASCII shares its bytes with others."""
    return f"[^{_byte(code)}]" if code < ASCII_END else _ANY_BYTES


def _takes_non_ascii(inner: Tree) -> bool:
    name, value = str(inner[0][0]), inner[0][1]
    return name in {"ANY", "NOT_LITERAL"} or (name == "IN" and _is_wide(members_of(value)))


def _is_wide(members: Tree) -> bool:
    """Return whether a class can match a character outside ASCII, which is several bytes."""
    return any(
        str(name) == "NEGATE"
        or (str(name) == "CATEGORY" and "NOT" in str(value))
        or (str(name) == "LITERAL" and code_of(value) >= ASCII_END)
        or (str(name) == "RANGE" and cast("tuple[int, int]", value)[1] >= ASCII_END)
        for name, value in members
    )


def _class(members: Tree) -> str:
    bare = _bare_class(members)
    return f"(?:{bare}{{1,4}})" if _is_wide(members) else bare


def _bare_class(members: Tree) -> str:
    """Return the class in bytes.

    A character outside ASCII is several: any such byte may be one of them, and none is excluded, for others have it too.
    """
    is_negated = any(str(name) == "NEGATE" for name, _ in members)
    parts: list[str] = []
    for name, value in members:
        match str(name):
            case "NEGATE":
                continue
            case "LITERAL":
                parts.append(_range(code_of(value), code_of(value), is_negated=is_negated))
            case "RANGE":
                parts.append(_range(*cast("tuple[int, int]", value), is_negated=is_negated))
            case "CATEGORY":
                parts.append(_CATEGORIES[str(value)])
            case _:
                return _ANY_BYTE
    inner = "".join(parts)
    return f"[{'^' if is_negated else ''}{inner}]" if inner else _ANY_BYTE


def _range(low: int, high: int, *, is_negated: bool) -> str:
    """Return the members of a class for a range of characters."""
    last = min(high, ASCII_END - 1)
    ascii_part = "" if low > last else _byte(low) if low == last else f"{_byte(low)}-{_byte(last)}"
    return ascii_part + (_NON_ASCII if high >= ASCII_END and not is_negated else "")


def _byte(code: int) -> str:
    text = chr(code)
    if text.isalnum() and code < ASCII_END:
        return text
    return "".join(f"\\x{byte:02x}" for byte in text.encode())
