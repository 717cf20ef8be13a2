"""Probes against the container they ask: port, protocol, timing. Pure.

Source: Kubernetes, "Configure Liveness, Readiness and Startup Probes" (defaults: period 10 s, timeout 1 s, failures 3).
"""

from collections.abc import Iterator, Mapping

from firstfault.tools.extract.kube.cluster import Cluster
from firstfault.tools.extract.kube.containers import Container, containers_of
from firstfault.tools.extract.kube.marks import mark
from firstfault.tools.readings import Json, KubeEvent, KubeObject
from firstfault.tools.signals import Signal

_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_HANDLERS = ("httpGet", "tcpSocket", "grpc")
_SHORT_S = 5.0
"""A first probe earlier than this after the start, on a container that was killed for it, is called early."""


def probe_signals(cluster: Cluster) -> Iterator[Signal]:
    """Yield probes that cannot succeed as they are written."""
    for pod in cluster.fullest("pod", "deployment", "statefulset", "daemonset"):
        failing = [event for event in cluster.events_of(pod) if event.reason == "Unhealthy"]
        for container in containers_of(pod):
            for name in _PROBES:
                probe = container.asked(name)
                if isinstance(probe, dict):
                    yield from _probe(pod, container, name, probe, failing)


def _probe(
    pod: KubeObject, container: Container, name: str, probe: Mapping[str, Json], failing: list[KubeEvent]
) -> Iterator[Signal]:
    path = f"{container.spec_path}.{name}"
    kind = name.removesuffix("Probe")
    handler = next((item for item in _HANDLERS if isinstance(probe.get(item), dict)), None)
    if handler is not None:
        settings = probe[handler]
        port = settings.get("port") if isinstance(settings, dict) else None
        yield from _port(pod, container, f"{path}.{handler}.port", kind, port)
    delay = _seconds(probe.get("initialDelaySeconds"), 0.0)
    budget = _seconds(probe.get("failureThreshold"), 3.0) * _seconds(probe.get("periodSeconds"), 10.0)
    if (
        kind == "liveness"
        and failing
        and container.restarts
        and delay < _SHORT_S
        and budget <= 4 * _SHORT_S
        and "startupProbe" not in container.spec
    ):
        yield mark(
            pod,
            path,
            "kube.probe.too_early",
            probe=kind,
            container=container.name,
            delay_s=delay,
            budget_s=budget,
        )


def _port(pod: KubeObject, container: Container, path: str, kind: str, port: Json) -> Iterator[Signal]:
    declared = {
        str(item.get(key))
        for item in container.ports
        for key in ("containerPort", "name")
        if item.get(key) is not None
    }
    if port is None or not declared or str(port) in declared:
        return
    yield mark(
        pod,
        path,
        "kube.probe.port_mismatch",
        probe=kind,
        container=container.name,
        port=str(port),
        declared=", ".join(sorted(declared)),
        checked=True,
    )


def _seconds(value: Json, default: float) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else default
