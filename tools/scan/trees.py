"""The parse trees of regular expressions, and what their nodes mean for engines that look for necessary conditions."""

import importlib
import re
from collections.abc import Sequence
from typing import Protocol, cast

Tree = Sequence[tuple[object, object]]
"""Nodes as (operation, argument); operations are named constants of the standard library."""

REPEATS = frozenset({"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"})
ASCII_END = 128


class _Parser(Protocol):
    """The parser of the standard library; it has no public name (the public one is deprecated since 3.11)."""

    def parse(self, pattern: str, flags: int = ...) -> Tree:
        """Return the parse tree of `pattern`."""
        ...


_PARSER = cast("_Parser", importlib.import_module("re._parser"))


def tree_of(pattern: re.Pattern[str]) -> Tree:
    """Return the parse tree of a compiled pattern."""
    return _PARSER.parse(pattern.pattern, pattern.flags)


def repeat_of(value: object) -> tuple[int, int, Tree]:
    """Return (least, most, what) of a repeat."""
    return cast("tuple[int, int, Tree]", value)


def group_of(value: object) -> tuple[object, int, int, Tree]:
    """Return (name, flags added, flags dropped, what) of a group."""
    return cast("tuple[object, int, int, Tree]", value)


def branches_of(value: object) -> tuple[object, list[Tree]]:
    """Return (nothing, alternatives) of a branch."""
    return cast("tuple[object, list[Tree]]", value)


def code_of(value: object) -> int:
    """Return the code point of a literal."""
    return cast("int", value)


def members_of(value: object) -> Tree:
    """Return the members of a class, or the body of an atomic group."""
    return cast("Tree", value)
