"""Addresses in environment variables and arguments against the services that exist. Pure.

Only addresses of the cluster count: a bare service name or `<service>.<namespace>[.svc…]`, with a port. A name that some
other document could resolve is left alone, and absence counts only beside a complete list of services.
"""

import re
from collections.abc import Iterator

from firstfault.tools.extract.kube.cluster import Cluster
from firstfault.tools.extract.kube.containers import Container, containers_of
from firstfault.tools.extract.kube.marks import Facts, mark
from firstfault.tools.extract.kube.selectors import maps
from firstfault.tools.readings import KubeObject
from firstfault.tools.signals import Signal

_ADDRESS = re.compile(
    r"^(?:[a-z][a-z0-9+.-]*://)?(?:[^@/\s]*@)?(?P<host>[a-z](?:[a-z0-9-]*[a-z0-9])?)(?:\.(?P<ns>[a-z0-9-]+)(?:\.svc(?:\.[\w.-]+)?)?)?:(?P<port>\d{2,5})(?:[/?].*)?$"
)
_LOCAL = frozenset({"localhost"})


def address_signals(cluster: Cluster) -> Iterator[Signal]:
    """Yield addresses that no service answers to, and ports that the named service does not have."""
    services = cluster.fullest("service")
    if not services:
        return
    for item in cluster.fullest("pod", "deployment", "statefulset", "daemonset"):
        for container in containers_of(item):
            yield from _variables(item, container, cluster)


def _variables(item: KubeObject, container: Container, cluster: Cluster) -> Iterator[Signal]:
    for index, entry in enumerate(maps(container.spec.get("env"))):
        value = entry.get("value")
        found = _ADDRESS.match(str(value)) if value is not None else None
        if found is None or found["host"] in _LOCAL:
            continue
        space = found["ns"] or item.namespace
        service = cluster.find("service", found["host"], space)
        path = f"{container.spec_path}.env.{index}.value"
        facts: Facts = {
            "variable": str(entry.get("name") or ""),
            "address": str(value),
            "container": container.name,
        }
        if service is None:
            if cluster.lists_all("service") and any(s.namespace == space for s in cluster.fullest("service")):
                yield mark(
                    item,
                    path,
                    "kube.env.unknown_service",
                    service=found["host"],
                    facts=facts,
                    checked=True,
                )
            continue
        offered = [str(port.get("port")) for port in maps(service.get("spec.ports"))]
        if offered and found["port"] not in offered:
            yield mark(
                item,
                path,
                "kube.env.wrong_port",
                also=[service.cite("spec.ports")],
                service=found["host"],
                offered=", ".join(offered),
                facts=facts,
                checked=True,
            )
