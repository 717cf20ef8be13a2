"""Facts from objects: what is known is right, what cannot be known is None, never zero and never False."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from firstfault.agent.facts import Surroundings, facts_from_recording
from firstfault.agent.facts.nodes import cordon_owner_of, is_unavailable, role_of
from firstfault.agent.facts.pods import grace_s, is_stateful, matches, owner_of, stays_on_drain
from firstfault.agent.facts.recording import CauseFinding, facts_from_snapshot
from firstfault.agent.facts.settings import CORDON_ANNOTATION, CalendarEntry, FactSettings, Switches
from firstfault.agent.facts.snapshot import ApiObject, Snapshot
from firstfault.agent.findings import CommonCause
from firstfault.policies import Facts, Target, TargetKind
from firstfault.policies.facts import FleetFacts
from firstfault.tools.context import NO_CONTEXT
from firstfault.tools.evidence import Document
from firstfault.tools.kinds import Kind
from firstfault.tools.readers import read
from tests.agent.facts.objects import NODE, budget, node, pod, row, snapshot
from tests.documents import document
from tests.policies.worlds import NOW

TARGET = Target(kind=TargetKind.NODE, name=NODE)
MARKED = {"annotations": {CORDON_ANNOTATION: "dec-1"}, "labels": {"nvidia.com/gpu.present": "true"}}


def facts(taken: Snapshot, target: Target = TARGET, **around: Any) -> Facts:  # noqa: ANN401  # fields of Surroundings
    return facts_from_snapshot(taken, target, Surroundings(as_of=NOW, **around))


@pytest.mark.parametrize(
    ("item", "role"),
    [
        (node(), "worker"),
        (node(metadata={"labels": {"node-role.kubernetes.io/control-plane": ""}}), "control_plane"),
        (node(metadata={"labels": {"node-role.kubernetes.io/master": ""}}), "control_plane"),
        (row(ROLES="control-plane,etcd"), "control_plane"),
        (row(ROLES="<none>"), "worker"),
        (row(STATUS="Ready"), None),
    ],
)
def test_the_role_of_a_node(item: ApiObject, role: str | None) -> None:
    assert role_of(item) == role


@pytest.mark.parametrize(
    ("item", "owner"),
    [
        (node(), "nobody"),
        (node(spec={"unschedulable": True}), "other"),
        (node(spec={"unschedulable": True}, metadata=MARKED), "firstfault"),
        (row(STATUS="Ready,SchedulingDisabled"), "other"),
        (row(STATUS="Ready"), "nobody"),
        (row(ROLES="<none>"), None),
    ],
)
def test_whose_cordon_it_is(item: ApiObject, owner: str | None) -> None:
    assert cordon_owner_of(item) == owner


@pytest.mark.parametrize(
    ("item", "unavailable"),
    [
        (node(), False),
        (node(spec={"unschedulable": True}), True),
        (node(status={"conditions": [{"type": "Ready", "status": "Unknown"}]}), True),
        (row(STATUS="NotReady"), True),
        (row(STATUS="Ready"), False),
        (node(status={}), None),
        (row(ROLES="<none>"), None),
    ],
)
def test_whether_a_node_takes_work(item: ApiObject, unavailable: bool | None) -> None:
    assert is_unavailable(item) is unavailable


def test_a_target_that_was_not_seen_is_unknown_altogether() -> None:
    found = facts(snapshot(node("another")))

    assert found.node.node_identity is None
    assert found.fleet.cluster_nodes is None
    assert found.control.target_opted_out is None


def test_the_fleet_counts_gpu_nodes_only_and_the_target_as_gone() -> None:
    cpu = node("cpu-1", metadata={"labels": {"rack": "r1"}}, status={"capacity": {}})
    down = node("gpu-9", spec={"unschedulable": True})
    found = facts(snapshot(node(), node("gpu-1"), down, cpu)).fleet

    assert (found.cluster_nodes, found.cluster_unavailable_after) == (3, 2)
    assert (found.rack, found.rack_nodes, found.rack_unavailable_after) == ("r1", 3, 2)
    assert (found.pool, found.pool_nodes, found.pool_unavailable_after) == ("", 0, 0)


def test_a_scope_whose_label_the_target_lacks_is_unknown() -> None:
    unlabelled = node(metadata={"labels": {"nvidia.com/gpu.present": "true", "switch": "leaf0"}})
    found = facts(snapshot(unlabelled, node("gpu-1"))).fleet

    assert found.rack is None
    assert found.rack_unavailable_after is None
    assert found.switch == "leaf0"


@pytest.mark.parametrize("complete", [(), ("pod",)])
def test_a_list_that_may_be_cut_counts_nothing(complete: tuple[str, ...]) -> None:
    found = facts(snapshot(node(), node("gpu-1"), complete=complete)).fleet

    assert found.cluster_nodes is None


NODES = json.dumps(
    {"kind": "NodeList", "items": [{**node(name).body, "kind": "Node"} for name in ("gpu-1", NODE)]}
)
DESCRIBED = f"Name:               {NODE}\nRoles:              <none>\nUnschedulable:      false\n"


def recorded(*documents: Document) -> FleetFacts:
    """Return what recorded documents say of the fleet around the usual node."""
    objects = [item for each in documents for item in read(each, NO_CONTEXT).objects]
    return facts_from_recording(
        objects, Target(kind=TargetKind.NODE, name=NODE), Surroundings(as_of=NOW)
    ).fleet


@pytest.mark.parametrize(
    ("is_whole", "described", "counted"),
    [(True, None, 2), (True, NODE, 2), (True, "gpu-9", None), (False, None, None), (False, NODE, None)],
    ids=["a list", "one of it described", "another described", "a cut list", "a cut list and one described"],
)
def test_a_whole_list_of_nodes_in_a_recording_counts_the_cluster(
    described: str | None, counted: int | None, *, is_whole: bool
) -> None:
    listed = replace(document(NODES, Kind.KUBE_OBJECTS, "raw/nodes.json"), complete=is_whole)
    beside = (
        []
        if described is None
        else [document(DESCRIBED.replace(NODE, described), Kind.KUBECTL_DESCRIBE, "raw/node.txt")]
    )

    assert recorded(listed, *beside).cluster_nodes == counted


def test_one_node_of_unknown_state_makes_the_count_unknown() -> None:
    assert facts(snapshot(node(), node("gpu-1", status={}))).fleet.cluster_unavailable_after is None


def test_pods_that_a_drain_leaves_alone() -> None:
    daemon = pod("d", metadata={"ownerReferences": [{"kind": "DaemonSet", "name": "d", "controller": True}]})
    static = pod("s", metadata={"annotations": {"kubernetes.io/config.mirror": "x"}})
    ended = pod("e", status={"phase": "Succeeded"})

    assert all(map(stays_on_drain, (daemon, static, ended)))
    found = facts(snapshot(node(), daemon, static, ended))
    assert found.node.node_drained is True
    assert found.workload.checkpoint_age_s == 0


def test_pods_that_cannot_all_be_known_are_not_none() -> None:
    found = facts(snapshot(node(), pod(), complete=("node",)))

    assert found.node.node_drained is None
    assert found.workload.unmanaged_pods is None


@pytest.mark.parametrize(
    ("volume", "keeps"),
    [
        ({"emptyDir": {}}, True),
        ({"emptyDir": {"medium": "Memory"}}, False),
        ({"persistentVolumeClaim": {"claimName": "c"}}, True),
        ({"persistentVolumeClaim": {"claimName": "c", "readOnly": True}}, False),
        ({"persistentVolumeClaim": {"claimName": "local", "readOnly": True}}, True),
        ({"configMap": {"name": "c"}}, False),
        ({"ephemeral": {}}, True),
    ],
)
def test_what_a_pod_keeps(volume: dict[str, Any], keeps: bool) -> None:
    assert is_stateful(pod(spec={"volumes": [{"name": "v", **volume}]}), frozenset({"local"})) is keeps


def test_an_owner_that_does_not_control_would_not_bring_it_back() -> None:
    assert (
        owner_of(pod(metadata={"ownerReferences": [{"kind": "Workflow", "name": "w", "controller": False}]}))
        is None
    )
    assert owner_of(pod(metadata={"ownerReferences": []})) is None
    assert owner_of(pod()) == ("ReplicaSet", "x")


def test_grace_is_the_servers_default_when_nothing_is_said() -> None:
    assert grace_s(pod()) == 30
    assert grace_s(pod(spec={"terminationGracePeriodSeconds": 900})) == 900


@pytest.mark.parametrize(
    ("budgets", "tight"),
    [
        ((), 0),
        ((budget(1),), 0),
        ((budget(0),), 1),
        ((budget(0, {}),), 1),
        ((budget(0, {"matchLabels": {"app": "y"}}),), 0),
        ((budget(0, namespace="other"),), 0),
        ((budget(None),), None),
    ],
)
def test_budgets_without_room(budgets: tuple[ApiObject, ...], tight: int | None) -> None:
    assert facts(snapshot(node(), pod(), *budgets)).workload.pdbs_without_room == tight


@pytest.mark.parametrize(
    ("rule", "labels", "picks"),
    [
        ({"key": "a", "operator": "In", "values": ["1"]}, {"a": "1"}, True),
        ({"key": "a", "operator": "NotIn", "values": ["1"]}, {"a": "1"}, False),
        ({"key": "a", "operator": "Exists"}, {}, False),
        ({"key": "a", "operator": "DoesNotExist"}, {}, True),
        ({"key": "a", "operator": "Unheard"}, {}, True),
    ],
)
def test_a_selector_that_is_not_understood_picks_everything(
    rule: dict[str, Any], labels: dict[str, Any], picks: bool
) -> None:
    assert matches({"matchExpressions": [rule]}, labels) is picks


def trainer(number: int, saved: str | None) -> ApiObject:
    notes = {} if saved is None else {"firstfault.dev/checkpoint-at": saved}
    return pod(f"t-{number}", metadata={"labels": {"job-name": f"llm-{number}"}, "annotations": notes})


def test_the_checkpoint_that_counts_is_the_oldest_last_one() -> None:
    found = facts(
        snapshot(node(), trainer(1, "2026-11-30T02:50:00Z"), trainer(2, "2026-11-30T02:00:00+00:00"))
    ).workload

    assert found.checkpoint_age_s == 3600


@pytest.mark.parametrize("saved", [None, "yesterday", "2026-11-30T02:50:00", "", "9999"])
def test_a_job_that_does_not_say_when_it_saved_is_unknown(saved: str | None) -> None:
    assert facts(snapshot(node(), trainer(1, saved))).workload.checkpoint_age_s is None


def test_a_shared_cause_is_true_false_or_unknown() -> None:
    cause = CommonCause(dimension="switch", value="leaf0", affected=3, total=16, lift=4.0, p_value=0.001)

    assert facts(snapshot(node()), cause=CauseFinding(causes=(cause,))).cause.shared_cause is True
    assert facts(snapshot(node()), cause=CauseFinding(tested=True)).cause.shared_cause is False
    assert facts(snapshot(node())).cause.shared_cause is None


def test_windows_opt_outs_and_switches() -> None:
    entry = CalendarEntry(start=NOW - timedelta(hours=1), end=NOW + timedelta(hours=1), nodes="gpu-")
    elsewhere = replace(entry, nodes="cpu-")
    out = node(metadata={"labels": {"firstfault.dev/opt-out": "true"}})

    planned = facts(
        snapshot(node()), settings=FactSettings(freezes=(elsewhere,), planned_work=(entry,))
    ).control
    assert (planned.freeze_active, planned.planned_work, planned.target_opted_out) == (False, True, False)
    assert facts(snapshot(out)).control.target_opted_out is True
    assert facts(snapshot(node())).control.kill_switch is None
    assert facts(snapshot(node()), switches=Switches(kill_switch=False)).control.kill_switch is False


def test_without_a_clock_windows_are_unknown() -> None:
    found = facts_from_snapshot(snapshot(node()), TARGET, Surroundings())

    assert found.control.freeze_active is None
    assert found.control.planned_work is None
