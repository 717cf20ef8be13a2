"""Turns kept alerts into incidents, and incidents into investigations, one after the other.

Everything it knows is in the store: after a crash it goes on with what is unassigned and unfinished. The id of an
incident follows from its first alert, so the same alerts never open two.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from firstfault.agent.findings import Incident
from firstfault.agent.report.contract import Report
from firstfault.agent.store import Status, Store
from firstfault.tools.alerts.alert import Alert, LabelMap, default_labels
from firstfault.tools.alerts.grouping import OpenGroup, joins, question_of, widened

BATCH = 1000
SETTLE_S = 5.0
"""An incident is investigated when no alert joined it for so long. Ours: a storm comes within seconds."""
PATIENCE_S = 30.0
"""It is investigated at the latest so long after its first alert was kept."""
LOOK_BACK = timedelta(hours=1)
"""How far before the first alert the window of an incident begins."""
OPENER = "alertmanager"


@dataclass(slots=True, kw_only=True)
class Pending:
    """An incident whose alerts are still coming in."""

    group: OpenGroup
    since: datetime
    touched: datetime


Investigate = Callable[[Incident, Sequence[Alert]], Report]
"""Runs one investigation to its report."""


@dataclass(kw_only=True)
class Dispatcher:
    """Assigns and investigates. published: what is done with a finished report (channels, pages)."""

    store: Store
    investigate: Investigate
    published: Callable[[Report], None]
    labels: LabelMap = field(default_factory=default_labels)
    pending: dict[str, Pending] = field(default_factory=dict[str, Pending])

    def recover(self, now: datetime) -> None:
        """Take up what an earlier process left: incidents opened by alerts that have no report yet."""
        for record in self.store.incidents.recent(status=Status.OPEN):
            alerts = self.store.inbox.of(record.incident.id)
            if alerts:
                group = OpenGroup(incident_id=record.incident.id, keys=frozenset(), last=alerts[0].starts_at)
                for alert in alerts:
                    group = widened(group, alert, self.labels)
                self.pending[group.incident_id] = Pending(group=group, since=record.created_at, touched=now)

    def assign(self, now: datetime) -> int:
        """Give every unassigned alert to an incident, opening those that are needed; return how many alerts."""
        done = 0
        while alerts := self.store.inbox.unassigned(BATCH):
            with self.store.together():
                for incident_id, keys in self._placed(alerts, now).items():
                    self.store.inbox.assign(keys, incident_id)
            done += len(alerts)
        return done

    def due(self, now: datetime) -> tuple[str, ...]:
        """Return the incidents that are to be investigated now, the oldest first."""
        ripe = [
            (item.since, incident_id)
            for incident_id, item in self.pending.items()
            if (now - item.touched).total_seconds() >= SETTLE_S
            or (now - item.since).total_seconds() >= PATIENCE_S
        ]
        return tuple(incident_id for _, incident_id in sorted(ripe))

    def run(self, incident_id: str) -> Report:
        """Investigate one incident and publish its report."""
        record = self.store.incidents.get(incident_id)
        report = self.investigate(record.incident, self.store.inbox.of(incident_id))
        self.pending.pop(incident_id, None)
        self.published(report)
        return report

    def _placed(self, alerts: Sequence[Alert], now: datetime) -> dict[str, list[str]]:
        placed: dict[str, list[str]] = {}
        for alert in alerts:
            group = joins(alert, (item.group for item in self.pending.values()), self.labels)
            if group is None:
                group = self._opened(alert, now)
            item = self.pending.setdefault(group.incident_id, Pending(group=group, since=now, touched=now))
            item.group, item.touched = widened(item.group, alert, self.labels), now
            placed.setdefault(group.incident_id, []).append(alert.key)
        return placed

    def _opened(self, alert: Alert, now: datetime) -> OpenGroup:
        digest = hashlib.sha256(alert.key.encode("utf-8", "backslashreplace")).hexdigest()
        incident = Incident(
            id=f"inc-{alert.starts_at:%Y%m%d-%H%M%S}-{digest[:6]}",
            question=question_of([alert]),
            correlation_id=digest[:32],
            opened_at=alert.starts_at,
            window_start=alert.starts_at - LOOK_BACK,
        )
        self.store.incidents.open(incident, now)
        return widened(
            OpenGroup(incident_id=incident.id, keys=frozenset(), last=alert.starts_at), alert, self.labels
        )
