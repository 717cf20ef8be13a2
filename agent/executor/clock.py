"""Time as the executor needs it: the moment, and a wait that can be cut short. The real one is made in the command line."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """The moment, and waiting."""

    def now(self) -> datetime:
        """Return the moment, aware UTC."""
        ...

    def wait(self, seconds: float) -> None:
        """Return after `seconds`, or sooner when the process is asked to stop."""
        ...
