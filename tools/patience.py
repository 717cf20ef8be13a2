"""How long and how much we take from a server that is slow, busy or endless. No answer may hold an incident up.

A read limit of a socket only bounds the silence between two bytes: a server that drips keeps it from ever running out.
"""

import re
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


SILENCES = 2
"""A server that did not answer so often is not asked for the rest. Ours: each one may have cost half a minute."""


@dataclass(slots=True)
class Standing:
    """Whether a server is still worth asking within one reading. lost: why not. Shared by threads."""

    lost: str | None = None
    is_denied: bool = False
    _silences: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def answered(self) -> None:
        """Note that an answer came."""
        with self._lock:
            self._silences = 0

    def silent(self, why: str) -> None:
        """Note that none came; after the second in a row the rest is not worth the wait."""
        with self._lock:
            self._silences += 1
            if self._silences >= SILENCES and self.lost is None:
                self.lost = f"not asked any more after {self._silences} times without an answer: {why}"

    def refused(self, why: str) -> None:
        """Note that the server does not know us: every further question ends alike."""
        with self._lock:
            self.lost, self.is_denied = why, True


def seconds_asked(header: str | None) -> int | None:
    """Return the seconds that a Retry-After header asks to wait; None without one, and for a date."""
    usable = header and header.isdecimal() and header.isascii() and len(header) < len("10000")
    return int(header) if header and usable else None


def not_json(content_type: str | None) -> str:
    """Return what is said of an answer that is no JSON."""
    kind = (content_type or "").partition(";")[0].strip() or "no content type"
    return f"the answer is not JSON but {kind}: cut off, or from a proxy or a login page in between"


HINTS = (
    (re.compile(r"refused", re.IGNORECASE), "nothing listens there: check host and port"),
    (re.compile(r"timed out", re.IGNORECASE), "a firewall is in between, or the server is overloaded"),
    (
        re.compile(r"IncompleteRead|incomplete|without sending complete|Connection broken"),
        "the answer was cut off on its way",
    ),
    (re.compile(r"SSL|TLS|certificate"), "check `http` or `https`, and the certificate authority"),
    (re.compile(r"resolve|Name or service"), "there is no such host: check the name and DNS"),
)
"""What the words of a broken connection mean for the person who reads them."""


_WHO = re.compile(r"^<?\w*(?:\.\w+)*HTTPS?Connection(?:Pool)?\([^)]*\)>?:?\s*")
"""What urllib3 puts before its words: who asks is said already."""


def cause(error: BaseException) -> str:
    """Return in one line why there was no answer, without what libraries wrap around it, and what that means."""
    innermost = _innermost(error)
    words = innermost.args[0] if len(innermost.args) > 1 else innermost
    told = " ".join(str(innermost if isinstance(words, int) else words).split())[:200]
    told = _WHO.sub("", told) or type(innermost).__name__
    hint = next((meaning for words, meaning in HINTS if words.search(told)), None)
    return f"{told} ({hint})" if hint else told


def _innermost(error: BaseException) -> BaseException:
    inner: object = getattr(error, "reason", None) or next(iter(error.args), None)
    return _innermost(inner) if isinstance(inner, BaseException) else error


UNAUTHORIZED = 401
TOO_MANY = 429
"""HTTP statuses. Source: RFC 9110 section 15.5.2, RFC 6585 section 4."""
REMEDIES = {
    401: "the credentials are not accepted: renew the token",
    403: "the credentials lack the right: grant it, `firstfault doctor` lists what is needed",
    404: "there is no such address: check the URL and its path prefix",
    414: "the address of the question is too long for a proxy in between: allow 8 KiB there, or let it post forms",
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
