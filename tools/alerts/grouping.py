"""Which alerts are one incident. Pure.

Alerts of one cluster that share a switch, rack, node, workload or rule, each within `WINDOW_S` of another one of the
group, are one incident: an alert storm is a symptom of one thing until the investigation says otherwise.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from firstfault.tools.alerts.alert import Alert, LabelMap, scope_keys

WINDOW_S = 600.0
"""Alerts that start within ten minutes of each other may be one incident. Source: Alertmanager's usual group interval
(5 m) and a scrape and rule delay of as much again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenGroup:
    """An incident that alerts may still join. last: start of its newest alert."""

    incident_id: str
    keys: frozenset[str]
    last: datetime


def joins(alert: Alert, groups: Iterable[OpenGroup], labels: LabelMap | None = None) -> OpenGroup | None:
    """Return the open incident that the alert belongs to: the one that shares most with it, the oldest of equals."""
    keys = scope_keys(alert, labels)
    near = [
        g for g in groups if g.keys & keys and abs((alert.starts_at - g.last).total_seconds()) <= WINDOW_S
    ]
    return max(near, key=lambda g: (len(g.keys & keys), -g.last.timestamp(), g.incident_id), default=None)


def widened(group: OpenGroup, alert: Alert, labels: LabelMap | None = None) -> OpenGroup:
    """Return the group with the alert in it."""
    return OpenGroup(
        incident_id=group.incident_id,
        keys=group.keys | scope_keys(alert, labels),
        last=max(group.last, alert.starts_at),
    )


def question_of(alerts: Sequence[Alert]) -> str:
    """Return the incident's question: what the first alert says, and how many more there are."""
    firing = [alert for alert in alerts if alert.is_firing] or list(alerts)
    first = min(firing, key=lambda alert: (alert.starts_at, alert.key))
    rules = {alert.name for alert in firing}
    more = f" ({len(firing)} alerts of {len(rules)} rules)" if len(firing) > 1 else ""
    return f"{first.name}: {first.says}{more}. What happened first, and why?"
