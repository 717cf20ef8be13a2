"""Alerts that were received: kept before anybody is told so, each occurrence once, until an incident has them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pydantic import TypeAdapter
from sqlalchemy import Select, func, select, update
from sqlalchemy.orm import Session

from firstfault.agent.store.canon import storable
from firstfault.agent.store.database import Database
from firstfault.agent.store.inbox_tables import AlertRow
from firstfault.agent.store.rows import insert_all_new
from firstfault.tools.alerts.alert import Alert

_INBOX_LOCK = 0x66_66_07
_ALERTS = TypeAdapter(Alert)
_AT_ONCE = 500
"""Alerts in one statement: databases bound how many values one takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """What a delivery brought. new: occurrences not seen before; known: re-deliveries; ended: now resolved."""

    new: int = 0
    known: int = 0
    ended: int = 0


@dataclass(frozen=True, slots=True)
class Inbox:
    """Keeps alerts and gives out those that no incident has yet."""

    database: Database

    def receive(self, alerts: Sequence[Alert], now: datetime) -> Received:
        """Keep all alerts in one transaction; return what was new. A later resolution updates the known occurrence."""
        new = known = ended = 0
        with self.database.writing() as session:
            self.database.take_turn(session, _INBOX_LOCK)
            position = session.scalar(select(func.max(AlertRow.position))) or 0
            for start in range(0, len(alerts), _AT_ONCE):
                part = alerts[start : start + _AT_ONCE]
                rows = [_values(each, position + start + number, now) for number, each in enumerate(part, 1)]
                fresh = set(insert_all_new(session, AlertRow, AlertRow.key, rows))
                new += len(fresh)
                for alert in part:
                    if storable(alert.key) in fresh:
                        # The same occurrence once more in this notification is a re-delivery.
                        fresh.discard(storable(alert.key))
                    else:
                        known += 1
                        ended += _end(session, alert)
        return Received(new=new, known=known, ended=ended)

    def unassigned(self, limit: int) -> tuple[Alert, ...]:
        """Return the oldest alerts that no incident has."""
        query = (
            select(AlertRow.alert)
            .where(AlertRow.incident_id.is_(None))
            .order_by(AlertRow.position)
            .limit(limit)
        )
        return self._read(query)

    def assign(self, keys: Sequence[str], incident_id: str) -> None:
        """Give the alerts to an incident; one that has them already keeps them."""
        wanted = [storable(key) for key in keys]
        with self.database.writing() as session:
            session.execute(
                update(AlertRow)
                .where(AlertRow.key.in_(wanted), AlertRow.incident_id.is_(None))
                .values(incident_id=storable(incident_id))
            )

    def of(self, incident_id: str) -> tuple[Alert, ...]:
        """Return the alerts of an incident in the order they were received."""
        query = (
            select(AlertRow.alert)
            .where(AlertRow.incident_id == storable(incident_id))
            .order_by(AlertRow.position)
        )
        return self._read(query)

    def count(self) -> int:
        """Return how many occurrences were ever received."""
        with self.database.reading() as session:
            return session.scalar(select(func.count()).select_from(AlertRow)) or 0

    def _read(self, query: Select[str]) -> tuple[Alert, ...]:
        with self.database.reading() as session:
            return tuple(_ALERTS.validate_python(json.loads(text)) for text in session.scalars(query))


def _values(alert: Alert, position: int, now: datetime) -> dict[str, object]:
    return {
        "key": storable(alert.key),
        "position": position,
        "received_at": now,
        "starts_at": alert.starts_at,
        "is_firing": alert.is_firing,
        "ends_at": alert.ends_at,
        "incident_id": None,
        "alert": storable(json.dumps(_ALERTS.dump_python(alert, mode="json"), sort_keys=True)),
    }


def _end(session: Session, alert: Alert) -> int:
    if alert.is_firing:
        return 0
    row = session.get(AlertRow, storable(alert.key))
    if row is None or not row.is_firing:
        return 0
    row.is_firing, row.ends_at = False, alert.ends_at
    row.alert = storable(json.dumps(_ALERTS.dump_python(alert, mode="json"), sort_keys=True))
    return 1
