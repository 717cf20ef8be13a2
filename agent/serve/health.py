"""How this process stands: whether it can take alerts, and, apart from that, what of it works.

Ready means that an alert which is posted now would be kept. A dispatcher that failed or a source that does not answer does
not make it unready: alerts must still be taken, and nobody else would take them.
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from firstfault.agent.report.contract import Report
from firstfault.agent.store import Store, StoreError

OK = "ok"


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """is_ready: alerts can be kept. parts: database, inbox, dispatcher, each source: `ok`, or one line of what is the matter."""

    is_ready: bool
    parts: Mapping[str, str]


@dataclass(slots=True)
class SourceNews:
    """What the last investigation had of each source. names: the configured ones."""

    names: tuple[str, ...] = ()
    _said: dict[str, str] = field(default_factory=dict[str, str])
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def heard(self, report: Report, at: datetime) -> None:
        """Take the gaps of a report: a source without any answered."""
        why = {gap.source: gap.why for gap in reversed(report.gaps)}
        with self._lock:
            for name in self.names:
                said = next((text for source, text in why.items() if source.startswith(name)), None)
                place = f"{report.incident.id} at {at:%Y-%m-%dT%H:%M:%SZ}"
                self._said[name] = f"{OK} in {place}" if said is None else f"in {place}: {said}"

    @property
    def parts(self) -> Mapping[str, str]:
        """Return a line for each source."""
        with self._lock:
            return {
                f"source {name}": self._said.get(
                    name, "not asked yet: no incident so far, `firstfault doctor` asks"
                )
                for name in self.names
            }


def store_health(store: Store, now: datetime) -> Health:
    """Return whether the database takes what is written to it, and how many alerts wait for an incident."""
    try:
        store.inbox.receive((), now)
        waiting = len(store.inbox.unassigned(_MOST))
    except StoreError as error:
        return Health(is_ready=False, parts={"database": str(error), "inbox": "not known"})
    more = "at least " if waiting == _MOST else ""
    inbox = OK if waiting == 0 else f"{more}{waiting} alerts wait for an incident"
    return Health(is_ready=True, parts={"database": OK, "inbox": inbox})


_MOST = 1000
