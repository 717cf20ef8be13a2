"""Which nodes refuse a pod, and by which field, judged from the objects."""

import pytest

from firstfault.tools.extract.kube import gather
from firstfault.tools.extract.kube.machines import Machine, machines
from firstfault.tools.extract.kube.refusals import condition_path, refused_by
from firstfault.tools.readers import read
from firstfault.tools.readings import KubeObject
from tests.tools.extract.kube.reading import NOW, objects

NODE = """
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {pool: a100, zone: a}}
spec: {unschedulable: true, taints: [{key: gpu, value: "yes", effect: NoSchedule}]}
status:
  allocatable: {cpu: "8", nvidia.com/gpu: "4"}
  conditions: [{type: Ready, status: "False"}, {type: DiskPressure, status: "True"}]
"""
POD = """
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  nodeSelector: {pool: h100}
  containers: [{name: c, resources: {requests: {cpu: "2", nvidia.com/gpu: "8"}}}]
status: {phase: Pending}
"""


def _read(*items: str) -> tuple[tuple[Machine, ...], KubeObject | None]:
    cluster = gather([read(objects(*items), NOW)], NOW)
    pods = cluster.fullest("pod")
    return tuple(machines(cluster)), pods[0] if pods else None


@pytest.mark.parametrize(
    ("predicate", "detail", "field", "said"),
    [
        ("cordon", "", "", "unschedulable"),
        ("not_ready", "", "", "not ready"),
        ("pressure", "disk", "", "DiskPressure"),
        ("taint", "gpu", "tolerations", "gpu"),
        ("taint", "", "tolerations", "gpu"),
        ("selector", "", "nodeSelector", "pool=h100"),
        ("resource", "nvidia.com/gpu", "resources", "nvidia.com/gpu"),
    ],
)
def test_each_predicate_names_its_field(predicate: str, detail: str, field: str, said: str) -> None:
    nodes, pod = _read(NODE, POD)
    (found,) = refused_by(predicate, detail, pod, nodes)
    assert (found.field, found.detail) == (field, said)


def test_more_than_the_node_has_when_empty_never_fits() -> None:
    nodes, pod = _read(NODE, POD)
    (found,) = refused_by("resource", "nvidia.com/gpu", pod, nodes)
    assert found.never_fits
    assert not refused_by("resource", "cpu", pod, nodes)


@pytest.mark.parametrize("predicate", ["pressure", "taint", "memory", "volume_zone", ""])
def test_what_cannot_be_told_refuses_nobody(predicate: str) -> None:
    nodes, pod = _read(NODE, POD)
    assert not refused_by(predicate, "another", pod, nodes) or predicate == "pressure"


def test_without_a_pod_only_the_node_is_judged() -> None:
    nodes, _ = _read(NODE)
    assert refused_by("cordon", "", None, nodes)
    assert not refused_by("selector", "", None, nodes)


def test_where_a_condition_stands() -> None:
    nodes, _ = _read(NODE)
    assert condition_path(nodes[0].node, "DiskPressure") == "status.conditions.1"
    assert condition_path(nodes[0].node, "Absent") == "status.conditions"


def test_a_node_of_nothing_refuses_nobody() -> None:
    nodes, pod = _read("apiVersion: v1\nkind: Node\nmetadata: {name: n2}\n", POD)
    assert not any(
        refused_by(p, "", pod, nodes) for p in ("cordon", "taint", "selector", "resource", "not_ready")
    )
