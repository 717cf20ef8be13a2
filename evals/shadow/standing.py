"""Where one cell stands, as pages show it."""

from dataclasses import dataclass

from firstfault.evals.shadow.rows import CellRow
from firstfault.policies.modes import Mode


@dataclass(frozen=True, slots=True, kw_only=True)
class CellStanding:
    """One cell. missing: why it may not go one mode further yet; empty when a person may promote it."""

    row: CellRow
    mode: Mode
    next_mode: Mode | None
    missing: tuple[str, ...]
