"""How far one (failure class × action) may go; every cell starts in shadow and is promoted by a named human."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from firstfault.policies.actions import Action


class Mode(StrEnum):
    """Shadow: recorded and scored. Recommend: also posted. Approve: a human says yes. Auto: without asking."""

    SHADOW = "shadow"
    RECOMMEND = "recommend"
    APPROVE = "approve"
    AUTO = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeTable:
    """The promoted cells; a cell that is not named is in shadow."""

    cells: Mapping[tuple[str, Action], Mode] = field(default_factory=dict[tuple[str, Action], Mode])

    def mode_of(self, failure_class: str, action: Action) -> Mode:
        """Return the mode of one cell."""
        return self.cells.get((failure_class, action), Mode.SHADOW)
