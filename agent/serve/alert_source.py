"""The alerts of an incident as a source like any other: one document, one alert per line, citable by line.

One line holds all that is known of an alert, so that what its words mention is about the machine and the GPU that its
labels name: a bus address before an index.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from firstfault.tools.alerts.alert import Alert, named
from firstfault.tools.bodies import MemoryBody
from firstfault.tools.evidence import Coverage, CoverageState, Document
from firstfault.tools.kinds import Kind
from firstfault.tools.sources import Answer, Question, narrowed
from firstfault.tools.times import Window

PATH = "alertmanager/alerts.json"


@dataclass(frozen=True, kw_only=True)
class AlertSource:
    """What Alertmanager said."""

    alerts: Sequence[Alert]

    @property
    def name(self) -> str:
        """Return the name shown in reports and audit."""
        return "alertmanager"

    def read(self, question: Question, window: Window, as_of: datetime | None) -> Answer:
        """Return all alerts that had started by `as_of`, in the shape of Alertmanager's API."""
        del window
        seen = [alert for alert in self.alerts if as_of is None or alert.starts_at <= as_of]
        rows = ",\n".join(json.dumps(_plain(alert), ensure_ascii=False) for alert in seen)
        text = f"[\n{rows}\n]\n" if seen else "[]\n"
        nodes = {node for alert in seen if (node := named(alert, "node"))}
        document = Document(
            path=PATH,
            kind=Kind.ALERTS,
            body=MemoryBody(text.encode("utf-8", "backslashreplace")),
            source=self.name,
            query="webhook notifications of this incident",
            labels={"node": next(iter(nodes))} if len(nodes) == 1 else {},
            link=next((alert.link for alert in seen if alert.link), None),
        )
        coverage = Coverage(
            source=self.name,
            kind=Kind.ALERTS,
            state=CoverageState.PARTIAL,
            path=PATH,
            lines_read=text.count("\n"),
            note="what Alertmanager sent; a rule that does not exist fires nothing",
        )
        return narrowed(Answer(documents=(document,), coverage=(coverage,)), question)


def _plain(alert: Alert) -> dict[str, object]:
    """Return the alert with its start first: a line is of the time that stands first in it."""
    node = named(alert, "node")
    # Under the name that readers look for, whatever the exporter calls it.
    labels = {**alert.labels, **({"node": node} if node else {})}
    return {
        "startsAt": alert.starts_at.isoformat(),
        "labels": labels,
        "annotations": dict(alert.annotations),
        "endsAt": alert.ends_at.isoformat() if alert.ends_at else None,
        "status": {"state": "active" if alert.is_firing else "resolved"},
        "fingerprint": alert.fingerprint,
        "generatorURL": alert.link,
    }
