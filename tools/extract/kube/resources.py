"""What containers may use and how they share a pod: limits far below demand, no limit at all, one port twice. Pure."""

import re
from collections.abc import Iterator

from firstfault.tools.extract.kube.cluster import Cluster
from firstfault.tools.extract.kube.containers import Container, containers_of, pod_spec_path
from firstfault.tools.extract.kube.marks import mark
from firstfault.tools.extract.kube.quantities import quantity
from firstfault.tools.extract.kube.selectors import maps, texts
from firstfault.tools.readings import KubeObject
from firstfault.tools.signals import Signal

STARVED_CORES = 0.1
"""A CPU limit below a tenth of a core: 10 ms of every 100 ms period (CFS bandwidth control); a choice."""
_WORKERS = re.compile(
    r"^-{1,2}(?:cpu|cpus|workers|threads|concurrency|jobs|procs|processes|num[-_]workers)(?:=(?P<n>\d+))?$"
)


def resource_signals(cluster: Cluster) -> Iterator[Signal]:
    """Yield limits and ports of containers that cannot work as written."""
    for item in cluster.fullest("pod", "deployment", "statefulset", "daemonset", "job"):
        for container in containers_of(item):
            if container.spec_path:
                yield from _limits(item, container)
        yield from _ports(item)
        yield from _memory_volumes(item)


def _limits(item: KubeObject, container: Container) -> Iterator[Signal]:
    cpu = quantity(container.asked("resources.limits.cpu"))
    if cpu is not None and 0 < cpu < STARVED_CORES:
        wanted = workers_of(container)
        path = f"{container.spec_path}.resources.limits.cpu"
        name = "kube.container.cpu_starved" if wanted and wanted > 1 else "kube.container.cpu_limit_tiny"
        yield mark(
            item,
            path,
            name,
            container=container.name,
            limit=str(container.asked("resources.limits.cpu")),
            workers=wanted,
            checked=bool(wanted and container.status),
        )
    if (
        container.spec.get("resources") is not None
        and container.asked("resources.limits.memory") is None
        and not container.is_init
    ):
        asked = container.asked("resources.requests.memory")
        path = f"{container.spec_path}.resources.limits"
        yield mark(
            item,
            path,
            "kube.container.no_memory_limit",
            container=container.name,
            request=str(asked) if asked is not None else None,
        )


def workers_of(container: Container) -> int | None:
    """Return how many workers the command line asks for, or None when it does not say."""
    words = [*texts(container.spec.get("command")), *texts(container.spec.get("args"))]
    for index, word in enumerate(words):
        found = _WORKERS.match(word)
        if found is None:
            continue
        number = found["n"] or (words[index + 1] if index + 1 < len(words) else "")
        if number.isdigit():
            return int(number)
    return None


def _ports(item: KubeObject) -> Iterator[Signal]:
    """Yield one port that two containers of a pod both declare: they share the network, the second cannot bind."""
    base = pod_spec_path(item)
    seen: dict[tuple[str, str], tuple[str, str]] = {}
    for index, container in enumerate(maps(item.get(f"{base}.containers"))):
        for place, port in enumerate(maps(container.get("ports"))):
            key = (str(port.get("containerPort")), str(port.get("protocol") or "TCP"))
            path = f"{base}.containers.{index}.ports.{place}"
            name = str(container.get("name") or "")
            if key in seen and seen[key][0] != name:
                yield mark(
                    item,
                    path,
                    "kube.pod.port_conflict",
                    also=[item.cite(seen[key][1])],
                    port=key[0],
                    container=name,
                    other=seen[key][0],
                    checked=True,
                )
            seen.setdefault(key, (name, path))


def _memory_volumes(item: KubeObject) -> Iterator[Signal]:
    """Yield an emptyDir in memory without a size: what is written there counts as memory of the pod and the node."""
    base = pod_spec_path(item)
    for index, volume in enumerate(maps(item.get(f"{base}.volumes"))):
        source = volume.get("emptyDir")
        if isinstance(source, dict) and source.get("medium") == "Memory" and not source.get("sizeLimit"):
            yield mark(
                item,
                f"{base}.volumes.{index}.emptyDir",
                "kube.pod.memory_volume",
                volume=str(volume.get("name") or ""),
            )
