"""What the web front does with a notification: check who sends it, read it, keep it, and only then say yes."""

import base64
import binascii
import hmac
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from firstfault.agent.serve.keeping import Keeper
from firstfault.agent.store import Store
from firstfault.agent.store.inbox import Received
from firstfault.tools.alerts.webhook import read_notification

MAX_BODY_BYTES = 8 * 1024 * 1024
"""Largest notification taken: some ten thousand alerts. Ours."""


@dataclass(frozen=True, kw_only=True)
class Reception:
    """Takes notifications. token: None where only this machine can connect. arrived: told after something new is kept."""

    store: Store
    token: str | None
    clock: Callable[[], datetime]
    arrived: Callable[[], None]
    _keeper: Keeper = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Make what keeps."""
        object.__setattr__(self, "_keeper", Keeper(store=self.store, clock=self.clock))

    def admits(self, authorization: str | None) -> bool:
        """Return whether the header carries the token, as bearer or as the password of basic authentication."""
        if self.token is None:
            return True
        given = _secret(authorization or "")
        return given is not None and hmac.compare_digest(given.encode(), self.token.encode())

    def take(self, body: bytes) -> Received:
        """Return what was new, once it is durable. Raises AlertError or StoreError; nothing is half kept."""
        alerts = read_notification(body)
        received = self._keeper.keep(alerts)
        if received.new:
            self.arrived()
        return received


def _secret(header: str) -> str | None:
    scheme, _, value = header.partition(" ")
    if scheme.lower() == "bearer":
        return value.strip()
    if scheme.lower() != "basic":
        return None
    try:
        return base64.b64decode(value, validate=True).decode().partition(":")[2]
    except (binascii.Error, UnicodeDecodeError):
        return None
