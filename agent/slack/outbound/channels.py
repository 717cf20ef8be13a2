"""Which incident belongs into which channel, and what a channel may hear of. Pure but for what the database says.

An incident is seen where it was posted, where it was asked about, and where its route leads; nowhere else. So a channel of
one cluster never hears of another's.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from firstfault.agent.report.contract import Report
from firstfault.agent.settings.chat_sections import SlackRoute, SlackSettings
from firstfault.agent.store import Store
from firstfault.tools.alerts.alert import Alert, named

ADVICE = "advice.executes_nothing"
_SHADOW = "shadow"


@dataclass(frozen=True, slots=True, kw_only=True)
class Channels:
    """The channels of this installation. cluster: the one that this process reads, for alerts that name none."""

    settings: SlackSettings
    cluster: str | None = None

    def of_alerts(self, alerts: Sequence[Alert]) -> str | None:
        """Return the channel of an incident: of the first alert that a route fits, else the general one."""
        for alert in alerts:
            for route in self.settings.routes:
                if self._fits(route, alert):
                    return route.channel
        return self.settings.channel

    def destination(self, report: Report, alerts: Sequence[Alert]) -> str | None:
        """Return where a report is posted: its channel once any cell of its class is out of shadow, else the shadow channel."""
        if is_out_of_shadow(report):
            return self.of_alerts(alerts)
        return self.settings.shadow_channel

    def is_configured(self, channel: str) -> bool:
        """Return whether the bot works in a channel."""
        return channel in self.settings.channels

    def is_shadow(self, channel: str) -> bool:
        """Return whether a channel is the one for what is only scored."""
        return channel == self.settings.shadow_channel

    def may_read_cluster(self, channel: str) -> bool:
        """Return whether people in a channel may have the cluster of this process read: a route there allows for it."""
        if channel in {self.settings.channel, self.settings.shadow_channel}:
            return True
        mine = [route for route in self.settings.routes if route.channel == channel]
        return any(route.cluster is None or route.cluster == self.cluster for route in mine)

    def may_hear(self, store: Store, channel: str, incident_id: str) -> bool:
        """Return whether a channel may hear of an incident."""
        if any(each.channel == channel for each in store.messages.of_incident(incident_id)):
            return True
        if channel in store.requests.channels_of(incident_id):
            return True
        alerts = store.inbox.of(incident_id)
        if alerts:
            return self.of_alerts(alerts) == channel
        # What was investigated by hand or told by people names no cluster of somebody else.
        known_elsewhere = store.messages.of_incident(incident_id) or store.requests.channels_of(incident_id)
        return not known_elsewhere and self.may_read_cluster(channel)

    def _fits(self, route: SlackRoute, alert: Alert) -> bool:
        cluster = named(alert, "cluster") or self.cluster
        wanted = (
            (route.cluster, cluster),
            (route.team, alert.labels.get("team")),
            (route.severity, alert.labels.get("severity")),
        )
        return all(want is None or want == have for want, have in wanted)


def is_out_of_shadow(report: Report) -> bool:
    """Return whether any cell of the report's class is at recommend or above."""
    return any(part.policy.mode != _SHADOW for part in report.recommendations)
