"""Signals that say of no fault: that something is well, how much there is, what is being spoken of.

`harmless_signals.csv` is the one list of them: a pattern of names and what such signals say.
"""

from collections.abc import Collection
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cache

from firstfault.tools.catalogs.tables import CatalogueError, read_table


class Says(StrEnum):
    """What a signal says instead of a fault."""

    WELL = "well"
    AMOUNT = "amount"
    BACKGROUND = "background"
    SUBJECT = "subject"


ALL = frozenset(Says)
FINE = frozenset({Says.WELL, Says.AMOUNT})
"""That something is well, or merely how much there is of it: it follows from no fault."""


@cache
def _patterns() -> tuple[tuple[str, Says], ...]:
    try:
        return tuple((row["pattern"], Says(row["says"])) for row in read_table("harmless_signals.csv"))
    except ValueError as error:
        msg = f"`harmless_signals.csv`: {error}"
        raise CatalogueError(msg) from error


@cache
def is_harmless(name: str, says: Collection[Says] = ALL) -> bool:
    """Return whether signals of this name say of no fault, and one of `says` instead."""
    return any(said in says and fnmatchcase(name, pattern) for pattern, said in _patterns())
