"""The parts a cluster is made of, found among its pods: which of them is down or missing. Pure.

Source: Kubernetes, "Cluster Components"; names as kubeadm, kops, EKS, GKE, AKS and the vendors' charts give them.
"""

import re
from collections.abc import Iterator

from firstfault.tools.extract.kube.cluster import Cluster
from firstfault.tools.extract.kube.containers import containers_of
from firstfault.tools.extract.kube.marks import mark
from firstfault.tools.extract.kube.selectors import maps
from firstfault.tools.readings import KubeObject
from firstfault.tools.signals import Signal

_COMPONENTS = (
    ("proxy", r"kube-proxy"),
    ("dns", r"coredns|kube-dns|node-local-dns|nodelocaldns"),
    ("scheduler", r"kube-scheduler|my-scheduler"),
    ("controller_manager", r"kube-controller-manager|cloud-controller-manager"),
    ("etcd", r"etcd"),
    ("api_server", r"kube-apiserver"),
    (
        "cni",
        r"calico-(?:node|typha|kube-controllers)|canal|cilium(?!-test)|aws-node|azure-(?:cni|npm)|kube-flannel|weave-net|antrea|multus|kube-ovn|ovs-|ovnkube",
    ),
    ("tunnel", r"konnectivity|tunnelfront|aws-proxy-agent"),
    ("storage", r"[a-z]+-?(?:ebs|efs|pd|disk|file|fsx|do|nfs)?-?csi-|csi-"),
    ("device_plugin", r"(?:nvidia|amdgpu|rdma|gpu|sriov)[a-z-]*device-plugin|k8s-device-plugin"),
    ("discovery", r"gpu-feature-discovery|nfd-|node-feature-discovery"),
    ("gpu_operator", r"gpu-operator|nvidia-(?:driver|operator|container-toolkit|cuda-validator|dcgm)"),
    (
        "ingress",
        r"ingress-nginx|nginx-ingress|traefik|haproxy-ingress|istio-ingressgateway|contour|envoy-gateway",
    ),
    ("autoscaler", r"cluster-autoscaler|karpenter"),
    ("queue", r"kueue|volcano|yunikorn"),
    ("certificates", r"cert-manager"),
    ("metrics", r"metrics-server"),
)
_PATTERNS = tuple((name, re.compile(rf"^(?:{pattern})", re.IGNORECASE)) for name, pattern in _COMPONENTS)
_STATIC = ("etcd", "api_server", "scheduler", "controller_manager")
_FINE = frozenset({"Running", "Completed", "Succeeded", ""})


def component_of(name: str) -> str | None:
    """Return which component a pod or workload of this name is, or None when it is none."""
    return next((component for component, pattern in _PATTERNS if pattern.match(name)), None)


_MONITORING = re.compile(
    r"(?:dcgm|node|blackbox|process|ipmi|smartctl|nvidia|gpu|statsd)-?exporter|prometheus|alertmanager|grafana|kube-state-metrics|metrics-server|loki|promtail|fluent|datadog"
    r"|node-problem-detector|gpud|vector|otel-collector",
    re.IGNORECASE,
)
_PLATFORM_NAMESPACES = re.compile(
    r"^(?:kube-.*|.*-system|gpu-operator|network-operator|monitoring|karpenter|cert-manager)$"
)


def role_of(name: str, namespace: str | None) -> str:
    """Return whose pod it is: `monitoring`, `platform` or `application`."""
    if _MONITORING.search(name):
        return "monitoring"
    if component_of(name) or _PLATFORM_NAMESPACES.match(namespace or ""):
        return "platform"
    return "application"


def component_signals(cluster: Cluster) -> Iterator[Signal]:
    """Yield components that do not run, and static ones that a complete list of pods does not have."""
    pods = cluster.fullest("pod")
    seen: dict[str, list[KubeObject]] = {}
    for pod in pods:
        component = component_of(pod.name)
        if component is None:
            continue
        seen.setdefault(component, []).append(pod)
        state = _trouble(pod)
        if state:
            yield mark(pod, _path(pod), "kube.component.down", component=component, state=state)
    yield from _missing(cluster, seen)
    for item in cluster.every("componentstatus"):
        if "unhealthy" in (item.columns.get("STATUS", "") + item.text("conditions.0.status")).casefold():
            yield mark(
                item,
                "",
                "kube.component.down",
                component=component_of(f"kube-{item.name}") or item.name,
                state="Unhealthy",
            )
    for item in cluster.fullest("daemonset", "deployment", "statefulset"):
        component = component_of(item.name)
        if component and item.text("spec.replicas") == "0":
            yield mark(
                item, "spec.replicas", "kube.component.down", component=component, state="scaled to zero"
            )


def _trouble(pod: KubeObject) -> str:
    """Return the state of a pod that does not do its work, empty when it does or when that is not known."""
    if pod.text("metadata.deletionTimestamp"):
        return ""
    for container in containers_of(pod):
        waiting = container.state("state", "waiting", "reason")
        if waiting:
            return waiting
        if container.status.get("ready") is False and not container.is_init:
            return container.state("state", "terminated", "reason") or "not ready"
    row = pod.columns.get("STATUS", "")
    if row and row not in _FINE:
        return row
    ready = pod.columns.get("READY", "")
    if "/" in ready and row == "Running" and ready.split("/")[0] != ready.split("/")[1]:
        return "not ready"
    phase = pod.text("status.phase")
    return phase if phase and phase not in _FINE else ""


def _path(pod: KubeObject) -> str:
    for container in containers_of(pod):
        if container.status_path and container.state("state", "waiting", "reason"):
            return f"{container.status_path}.state.waiting.reason"
    return "status.phase" if pod.get("status.phase") is not None else ""


def _missing(cluster: Cluster, seen: dict[str, list[KubeObject]]) -> Iterator[Signal]:
    """Yield static control-plane parts that are absent while their sisters are listed completely."""
    if not cluster.lists_all("pod"):
        return
    there = [name for name in _STATIC if name in seen]
    if len(there) < len(_STATIC) - 1:
        return
    for name in _STATIC:
        if name not in seen:
            sister = seen[there[0]][0]
            yield mark(sister, "", "kube.component.missing", component=name)


def is_ready_pod(pod: KubeObject) -> bool | None:
    """Return whether a pod is Ready, None when that was not read."""
    for condition in maps(pod.get("status.conditions")):
        if condition.get("type") == "Ready":
            return condition.get("status") == "True"
    row, ready = pod.columns.get("STATUS", ""), pod.columns.get("READY", "")
    if not row:
        return None
    if row == "Completed":
        return True
    done, _, total = ready.partition("/")
    return row == "Running" and (not total or done == total)
