"""Looks at the kill switches that lie outside the database: a file in the state folder, and the environment.

Any one that is on stops everything; one that cannot be looked at is unknown, and unknown denies.
"""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from firstfault.agent.facts.settings import Switches

KILL_FILE = "STOP"
"""`touch STOP` in the state folder stops every execution; removing it is a human's decision."""
KILL_VARIABLE = "FIRSTFAULT_KILL_SWITCH"
_OFF = frozenset({"", "0", "false", "no", "off"})


def look_at_switches(
    folder: Path,
    environment: Mapping[str, str],
    *,
    in_database: bool | None = False,
    at: datetime | None = None,
) -> Switches:
    """Return whether any switch is on. in_database: what the database said, None when it could not be asked."""
    by: list[str] = []
    if environment.get(KILL_VARIABLE, "").strip().lower() not in _OFF:
        by.append(KILL_VARIABLE)
    try:
        if (folder / KILL_FILE).exists():
            by.append(str(folder / KILL_FILE))
    except OSError:
        return Switches(kill_switch=True if by else None, observed_at=at, open_by=tuple(by))
    if in_database:
        by.append("database")
    known = True if by else None if in_database is None else False
    return Switches(kill_switch=known, observed_at=at, open_by=tuple(by))
