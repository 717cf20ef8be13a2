"""Descriptions come back as the API has them, every field with the line it stands on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from firstfault.tools.context import NO_CONTEXT
from firstfault.tools.evidence import Document
from firstfault.tools.kinds import Kind
from firstfault.tools.readers import read
from firstfault.tools.readings import Json, KubeObject, Reading
from tests.documents import document

SAMPLES = Path(__file__).parent.parent / "samples"


def described(name: str) -> tuple[Document, Reading]:
    held = document((SAMPLES / name).read_text(encoding="utf-8"), Kind.KUBECTL_DESCRIBE, f"raw/{name}")
    return held, read(held, NO_CONTEXT)


def only(reading: Reading, kind: str) -> KubeObject:
    (found,) = [item for item in reading.objects if item.kind == kind]
    return found


@pytest.mark.parametrize(
    ("path", "value", "text"),
    [
        ("metadata.name", "train-0", "Name:                 train-0"),
        ("metadata.namespace", "ml", "Namespace:            ml"),
        ("metadata.labels.[training.kubeflow.org/replica-index]", "0", "replica-index=0"),
        ("metadata.annotations.[prometheus.io/scrape]", "true", "prometheus.io/scrape: true"),
        ("metadata.ownerReferences.0.kind", "PyTorchJob", "Controlled By:  PyTorchJob/train"),
        ("spec.nodeName", "gpu-node-7", "Node:                 gpu-node-7/10.0.0.7"),
        ("spec.priority", 1000, "Priority:             1000"),
        ("spec.priorityClassName", "high", "Priority Class Name:  high"),
        ("spec.nodeSelector.gpu", "h100", "Node-Selectors:              gpu=h100"),
        ("spec.tolerations.0.value", "gpu", "dedicated=gpu:NoSchedule"),
        ("spec.tolerations.0.operator", "Equal", "dedicated=gpu:NoSchedule"),
        ("spec.tolerations.1.tolerationSeconds", 300, "op=Exists for 300s"),
        ("spec.tolerations.2.key", "nvidia.com/gpu", "nvidia.com/gpu op=Exists"),
        ("spec.initContainers.0.command.2", "until nslookup master; do sleep 1; done", "until nslookup"),
        (
            "spec.containers.0.image",
            "registry.example/train:1.0",
            "Image:         registry.example/train:1.0",
        ),
        ("spec.containers.0.args.1", "10", "      10"),
        ("spec.containers.0.ports.1.containerPort", 23456, "Ports:         8080/TCP, 23456/TCP"),
        ("spec.containers.0.resources.limits.[nvidia.com/gpu]", "8", "nvidia.com/gpu:  8"),
        ("spec.containers.0.livenessProbe.httpGet.path", "/healthz", "http-get http://:8080/healthz"),
        ("spec.containers.0.livenessProbe.failureThreshold", 3, "#failure=3"),
        ("spec.containers.0.readinessProbe.exec.command", "cat /tmp/ready", "exec [cat /tmp/ready]"),
        ("spec.containers.0.env.0.name", "NCCL_DEBUG", "NCCL_DEBUG:  INFO"),
        ("spec.containers.0.envFrom.0.configMapRef.name", "settings", "settings  ConfigMap"),
        ("spec.containers.0.volumeMounts.1.subPath", "set-1", '/data from data (ro,path="set-1")'),
        ("spec.containers.0.volumeMounts.1.readOnly", True, "/data from data"),
        ("spec.volumes.0.persistentVolumeClaim.claimName", "ckpt", "ClaimName:  ckpt"),
        ("spec.volumes.1.hostPath.path", "/mnt/data", "Path:          /mnt/data"),
        ("spec.volumes.2.emptyDir.medium", "Memory", "Medium:     Memory"),
        ("status.phase", "Running", "Status:               Running"),
        ("status.qosClass", "Burstable", "QoS Class:"),
        ("status.startTime", "2025-02-27T06:30:28Z", "Start Time:"),
        ("status.initContainerStatuses.0.state.terminated.reason", "Completed", "Reason:       Completed"),
        (
            "status.containerStatuses.0.state.waiting.reason",
            "CrashLoopBackOff",
            "Reason:       CrashLoopBackOff",
        ),
        ("status.containerStatuses.0.lastState.terminated.exitCode", 137, "Exit Code:    137"),
        ("status.containerStatuses.0.lastState.terminated.reason", "OOMKilled", "Reason:       OOMKilled"),
        (
            "status.containerStatuses.0.lastState.terminated.finishedAt",
            "2025-02-27T06:36:22Z",
            "Finished:     Thu, 27 Feb 2025 07:36:22",
        ),
        ("status.containerStatuses.0.restartCount", 6, "Restart Count:  6"),
        ("status.containerStatuses.0.ready", False, "Ready:          False"),
        ("status.conditions.2.status", "False", "  Ready                       False"),
    ],
)
def test_a_described_pod(path: str, value: Json, text: str) -> None:
    _, reading = described("describe_pod.txt")
    pod = only(reading, "Pod")
    assert pod.get(path) == value
    assert text in pod.cite(path).excerpt


def test_the_events_of_a_description_are_about_the_object() -> None:
    _, reading = described("describe_pod.txt")
    scheduled, back_off = reading.events
    assert (scheduled.reason, scheduled.component, scheduled.count) == ("Scheduled", "default-scheduler", 1)
    assert (back_off.type, back_off.count) == ("Warning", 25)
    assert back_off.first is not None
    assert back_off.last is not None
    assert (back_off.first.uptime_s, back_off.last.uptime_s) == (-419.0, -124.0)
    assert back_off.message == "Back-off restarting failed container trainer in pod train-0"
    assert back_off.involved is not None
    assert back_off.involved.key == "pod/ml/train-0"
    assert back_off.involved.node == "gpu-node-7"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("metadata.labels.[node-role.kubernetes.io/worker]", "true"),
        ("metadata.creationTimestamp", "2025-04-15T05:13:48Z"),
        ("spec.unschedulable", True),
        ("spec.taints.0.value", "present"),
        ("spec.taints.1.effect", "NoSchedule"),
        ("spec.taints.1.value", None),
        ("status.conditions.2.type", "Ready"),
        ("status.conditions.2.status", "Unknown"),
        ("status.conditions.2.reason", "NodeStatusUnknown"),
        ("status.conditions.2.message", "Kubelet stopped posting node status."),
        ("status.conditions.2.lastTransitionTime", "2025-05-29T09:55:02Z"),
        ("status.capacity.[nvidia.com/gpu]", "8"),
        ("status.allocatable.[nvidia.com/gpu]", "7"),
        ("status.nodeInfo.kernelVersion", "6.8.0-40-generic"),
        ("status.nodeInfo.bootID", "9493e363"),
        ("status.addresses.0.address", "172.18.0.3"),
        ("status.allocated.[nvidia.com/gpu].requests", "7"),
        ("status.pods.1.name", "train-0"),
        ("status.pods.1.memoryRequests", "512Gi"),
        ("status.leaseRenewTime", "2025-05-29T09:56:46Z"),
    ],
)
def test_a_described_node(path: str, value: Json) -> None:
    _, reading = described("describe_node.txt")
    assert only(reading, "Node").get(path) == value


@pytest.mark.parametrize(
    ("kind", "name", "path", "value"),
    [
        ("Deployment", "api", "spec.replicas", 3),
        ("Deployment", "api", "status.updatedReplicas", 1),
        ("Deployment", "api", "status.unavailableReplicas", 2),
        ("Deployment", "api", "spec.strategy.type", "RollingUpdate"),
        ("Deployment", "api", "spec.selector.matchLabels.app", "api"),
        ("Deployment", "api", "spec.template.spec.containers.0.image", "registry.example/api:2"),
        ("Deployment", "api", "status.conditions.1.reason", "ProgressDeadlineExceeded"),
        ("ReplicaSet", "api-7f9dd8b6c4", "metadata.ownerReferences.0.name", "api"),
        ("ReplicaSet", "api-7f9dd8b6c4", "spec.replicas", 1),
        ("ReplicaSet", "api-7f9dd8b6c4", "spec.selector.matchLabels.pod-template-hash", "7f9dd8b6c4"),
        ("DaemonSet", "dcgm-exporter", "status.desiredNumberScheduled", 12),
        ("DaemonSet", "dcgm-exporter", "status.numberAvailable", 11),
        ("DaemonSet", "dcgm-exporter", "status.numberMisscheduled", 1),
        ("Job", "nightly", "spec.backoffLimit", 6),
        ("Job", "nightly", "spec.suspend", False),
        ("Job", "nightly", "status.active", 1),
        ("Job", "nightly", "status.failed", 1),
        ("PersistentVolumeClaim", "ckpt", "status.phase", "Bound"),
        ("PersistentVolumeClaim", "ckpt", "spec.accessModes.1", "ROX"),
        ("PersistentVolumeClaim", "ckpt", "status.usedBy.1", "train-1"),
        ("PersistentVolumeClaim", "ckpt", "metadata.finalizers.0", "kubernetes.io/pvc-protection"),
        ("PersistentVolume", "pvc-1", "spec.claimRef.namespace", "ml"),
        ("PersistentVolume", "pvc-1", "spec.nodeAffinity.terms.0", "topology.ebs.csi.aws.com/zone in [z1]"),
        ("PersistentVolume", "pvc-1", "spec.source.Driver", "ebs.csi.aws.com"),
        ("ResourceQuota", "gpu-quota", "status.used.pods", "15k"),
        ("ResourceQuota", "gpu-quota", "status.hard.[requests.nvidia.com/gpu]", "8"),
        ("PodDisruptionBudget", "api-pdb", "spec.minAvailable", 2),
        ("PodDisruptionBudget", "api-pdb", "status.disruptionsAllowed", 0),
        ("ClusterPolicy", "cluster-policy", "spec.driver.upgradePolicy.autoUpgrade", True),
        ("ClusterPolicy", "cluster-policy", "spec.toolkit.env.1.name", "CONTAINERD_SOCKET"),
        ("ClusterPolicy", "cluster-policy", "status.conditions.0.reason", "OperandNotReady"),
        ("ClusterPolicy", "cluster-policy", "status.conditions.1.type", "Error"),
        ("ClusterPolicy", "cluster-policy", "status.state", "notReady"),
        ("ClusterPolicy", "cluster-policy", "metadata.creationTimestamp", "2026-02-25T08:26:00Z"),
    ],
)
def test_descriptions_of_other_kinds_in_one_text(kind: str, name: str, path: str, value: Json) -> None:
    _, reading = described("describe_others.txt")
    found = only(reading, kind)
    assert found.name == name
    assert found.get(path) == value


def leaves(found: KubeObject) -> Iterator[tuple[str, str]]:
    for path in found.lines:
        value = found.get(path) if path else None
        if isinstance(value, str):
            yield path, value


@pytest.mark.parametrize("name", ["describe_pod.txt", "describe_node.txt", "describe_others.txt"])
def test_every_text_field_stands_on_its_line_or_is_a_time_put_into_utc(name: str) -> None:
    held, reading = described(name)
    for found in reading.objects:
        for path, value in leaves(found):
            line = held.lines[found.line_of(path) - 1]
            is_made = (
                path.endswith(("Time", "Timestamp", "startedAt", "finishedAt", "operator")) or value == "true"
            )
            assert value in line or is_made, path


@pytest.mark.parametrize(
    "text",
    [
        "error: Metrics API not available\n",
        'Error from server (NotFound): jobs.batch "x" not found\n',
        "Unable to connect to the server: x509: certificate has expired\n",
        "",
        "\n\n\n",
        "::::\n",
    ],
)
def test_what_is_no_description_gives_no_object(text: str) -> None:
    reading = read(document(text, Kind.KUBECTL_DESCRIBE), NO_CONTEXT)
    assert reading.objects == ()


def test_a_cut_description_takes_its_name_from_the_recording() -> None:
    held = document(
        "Capacity:\n  nvidia.com/gpu:  8\nAllocatable:\n  nvidia.com/gpu:  7\n",
        Kind.KUBECTL_DESCRIBE,
        node="gpu-9",
    )
    (found,) = read(held, NO_CONTEXT).objects
    assert (found.kind, found.name) == ("Node", "gpu-9")


def test_conditions_that_a_monitor_printed_are_conditions_of_a_node() -> None:
    text = "GpuWatch = True   reason=GpuWatchIsNotHealthy\n  ErrorCode:X GPU:0\n  status is -3\n"
    (found,) = read(document(text, Kind.KUBECTL_DESCRIBE), NO_CONTEXT).objects
    assert found.get("status.conditions.0.reason") == "GpuWatchIsNotHealthy"
    assert found.get("status.conditions.0.message") == "ErrorCode:X GPU:0 status is -3"
