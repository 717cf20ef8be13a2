"""Derives from an exact pattern what any matching line must hold, for engines that look at everything fast.

An exact Python pattern is searched only in lines that hit; which lines hit is decided by a *necessary condition*
derived here from its parse tree: `condition` gives an expression without groups, look-around and end anchors, cut at
both ends so that an automaton reports few end positions; `literals` gives words of which every matching line holds at
least one. Both are wider than the pattern, never narrower: nothing the pattern matches is missed (a property test).
"""

import importlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

_MAX_SETS = 64
_ANY_BYTES = "[^\\n]"
_NON_ASCII = "\\x80-\\xff"
_CATEGORIES = {
    "CATEGORY_DIGIT": "\\d",
    "CATEGORY_NOT_DIGIT": "\\D",
    "CATEGORY_SPACE": "\\s",
    "CATEGORY_NOT_SPACE": "\\S",
    "CATEGORY_WORD": "\\w",
    "CATEGORY_NOT_WORD": "\\W",
}
_REPEATS = {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}
_UNBOUNDED = 4_000_000
"""Repeat counts from here on are `no limit` to the parser."""

_Tree = Sequence[tuple[object, object]]


class _Parser(Protocol):
    """The parser of the standard library; it has no public name (the public one is deprecated since 3.11)."""

    def parse(self, pattern: str, flags: int = ...) -> _Tree:
        """Return the parse tree of `pattern`."""
        ...


