"""The timeline of a report as a picture for a thread, made anew from the stored report when it is sent."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from firstfault.agent.render.timeline.layout import timeline_picture
from firstfault.agent.render.timeline.png import timeline_png
from firstfault.agent.report.contract import Report
from firstfault.agent.slack.ports.port import Picture
from firstfault.agent.store import Store


@dataclass(frozen=True, slots=True)
class Pictures:
    """Draws what the outbox describes."""

    store: Store

    @staticmethod
    def describe(report: Report, version: int) -> tuple[str, dict[str, object]] | None:
        """Return a name made from what the picture shows, and what the outbox keeps of it; None when there is nothing to draw.

        Two reports with the same timeline have one picture: it is put into a thread once.
        """
        found = timeline_picture(report)
        if found is None:
            return None
        shown = hashlib.sha256(repr(found.shapes).encode("utf-8", "backslashreplace")).hexdigest()[:12]
        return f"picture/{shown}", {"incident": report.incident.id, "picture": shown, "version": version}

    def draw(self, description: Mapping[str, object]) -> Picture | None:
        """Return the picture, or None when its report is gone."""
        incident_id, version = str(description["incident"]), int(str(description["version"]))
        report = self.store.reports.get(incident_id, version)
        found = None if report is None else timeline_picture(report)
        if found is None:
            return None
        return Picture(
            name=f"timeline-{incident_id}-{description['picture']}.png",
            title=f"Timeline of {incident_id}",
            alt=found.description[:900],
            data=timeline_png(found),
        )
