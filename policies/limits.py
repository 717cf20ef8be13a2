"""The gate's numbers: each with its unit in the name, its source, and the direction that makes the gate stricter.

Errors
└── LimitError      the limits file or an override cannot be used; the message says what to change
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from firstfault.policies.canonical import digest


class LimitError(ValueError):
    """The limits file or an override cannot be used."""


class Tighter(StrEnum):
    """Which way a limit gets stricter."""

    LOWER = "lower"
    HIGHER = "higher"


_MAX = 2**53
_KEYS = {"value", "tighter", "hard", "source", "meaning"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """One threshold. hard: overrides may only make it stricter. set_by: who gave the value that holds."""

    name: str
    value: int
    tighter: Tighter
    hard: bool
    source: str
    meaning: str
    set_by: str = "built-in"

    def replaced(self, value: int, set_by: str) -> "Limit":
        """Return the limit with another value.

        Raises LimitError when the limit is hard and the value would loosen it, or when it is out of range.
        """
        if not 0 <= value <= _MAX:
            msg = f"limit `{self.name}` from {set_by} is `{value}`: use a whole number from 0 to {_MAX}"
            raise LimitError(msg)
        looser = value > self.value if self.tighter is Tighter.LOWER else value < self.value
        if self.hard and looser:
            msg = f"limit `{self.name}` is hard: {set_by} says `{value}`, only {self.tighter} than `{self.value}` is accepted"
            raise LimitError(msg)
        return Limit(
            name=self.name,
            value=value,
            tighter=self.tighter,
            hard=self.hard,
            source=self.source,
            meaning=self.meaning,
            set_by=set_by,
        )


@dataclass(frozen=True, kw_only=True)
class Limits:
    """All thresholds by name."""

    items: Mapping[str, Limit]

    @classmethod
    def parse(cls, text: str) -> "Limits":
        """Return the limits of a complete limits file. Raises LimitError."""
        return cls(
            items={
                name: _limit(name, table) for name, table in sorted(_tables(text, "the limits file").items())
            }
        )

    def overridden(self, values: Mapping[str, int], set_by: str) -> "Limits":
        """Return the limits with some values replaced. Raises LimitError for unknown names and loosened hard limits."""
        items = dict(self.items)
        for name, value in sorted(values.items()):
            if name not in items:
                msg = f"unknown limit `{name}` from {set_by}: {_nearest(name, items)}"
                raise LimitError(msg)
            items[name] = items[name].replaced(value, set_by)
        return Limits(items=items)

    def __getitem__(self, name: str) -> int:
        """Return the value of one limit."""
        return self.items[name].value

    @cached_property
    def values(self) -> dict[str, int]:
        """Return name → value, as policies see it."""
        return {name: limit.value for name, limit in sorted(self.items.items())}

    @cached_property
    def digest(self) -> str:
        """Return the digest of all values."""
        return digest(self.values)


def parse_overrides(text: str, set_by: str) -> dict[str, int]:
    """Return name → value from a site's file, which holds `name = number` lines only. Raises LimitError."""
    found = _tables(text, set_by)
    for name, value in found.items():
        if not isinstance(value, int) or isinstance(value, bool):
            msg = f"limit `{name}` in {set_by} is not a whole number: write `{name} = 3`"
            raise LimitError(msg)
    return found


def _tables(text: str, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        msg = f"{where} is not TOML: {error}"
        raise LimitError(msg) from error


def _limit(name: str, table: object) -> Limit:
    if not isinstance(table, dict) or set(table) != _KEYS:  # pyright: ignore[reportUnknownArgumentType]  # any TOML
        msg = f"limit `{name}` needs exactly {', '.join(sorted(_KEYS))}"
        raise LimitError(msg)
    row: dict[str, Any] = table  # pyright: ignore[reportUnknownVariableType]  # checked key by key
    value = row["value"]
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _MAX:
        msg = f"limit `{name}` is `{value}`: use a whole number from 0 to {_MAX}"
        raise LimitError(msg)
    return Limit(
        name=name,
        value=value,
        tighter=Tighter(row["tighter"]),
        hard=bool(row["hard"]),
        source=str(row["source"]),
        meaning=str(row["meaning"]),
    )


def _nearest(name: str, known: Mapping[str, object]) -> str:
    def shared(candidate: str) -> int:
        return len(set(name.split("_")) & set(candidate.split("_")))

    best = max(sorted(known), key=shared)
    return f"did you mean `{best}`?" if shared(best) else "`docs/limits.md` lists them all"
