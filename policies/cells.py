"""Which executable actions each failure class can ever justify: the rows and columns of the mode matrix.

A cell that is not listed is denied by `evidence.not_indicated`, whatever its mode, facts or approvals.

Errors
└── CellError      the table cannot be used
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from firstfault.policies.actions import EXECUTABLE, Action
from firstfault.policies.canonical import digest


class CellError(ValueError):
    """The table of cells cannot be used."""


@dataclass(frozen=True, kw_only=True)
class Cells:
    """Failure class → the actions it can justify. A class that is not listed justifies none."""

    indicated: Mapping[str, frozenset[Action]]

    @classmethod
    def parse(cls, text: str) -> "Cells":
        """Return the table. Raises CellError."""
        try:
            table = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            msg = f"the table of cells is not TOML: {error}"
            raise CellError(msg) from error
        rows = cast("dict[str, dict[str, Any]]", table.get("class", {}))
        return cls(indicated={name: _actions(name, row) for name, row in sorted(rows.items())})

    def indicates(self, failure_class: str, action: Action) -> bool:
        """Return whether the class can justify the action."""
        return action in self.indicated.get(failure_class, frozenset())

    @cached_property
    def digest(self) -> str:
        """Return the digest of the table."""
        return digest(self.indicated)


def _actions(name: str, row: Mapping[str, Any]) -> frozenset[Action]:
    if set(row) != {"actions", "why"}:
        msg = f"class `{name}` needs exactly `actions` and `why`"
        raise CellError(msg)
    known = {action.value: action for action in EXECUTABLE}
    unknown = sorted(set(row["actions"]) - set(known))
    if unknown:
        msg = f"class `{name}` names `{unknown[0]}`, which is not an executable action"
        raise CellError(msg)
    return frozenset(known[action] for action in row["actions"])
