"""How long and how much we take from a server that is slow, busy or endless. No answer may hold an incident up.

A read limit of a socket only bounds the silence between two bytes: a server that drips keeps it from ever running out.
"""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from time import monotonic

ANSWER_S = 30.0
"""Longest time that one answer may take from its first byte to its last. Ours."""
ANSWER_BYTES = 256 * 1024 * 1024
"""Largest answer taken. Ours: a page of 500 pods is some 5 MB."""
LONGEST_WAIT_S = 10.0
"""What all waits that one source asks for may add up to (`Retry-After`). Ours."""


class ImpatienceError(Exception):
    """An answer took too long, or does not end; one line."""


def whole(
    parts: Iterable[bytes],
    *,
    seconds: float = ANSWER_S,
    most: int = ANSWER_BYTES,
    clock: Callable[[], float] = monotonic,
) -> bytes:
    """Return all parts as one. clock: monotonic seconds. Raises ImpatienceError when it lasts too long or is too large."""
    until, size, held = clock() + seconds, 0, list[bytes]()
    for part in parts:
        held.append(part)
        size += len(part)
        if size > most:
            msg = f"the answer is larger than {most} bytes"
            raise ImpatienceError(msg)
        if clock() > until:
            msg = f"the answer was still coming after {seconds:g} s ({size} bytes so far)"
            raise ImpatienceError(msg)
    return b"".join(held)


@dataclass(slots=True)
class Patience:
    """Waits as a busy server asks, until what may be spent on waiting is spent. Shared by threads."""

    left_s: float = LONGEST_WAIT_S
    wait: Callable[[float], object] = field(default_factory=lambda: threading.Event().wait)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def grants(self, seconds: float | None) -> bool:
        """Wait and return True when `seconds` were asked for and are left; else return False at once."""
        if seconds is None:
            return False
        with self._lock:
            if seconds > self.left_s:
                return False
            self.left_s -= seconds
        self.wait(seconds)
        return True


REMEDIES = {
    401: "the credentials are not accepted: renew the token",
    403: "the credentials lack the right: grant it, `firstfault doctor` lists what is needed",
    404: "there is no such address: check the URL and its path prefix",
    429: "the server is busy and asks to wait",
    500: "the server failed: look at its own log",
    502: "a proxy reached no server behind it",
    503: "the server is not ready",
    504: "a proxy waited in vain for the server behind it",
}
"""What a code means for the person who reads the gap. Source: RFC 9110 section 15, RFC 6585."""


def remedy(code: int) -> str:
    """Return what the code means and what to do, with a leading blank; nothing where the server's words must do."""
    found = REMEDIES.get(code)
    return f" ({found})" if found else ""
