"""Turns kept alerts into incidents, and says which incidents are to be investigated.

Everything it knows is in the store: after a crash it goes on with what is unassigned and unfinished. The id of an
incident follows from its first alert, so the same alerts never open two. An incident that was investigated still takes
late alerts of its own storm, and one whose investigation failed is tried again, ever more rarely; after the last
attempt it stays open in the store, where the next start takes it up.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum, auto

from firstfault.agent.findings import Incident
from firstfault.agent.report.contract import Report
from firstfault.agent.store import Status, Store
from firstfault.tools.alerts.alert import Alert, LabelMap, default_labels
from firstfault.tools.alerts.grouping import WINDOW_S, OpenGroup, joins, question_of, widened

BATCH = 1000
SETTLE_S = 5.0
"""An incident is investigated when no alert joined it for so long. Ours: a storm comes within seconds."""
PATIENCE_S = 30.0
"""It is investigated at the latest so long after its first alert was kept."""
LOOK_BACK = timedelta(hours=1)
"""How far before the first alert the window of an incident begins."""
MAX_ATTEMPTS = 5
"""How often an investigation is begun before it is left to the next start. Ours: half an hour of trying."""
FIRST_RETRY_S = 10.0
"""Wait before the second attempt; each further one is four times as long (10 s, 40 s, 160 s, 640 s)."""
RETRY_FACTOR = 4


class Stage(Enum):
    """Where an incident stands in this process."""

    WAITING = auto()
    RUNNING = auto()
    DONE = auto()
    """Investigated, or given up until the next start; it takes late alerts of its storm."""


@dataclass(slots=True, kw_only=True)
class Pending:
    """An incident that alerts may still join. not_before: when it may be tried again after a failure."""

    group: OpenGroup
    since: datetime
    touched: datetime
    stage: Stage = Stage.WAITING
    attempts: int = 0
    not_before: datetime | None = None

    def is_ripe(self, now: datetime) -> bool:
        """Return whether it is to be investigated now."""
        if self.stage is not Stage.WAITING:
            return False
        if self.not_before is not None:
            return now >= self.not_before
        settled = (now - self.touched).total_seconds() >= SETTLE_S
        return settled or (now - self.since).total_seconds() >= PATIENCE_S


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
        """Take up what an earlier process left: unfinished incidents, and finished ones that alerts may still join."""
        for record in self.store.incidents.recent(status=Status.OPEN):
            self._take_up(record.incident.id, record.created_at, now, Stage.WAITING)
        for record in self.store.incidents.recent(limit=BATCH):
            if (now - (record.closed_at or now)).total_seconds() < WINDOW_S:
                self._take_up(record.incident.id, record.created_at, now, Stage.DONE)

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
        ripe = [(item.since, incident_id) for incident_id, item in self.pending.items() if item.is_ripe(now)]
        return tuple(incident_id for _, incident_id in sorted(ripe))

    def begin(self, incident_id: str) -> None:
        """Note that its investigation runs."""
        item = self.pending[incident_id]
        item.stage, item.attempts = Stage.RUNNING, item.attempts + 1

    def run(self, incident_id: str) -> Report:
        """Investigate one incident and publish its report. Touches nothing but the store: it may run in a thread."""
        record = self.store.incidents.get(incident_id)
        report = self.investigate(record.incident, self.store.inbox.of(incident_id))
        self.published(report)
        return report

    def finish(self, incident_id: str, now: datetime) -> None:
        """Note that its report is out."""
        item = self.pending[incident_id]
        item.stage, item.touched = Stage.DONE, now

    def fail(self, incident_id: str, now: datetime) -> float | None:
        """Note that its investigation failed; return in how many seconds it is tried again, None if not before the next start."""
        item = self.pending[incident_id]
        item.touched = now
        if item.attempts >= MAX_ATTEMPTS:
            item.stage = Stage.DONE
            return None
        wait_s = FIRST_RETRY_S * RETRY_FACTOR ** (item.attempts - 1)
        item.stage, item.not_before = Stage.WAITING, now + timedelta(seconds=wait_s)
        return wait_s

    def forget(self, now: datetime) -> None:
        """Let go of finished incidents that no alert can join any more."""
        self.pending = {
            incident_id: item
            for incident_id, item in self.pending.items()
            if item.stage is not Stage.DONE or (now - item.touched).total_seconds() < WINDOW_S
        }

    def _take_up(self, incident_id: str, since: datetime, now: datetime, stage: Stage) -> None:
        alerts = self.store.inbox.of(incident_id)
        if not alerts or incident_id in self.pending:
            return
        group = OpenGroup(incident_id=incident_id, keys=frozenset(), last=alerts[0].starts_at)
        for alert in alerts:
            group = widened(group, alert, self.labels)
        self.pending[incident_id] = Pending(group=group, since=since, touched=now, stage=stage)

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
