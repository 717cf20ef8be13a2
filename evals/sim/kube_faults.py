"""What a server or the way to it can do wrong, planned by a test: one list, tried in order for every request."""

import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum


class Trouble(StrEnum):
    """How a request goes wrong. PRETEND: answered as done, and not done."""

    REFUSE = "refuse"
    DROP_BEFORE = "drop_before"
    DROP_AFTER = "drop_after"
    SLOW = "slow"
    HOLD_BEFORE = "hold_before"
    HOLD_AFTER = "hold_after"
    GARBLE = "garble"
    PRETEND = "pretend"


@dataclass(slots=True, kw_only=True)
class Fault:
    """One planned trouble.

    method, path: which requests (a regular expression that must match the whole path). skip: how many go well first.
    times: how many go wrong. code, retry_after_s: of a refusal. seconds: how slow.
    strike: called when a connection is about to be dropped, before or after the request was applied.
    """

    trouble: Trouble
    method: str = "*"
    path: str = ".*"
    skip: int = 0
    times: int = 1
    code: int = 500
    retry_after_s: int | None = None
    seconds: float = 0.0
    strike: Callable[[], object] | None = None
    seen: int = field(default=0, init=False)
    reached: threading.Event = field(default_factory=threading.Event, init=False)
    release: threading.Event = field(default_factory=threading.Event, init=False)

    def takes(self, method: str, path: str) -> bool:
        """Return whether this request goes wrong, and count it."""
        if self.method not in {"*", method} or re.fullmatch(self.path, path) is None:
            return False
        self.seen += 1
        return self.skip < self.seen <= self.skip + self.times
