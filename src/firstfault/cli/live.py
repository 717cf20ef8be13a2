"""The live sources that the settings name, aimed at what an incident is about."""

from collections.abc import Sequence
from datetime import UTC, datetime

from firstfault.agent.settings import Settings
from firstfault.tools.alerts.alert import Alert, named
from firstfault.tools.kube.door import ReadDoor
from firstfault.tools.kube.settings import KubeSettings
from firstfault.tools.kube.source import ClusterSource, Scope
from firstfault.tools.loki.client import connect
from firstfault.tools.loki.source import LokiSource
from firstfault.tools.prometheus.source import PrometheusSource
from firstfault.tools.sources import Source


def scope_of(alerts: Sequence[Alert]) -> Scope:
    """Return the nodes and namespaces that the alerts name, in order of first mention."""
    nodes = dict.fromkeys(node for alert in alerts if (node := named(alert, "node")))
    namespaces = dict.fromkeys(space for alert in alerts if (space := named(alert, "namespace")))
    return Scope(nodes=tuple(nodes), namespaces=tuple(namespaces))


def live_sources(settings: Settings, scope: Scope, incident_id: str) -> tuple[Source, ...]:
    """Return every configured source for the scope. Raises KubeConfigError when the cluster cannot be addressed."""
    found: list[Source] = []
    cluster = settings.kubernetes
    if cluster.enabled:
        door = ReadDoor(
            KubeSettings(
                kubeconfig=cluster.kubeconfig,
                context=cluster.context,
                is_in_cluster=cluster.kubeconfig is None and cluster.context is None,
                user_agent=f"firstfault incident/{incident_id}",
            )
        )
        found.append(ClusterSource(door=door, scope=scope, clock=_now, cluster=cluster.cluster))
    if settings.prometheus.url is not None:
        headers = {name: value.get_secret_value() for name, value in settings.prometheus.headers.items()}
        found.append(
            PrometheusSource(
                settings.prometheus.url,
                nodes=scope.nodes,
                namespaces=scope.namespaces,
                clock=_now,
                headers=headers,
            )
        )
    if settings.loki.url is not None:
        headers = {name: value.get_secret_value() for name, value in settings.loki.headers.items()}
        if settings.loki.tenant:
            headers["X-Scope-OrgID"] = settings.loki.tenant
        client = connect(settings.loki.url, headers)
        found.append(LokiSource(client=client, nodes=scope.nodes, namespaces=scope.namespaces, clock=_now))
    return tuple(found)


def _now() -> datetime:
    return datetime.now(UTC)
