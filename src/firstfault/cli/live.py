"""The live sources that the settings name, aimed at what an incident is about."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from pydantic import SecretStr

from firstfault.agent.serve.machine_source import MachineSource
from firstfault.agent.settings import Settings
from firstfault.agent.store import Store
from firstfault.cli.configuration import state
from firstfault.tools.alerts.alert import Alert, named
from firstfault.tools.auditlog.source import AuditLogSource
from firstfault.tools.kube.door import ReadDoor
from firstfault.tools.kube.plan import Scope
from firstfault.tools.kube.settings import KubeSettings
from firstfault.tools.kube.source import ClusterSource
from firstfault.tools.loki.client import Asker, connect
from firstfault.tools.loki.source import LokiSource
from firstfault.tools.prometheus.silences import SilenceSource
from firstfault.tools.prometheus.source import PrometheusSource
from firstfault.tools.sources import Source


def scope_of(alerts: Sequence[Alert]) -> Scope:
    """Return the nodes and namespaces that the alerts name, in order of first mention."""
    nodes = dict.fromkeys(node for alert in alerts if (node := named(alert, "node")))
    namespaces = dict.fromkeys(space for alert in alerts if (space := named(alert, "namespace")))
    return Scope(nodes=tuple(nodes), namespaces=tuple(namespaces))


def live_sources(
    settings: Settings, scope: Scope, incident_id: str, store: Store | None = None
) -> tuple[Source, ...]:
    """Return every configured source for the scope; with `store`, the snapshots that it keeps of machines.

    Raises KubeConfigError when the cluster cannot be addressed.
    """
    found: list[Source] = []
    if settings.kubernetes.enabled:
        door = ReadDoor(kube_settings(settings, f"incident/{incident_id}"))
        found.append(ClusterSource(door=door, scope=scope, clock=_now, cluster=settings.kubernetes.cluster))
        if store is not None:
            found.append(
                MachineSource(
                    machines=store.machines, cluster=cluster_name(settings), nodes=scope.nodes, now=_now()
                )
            )
    if settings.prometheus.url is not None:
        found.append(
            PrometheusSource(
                settings.prometheus.url,
                nodes=scope.nodes,
                namespaces=scope.namespaces,
                clock=_now,
                headers=secrets_of(settings.prometheus.headers),
            )
        )
    if settings.loki.url is not None:
        asker = Asker(client=connect(settings.loki.url, loki_headers(settings)))
        found.append(LokiSource(asker=asker, nodes=scope.nodes, namespaces=scope.namespaces, clock=_now))
    if settings.alertmanager.url is not None:
        headers = secrets_of(settings.alertmanager.headers)
        found.append(SilenceSource(url=settings.alertmanager.url, headers=headers, clock=_now))
    audited = audit_file(settings)
    if audited is not None:
        found.append(AuditLogSource(file=audited, nodes=scope.nodes, namespaces=scope.namespaces, clock=_now))
    return tuple(found)


def audit_file(settings: Settings) -> Path | None:
    """Return the file with the audit log of the API server, None when there is none."""
    if settings.audit_log.file is None and settings.audit_log.receive:
        return state() / "api-audit.jsonl"
    return settings.audit_log.file


def cluster_name(settings: Settings) -> str:
    """Return under what name snapshots of the machines are kept."""
    return settings.kubernetes.cluster or settings.kubernetes.context or "default"


def kube_settings(settings: Settings, purpose: str) -> KubeSettings:
    """Return how the cluster is reached. purpose: shows in the server's audit log."""
    cluster = settings.kubernetes
    return KubeSettings(
        kubeconfig=cluster.kubeconfig,
        context=cluster.context,
        is_in_cluster=cluster.kubeconfig is None and cluster.context is None,
        user_agent=f"firstfault {purpose}",
    )


def loki_headers(settings: Settings) -> dict[str, str]:
    """Return what is sent to Loki with every request."""
    tenant = {"X-Scope-OrgID": settings.loki.tenant} if settings.loki.tenant else {}
    return secrets_of(settings.loki.headers) | tenant


def secrets_of(headers: Mapping[str, SecretStr]) -> dict[str, str]:
    """Return headers in plain words, to be sent."""
    return {name: value.get_secret_value() for name, value in headers.items()}


def _now() -> datetime:
    return datetime.now(UTC)
