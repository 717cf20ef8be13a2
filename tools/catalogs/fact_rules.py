"""Rules over what tools print: which value of a fact means which signal."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from firstfault.tools.catalogs.comparisons import Comparison, Condition, conditions_of, names_of
from firstfault.tools.catalogs.tables import CatalogueError, Row, read_table


@dataclass(frozen=True, slots=True, kw_only=True)
class FactTest:
    """What a printed value must be.

    how: `is` and `not` (texts: whole, any case), `number`, `share` (of another fact about the same thing), `absolute`
    (without its sign), `below others` (less than the most common value in the same document).
    """

    how: Literal["is", "not", "number", "share", "absolute", "below others"]
    text: re.Pattern[str] | None = None
    number: Comparison | None = None

    @staticmethod
    def of(words: str) -> "FactTest":
        """Return the test that `words` state: `is yes|on`, `not none`, `> 0`, `< 1 other`, `> 0.5 absolute`.

        Raises ValueError when they state none.
        """
        if words == "below others":
            return FactTest(how="below others")
        if words.startswith("is "):
            return FactTest(how="is", text=re.compile(words.removeprefix("is "), re.IGNORECASE | re.ASCII))
        if words.startswith("not "):
            return FactTest(how="not", text=re.compile(words.removeprefix("not "), re.IGNORECASE | re.ASCII))
        if words.endswith(" other"):
            return FactTest(how="share", number=Comparison.of(words.removesuffix(" other")))
        if words.endswith(" absolute"):
            return FactTest(how="absolute", number=Comparison.of(words.removesuffix(" absolute")))
        return FactTest(how="number", number=Comparison.of(words))


@dataclass(frozen=True, slots=True, kw_only=True)
class FactRule:
    """One row of `fact_rules.csv`. fact: a regular expression over whole names.

    other: for shares, `a=>b`: the other fact has the same name with `a` replaced by `b`.
    """

    id: str
    fact: str
    names: re.Pattern[str]
    where: tuple[Condition, ...]
    test: FactTest
    test_text: str
    other: tuple[str, str]
    signal: str
    meaning: str
    source: str


@cache
def fact_rules() -> tuple[FactRule, ...]:
    """Return the rules over facts, in table order. Raises CatalogueError when a row cannot be used."""
    return tuple(_fact(row) for row in read_table("fact_rules.csv"))


@cache
def rules_for(fact: str) -> tuple[FactRule, ...]:
    """Return the rules over the fact of that name, in table order."""
    return tuple(rule for rule in fact_rules() if rule.names.fullmatch(fact))


def _fact(row: Row) -> FactRule:
    try:
        replaced, _, replacement = row["other"].partition("=>")
        return FactRule(
            id=row["id"],
            fact=row["fact"],
            names=names_of(row["fact"]),
            where=conditions_of(row["where"]),
            test=FactTest.of(row["test"]),
            test_text=row["test"].replace("other", f"of `{row['other']}`"),
            other=(replaced, replacement),
            signal=row["signal"],
            meaning=row["meaning"],
            source=row["source"],
        )
    except (ValueError, re.error) as problem:
        msg = f"`fact_rules.csv` row `{row['id']}`: {problem}"
        raise CatalogueError(msg) from problem