_PARSER = cast("_Parser", importlib.import_module("re._parser"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What a line must hold. expression: in the common subset of PCRE; literals: lower case when `caseless`."""

    expression: str
    caseless: bool
    literals: frozenset[str]


def condition(pattern: re.Pattern[str]) -> Condition:
    """Return the necessary condition of `pattern`, an ASCII pattern without DOTALL."""
    tree = _PARSER.parse(pattern.pattern, pattern.flags)
    expression = _sequence(_cut(list(tree)))
    caseless = bool(pattern.flags & re.IGNORECASE)
    words = _best(tree) or frozenset()
    return Condition(expression=expression, caseless=caseless, literals=frozenset(word.lower() for word in words))


def _cut(items: list[tuple[object, object]]) -> list[tuple[object, object]]:
    """Return the sequence without what may be empty at its ends."""
    items = _cut_tail(items)
    while items and (_may_be_empty(items[0]) or (str(items[0][0]) == "AT" and len(items) > 1 and _may_be_empty(items[1]))):
        items.pop(0)
    return items


def _cut_tail(items: list[tuple[object, object]]) -> list[tuple[object, object]]:
    while items and _may_be_empty(items[-1]):
        items.pop()
    return [*items[:-1], _shortest_tail(items[-1])] if items else items


def _shortest_tail(item: tuple[object, object]) -> tuple[object, object]:
    name = str(item[0])
    if name in _REPEATS:
        low, _, inner = cast("tuple[int, int, _Tree]", item[1])
        return item[0], (low, low, inner)
    if name == "SUBPATTERN":
        group, add, drop, inner = cast("tuple[object, int, int, _Tree]", item[1])
        return item[0], (group, add, drop, _cut_tail(list(inner)))
    if name == "BRANCH":
        label, branches = cast("tuple[object, list[_Tree]]", item[1])
        return item[0], (label, [_cut_tail(list(branch)) for branch in branches])
    return item


def _may_be_empty(item: tuple[object, object]) -> bool:
    name = str(item[0])
    if name in {"ASSERT", "ASSERT_NOT"}:
        return True
    if name == "AT":
        return str(item[1]) in {"AT_END", "AT_END_STRING"}
    if name in _REPEATS:
        low, _, inner = cast("tuple[int, int, _Tree]", item[1])
        return low == 0 or all(_may_be_empty(part) for part in inner)
    if name == "SUBPATTERN":
        inner = cast("tuple[object, int, int, _Tree]", item[1])[3]
        return all(_may_be_empty(part) for part in inner)
    if name == "BRANCH":
        branches = cast("tuple[object, list[_Tree]]", item[1])[1]
        return any(all(_may_be_empty(part) for part in branch) for branch in branches)
    return False


def _sequence(items: Iterable[tuple[object, object]]) -> str:
    return "".join(_text(str(name), value) for name, value in items)


def _text(name: str, value: object) -> str:  # noqa: PLR0911 - one return for each kind of node reads best
    match name:
        case "LITERAL":
            return _byte(cast("int", value))
        case "NOT_LITERAL":
            return f"(?:[^{_byte(cast('int', value))}]{{1,4}})"
        case "ANY":
            return f"(?:{_ANY_BYTES}{{1,4}})"
        case "IN":
            return _class(cast("_Tree", value))
        case "BRANCH":
            branches = cast("tuple[object, list[_Tree]]", value)[1]
            return f"(?:{'|'.join(_sequence(branch) for branch in branches)})"
        case "SUBPATTERN":
            _, add, _, inner = cast("tuple[object, int, int, _Tree]", value)
            return f"(?{'i' if add & re.IGNORECASE else ''}:{_sequence(inner)})"
        case "ATOMIC_GROUP":
            return f"(?:{_sequence(cast('_Tree', value))})"
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return _repeat(*cast("tuple[int, int, _Tree]", value))
        case "AT":
            return {"AT_BEGINNING": "^", "AT_BOUNDARY": "\\b", "AT_NON_BOUNDARY": "\\B"}.get(str(value), "")
        case "ASSERT" | "ASSERT_NOT":
            return ""
        case _:
            return f"{_ANY_BYTES}*"


def _repeat(low: int, high: int, inner: _Tree) -> str:
    one = _one_byte(inner)
    body = one if one is not None else f"(?:{_sequence(inner)})"
    widens = one is not None and _takes_non_ascii(inner)
    if high >= _UNBOUNDED or (widens and high > 1):
        return body + ("*" if low == 0 else "+" if low == 1 else f"{{{low},}}")
    if widens:
        return f"(?:{body}{{1,4}})" + ("?" if low == 0 else "")
    return body + ("?" if (low, high) == (0, 1) else "" if low == high == 1 else f"{{{low},{high}}}")


def _one_byte(inner: _Tree) -> str | None:
    """Return the class of a repeated single character without the room for several bytes, or None."""
    if len(inner) != 1:
        return None
    name, value = str(inner[0][0]), inner[0][1]
    if name == "ANY":
        return _ANY_BYTES
    if name == "NOT_LITERAL":
        return f"[^{_byte(cast('int', value))}]"
    return _bare_class(cast("_Tree", value)) if name == "IN" else None


def _takes_non_ascii(inner: _Tree) -> bool:
    name, value = str(inner[0][0]), inner[0][1]
    return name in {"ANY", "NOT_LITERAL"} or (name == "IN" and _is_wide(cast("_Tree", value)))


def _is_wide(members: _Tree) -> bool:
    """Return whether a class can match a character outside ASCII, which is several bytes."""
    return any(str(name) == "NEGATE" or (str(name) == "CATEGORY" and "NOT" in str(value)) for name, value in members)


def _class(members: _Tree) -> str:
    bare = _bare_class(members)
    return f"(?:{bare}{{1,4}})" if _is_wide(members) else bare


def _bare_class(members: _Tree) -> str:
    parts: list[str] = []
    for name, value in members:
        match str(name):
            case "NEGATE":
                parts.append("^")
            case "LITERAL":
                parts.append(_byte(cast("int", value)))
            case "RANGE":
                low, high = cast("tuple[int, int]", value)
                parts.append(f"{_byte(low)}-{_byte(high)}")
            case "CATEGORY":
                parts.append(_CATEGORIES[str(value)])
            case _:
                return f"[{_NON_ASCII}\\x00-\\x7f]"
    return f"[{''.join(parts)}]"


def _byte(code: int) -> str:
    text = chr(code)
    if text.isalnum() and code < 128:  # noqa: PLR2004 - the ASCII range
        return text
    return "".join(f"\\x{byte:02x}" for byte in text.encode())


def _best(tree: _Tree) -> frozenset[str] | None:
    """Return the most telling set of words of which every match holds one, or None when there is none."""
    best: frozenset[str] | None = None
    run = ""
    for name, value in [*tree, ("END", None)]:
        code = cast("int", value) if str(name) == "LITERAL" else -1
        if 0 < code < 128:  # noqa: PLR2004 - the ASCII range
            run += chr(code)
            continue
        for candidate in (frozenset({run}) if run else None, _words(str(name), value)):
            best = _better(best, candidate)
        run = ""
    return best


def _words(name: str, value: object) -> frozenset[str] | None:
    if name == "SUBPATTERN":
        return _best(cast("tuple[object, int, int, _Tree]", value)[3])
    if name == "ATOMIC_GROUP":
        return _best(cast("_Tree", value))
    if name in _REPEATS:
        low, _, inner = cast("tuple[int, int, _Tree]", value)
        return _best(inner) if low else None
    if name == "BRANCH":
        sets = [_best(branch) for branch in cast("tuple[object, list[_Tree]]", value)[1]]
        whole = frozenset(word for words in sets if words is not None for word in words)
        return whole if all(words is not None for words in sets) and len(whole) <= _MAX_SETS else None
    return None


def _better(left: frozenset[str] | None, right: frozenset[str] | None) -> frozenset[str] | None:
    if left is None or right is None:
        return left if right is None else right
    return max(left, right, key=lambda words: (min(map(len, words)), -len(words), sorted(words)))
