"""A row of the doctor's table."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """How a check ended."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What was checked, how it ended, what is the matter. blind: what is not seen because of it. remedy: what to do."""

    part: str
    state: State
    said: str
    blind: str = ""
    remedy: str = ""


def worst(rows: Sequence[Finding]) -> State:
    """Return the worst state."""
    order = list(State)
    return max((row.state for row in rows), key=order.index, default=State.OK)
