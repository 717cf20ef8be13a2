"""Parts of a cluster are known by the names of their pods, and are down where one says so."""

import pytest

from firstfault.tools.extract.kube.components import component_of, role_of
from tests.tools.extract.kube.reading import named, names

POD = """
apiVersion: v1
kind: Pod
metadata: {name: NAME, namespace: kube-system}
spec: {containers: [{name: main}]}
status: {phase: Running, containerStatuses: [{name: main, ready: READY, state: STATE}]}
"""
RUNS = "{running: {startedAt: '2026-03-01T00:00:00Z'}}"
LOOPS = "{waiting: {reason: CrashLoopBackOff}}"


def _pod(name: str, *, ready: bool = True, state: str = RUNS) -> str:
    return POD.replace("NAME", name).replace("READY", str(ready).lower()).replace("STATE", state)


@pytest.mark.parametrize(
    ("name", "component"),
    [
        ("coredns-5d78c9869d-7xk2p", "dns"),
        ("kube-proxy-x8d2f", "proxy"),
        ("cilium-9kq2c", "cni"),
        ("cilium-test-1", None),
        ("karpenter-7d9f8", "autoscaler"),
        ("web-0", None),
        ("", None),
    ],
)
def test_components(name: str, component: str | None) -> None:
    assert component_of(name) == component


@pytest.mark.parametrize(
    ("name", "namespace", "role"),
    [
        ("dcgm-exporter-1", "gpu-operator", "monitoring"),
        ("coredns-1", None, "platform"),
        ("anything", "kube-system", "platform"),
        ("web-0", "shop", "application"),
        ("web-0", None, "application"),
    ],
)
def test_roles(name: str, namespace: str | None, role: str) -> None:
    assert role_of(name, namespace) == role


def test_a_component_that_loops_is_down_and_says_how() -> None:
    (found,) = named("kube.component.down", _pod("coredns-1-a", ready=False, state=LOOPS))
    assert (found.attributes["component"], found.attributes["state"]) == ("dns", "CrashLoopBackOff")
    assert "CrashLoopBackOff" in found.evidence.excerpt


def test_a_component_that_runs_and_a_program_that_loops_are_not() -> None:
    assert "kube.component.down" not in names(_pod("coredns-1-a"), _pod("web-1-a", ready=False, state=LOOPS))


def test_a_pod_that_is_being_deleted_is_not_down() -> None:
    ending = _pod("coredns-1-a", ready=False, state=LOOPS).replace(
        "namespace:", "deletionTimestamp: '2026-03-01T11:00:00Z', namespace:"
    )
    assert "kube.component.down" not in names(ending)


def test_a_component_scaled_to_nothing() -> None:
    workload = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: coredns, namespace: kube-system}\nspec: {replicas: 0}\n"
    (found,) = named("kube.component.down", workload)
    assert found.attributes["state"] == "scaled to zero"


def test_a_static_part_that_a_complete_list_lacks() -> None:
    sisters = [_pod(name) for name in ("etcd-cp", "kube-apiserver-cp", "kube-controller-manager-cp")]
    (found,) = named("kube.component.missing", *sisters)
    assert found.attributes["component"] == "scheduler"
    assert not named("kube.component.missing", *sisters[:2])


def test_a_status_that_is_no_status() -> None:
    broken = "apiVersion: v1\nkind: Pod\nmetadata: {name: coredns-1}\nstatus: [1, 2]\n"
    assert "kube.component.down" not in names(broken)
