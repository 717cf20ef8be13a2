"""Keeps what comes at the same time with one commit: a storm of single alerts costs as many syncs as turns, not as alerts.

Whoever comes first keeps for all that wait behind; nobody is answered before the commit that holds what they brought.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from firstfault.agent.store import Store, StoreError
from firstfault.agent.store.inbox import Received
from firstfault.tools.alerts.alert import Alert


@dataclass(slots=True, kw_only=True)
class _Waiting:
    alerts: Sequence[Alert]
    received: Received | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeper:
    """Keeps alerts from many threads. clock: aware UTC."""

    store: Store
    clock: Callable[[], datetime]
    _turn: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _waiting: list[_Waiting] = field(default_factory=list[_Waiting], repr=False)

    def keep(self, alerts: Sequence[Alert]) -> Received:
        """Return what was new, once it is durable. Raises StoreError."""
        mine = _Waiting(alerts=alerts)
        self._waiting.append(mine)
        with self._turn:
            if mine.received is None:
                self._keep_all()
            if mine.received is None:
                # Kept alone, so that the error is that of these alerts, and of nobody else's.
                mine.received = self.store.inbox.receive(mine.alerts, self.clock())
            return mine.received

    def _keep_all(self) -> None:
        """Keep what waits in one transaction; when that fails nothing of it is kept."""
        taken = len(self._waiting)
        batch, self._waiting[:taken] = self._waiting[:taken], []
        if len(batch) <= 1:
            return
        try:
            with self.store.together():
                found = [self.store.inbox.receive(each.alerts, self.clock()) for each in batch]
        except StoreError:
            return
        for each, received in zip(batch, found, strict=True):
            each.received = received
