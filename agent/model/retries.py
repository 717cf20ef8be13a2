"""Whether and when to ask again, and when to stop asking for a while. Pure; time and chance are arguments."""

import email.utils
import math
from dataclasses import dataclass, replace
from datetime import UTC, datetime

FIRST_DELAY_S = 0.5
LONGEST_DELAY_S = 8.0
RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""Statuses that may pass by themselves. Source: RFC 9110 §15, RFC 6585 §4; 529 is what some gateways use for overload."""


def delay_before_retry(attempt: int, retry_after_s: float | None, chance: float) -> float:
    """Return the seconds to wait before attempt `attempt` + 1 (attempts count from 1).

    What the server asked for is honoured; else the wait doubles, with `chance` (0 to 1) as jitter over its half.
    """
    if retry_after_s is not None:
        return retry_after_s
    full = min(LONGEST_DELAY_S, FIRST_DELAY_S * 2 ** (attempt - 1))
    return full / 2 + full / 2 * chance


def retry_after_s(header: str | None, date_header: str | None) -> float | None:
    """Return the seconds that a Retry-After header asks for (seconds or an HTTP date), or None when there is none.

    A date is read against the response's own Date header: the server's clock decides, not ours.
    """
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        until, now = _date(header), _date(date_header or "")
        return max(0.0, (until - now).total_seconds()) if until is not None and now is not None else None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _date(text: str) -> datetime | None:
    try:
        found = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Circuit:
    """Stops asking a server that keeps failing. opened_at: seconds on a monotonic clock; None = closed."""

    threshold: int = 3
    rest_s: float = 60.0
    failures: int = 0
    opened_at: float | None = None

    def refuses(self, now_s: float) -> bool:
        """Return whether no request may be made now; after the rest one may try."""
        return self.opened_at is not None and now_s - self.opened_at < self.rest_s

    def after_success(self) -> "Circuit":
        """Return the closed circuit."""
        return replace(self, failures=0, opened_at=None)

    def after_failure(self, now_s: float) -> "Circuit":
        """Return the circuit with one more failure in a row, open from the threshold on."""
        failures = self.failures + 1
        return replace(self, failures=failures, opened_at=now_s if failures >= self.threshold else None)
