"""Pods of two revisions of one workload side by side: the new one fails while the old one runs. Pure.

The name of a pod carries the hash of its template: `<workload>-<hash>-<suffix>` (Kubernetes, "Deployments",
pod-template-hash label).
"""

import re
from collections import defaultdict
from collections.abc import Iterator

from firstfault.tools.extract.kube.cluster import Cluster
from firstfault.tools.extract.kube.components import is_ready_pod
from firstfault.tools.extract.kube.marks import mark
from firstfault.tools.readings import KubeObject
from firstfault.tools.signals import Signal

_NAME = re.compile(r"^(?P<workload>.+?)-(?P<hash>[a-z0-9]+(?:-[a-z0-9]{1,3})?)-(?P<suffix>[a-z0-9]{1,6})$")


def revision_signals(cluster: Cluster) -> Iterator[Signal]:
    """Yield `kube.rollout.bad_revision` for each workload whose newest pods all fail while older ones are Ready."""
    for workload in cluster.fullest("deployment"):
        pods = [pod for pod in cluster.fullest("pod") if _belongs(pod, workload)]
        by_hash: dict[str, list[KubeObject]] = defaultdict(list)
        for pod in pods:
            by_hash[_hash_of(pod, workload)].append(pod)
        failing = {
            key: found for key, found in by_hash.items() if all(is_ready_pod(p) is False for p in found)
        }
        ready = [found for found in by_hash.values() if any(is_ready_pod(p) for p in found)]
        newest = max((_started(found) for found in by_hash.values()), default="")
        for key, found in failing.items():
            if ready and _started(found) == newest:
                yield mark(
                    workload,
                    _path(workload),
                    "kube.rollout.bad_revision",
                    also=[found[0].cite("")],
                    revision=key,
                    pod=found[0].name,
                    checked=True,
                )


def _belongs(pod: KubeObject, workload: KubeObject) -> bool:
    if pod.namespace and workload.namespace and pod.namespace != workload.namespace:
        return False
    return pod.name.startswith(f"{workload.name}-") and _NAME.match(pod.name) is not None


def _hash_of(pod: KubeObject, workload: KubeObject) -> str:
    return pod.name.removeprefix(f"{workload.name}-").rpartition("-")[0]


def _started(pods: list[KubeObject]) -> str:
    """Return the latest start of the pods, as text in the order of RFC 3339; empty when none is known."""
    return max(pod.text("status.startTime") or pod.text("metadata.creationTimestamp") for pod in pods)


def _path(workload: KubeObject) -> str:
    for path in ("status.unavailableReplicas", "status.readyReplicas", "status"):
        if workload.get(path) is not None:
            return path
    return ""
