"""A machine in a few hundred bytes, and what differs between two looks at it."""

from typing import Any

import orjson

from firstfault.evals.sim.fleet_api import Fleet, node_name
from firstfault.tools.topology.machines import compact, differences, machine_of, node_of

NODE: dict[str, Any] = {
    "metadata": {
        "name": "gpu-7",
        "uid": "u1",
        "labels": {
            "network.topology.nvidia.com/leaf": "leaf7",
            "nvidia.com/cuda.driver-version.full": "550.90.07",
            "nvidia.com/gpu.deploy.driver": "true",
            "example.com/firmware": "96.00",
            "feature.node.kubernetes.io/cpu-cpuid.AVX": "true",
        },
    },
    "spec": {},
    "status": {
        "allocatable": {"cpu": "190", "nvidia.com/gpu": "8"},
        "conditions": [{"type": "Ready", "status": "True", "lastHeartbeatTime": "now"}],
        "nodeInfo": {"kernelVersion": "6.8", "bootID": "b1"},
        "images": [{"names": ["x"]}],
    },
}


def test_what_is_shared_and_the_versions_stay_and_what_flickers_goes() -> None:
    found = compact(NODE)
    assert found["metadata"] == {
        "name": "gpu-7",
        "uid": "u1",
        "labels": {
            "example.com/firmware": "96.00",
            "network.topology.nvidia.com/leaf": "leaf7",
            "nvidia.com/cuda.driver-version.full": "550.90.07",
        },
    }
    assert found["status"] == {
        "allocatable": {"nvidia.com/gpu": "8"},
        "conditions": [{"type": "Ready", "status": "True"}],
        "nodeInfo": {"kernelVersion": "6.8"},
    }
    assert node_of(machine_of(found)) == found


def test_the_same_machine_gives_the_same_bytes() -> None:
    other: dict[str, Any] = {
        **NODE,
        "status": {**NODE["status"], "nodeInfo": {"bootID": "b2", "kernelVersion": "6.8"}},
    }
    assert machine_of(compact(NODE)) == machine_of(compact(other))


def test_what_differs_is_named_with_before_and_after() -> None:
    labels = {**NODE["metadata"]["labels"], "nvidia.com/cuda.driver-version.full": "570.124.06"}
    del labels["example.com/firmware"]
    after: dict[str, Any] = {
        **NODE,
        "metadata": {**NODE["metadata"], "labels": labels},
        "spec": {"unschedulable": True},
    }
    assert list(differences(machine_of(compact(NODE)), machine_of(compact(after)))) == [
        ("cordoned", "False", "True"),
        ("example.com/firmware", "96.00", None),
        ("nvidia.com/cuda.driver-version.full", "550.90.07", "570.124.06"),
    ]


def test_conditions_that_turn_are_no_change() -> None:
    turned = {**NODE["status"], "conditions": [{"type": "Ready", "status": "False"}]}
    other: dict[str, Any] = {**NODE, "status": turned}
    assert list(differences(machine_of(compact(NODE)), machine_of(compact(other)))) == []


def test_objects_of_another_shape_are_a_machine_without_facts() -> None:
    assert machine_of(compact({"metadata": None, "status": {"conditions": "x"}})).name == ""


def test_it_is_a_small_part_of_the_object() -> None:
    whole = Fleet.of_size(nodes=1, pods=0, events=0).nodes[node_name(0)]
    assert len(machine_of(compact(orjson.loads(whole))).body) * 8 < len(whole)
