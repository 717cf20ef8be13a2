"""What people did, out of an API server's audit log."""

import json
from typing import Any

import pytest

from firstfault.evals.shadow.audit_log import actions_of_events, actions_of_log


def event(verb: str, resource: str, name: str, minute: int = 0, **parts: Any) -> str:  # noqa: ANN401 - any JSON
    ref: dict[str, object] = {"resource": resource, "name": name, "namespace": parts.get("namespace")}
    if "sub" in parts:
        ref["subresource"] = parts["sub"]
    body = {
        "kind": "Event",
        "apiVersion": "audit.k8s.io/v1",
        "auditID": f"id-{minute}",
        "stage": parts.get("stage", "ResponseComplete"),
        "verb": verb,
        "user": {"username": parts.get("user", "ann")},
        "objectRef": ref,
        "responseStatus": {"code": parts.get("code", 200)},
        "requestObject": parts.get("request"),
        "requestReceivedTimestamp": f"2026-03-02T08:{minute:02d}:00.123456Z",
    }
    return json.dumps(body)


def cordon(node: str, minute: int, *, on: bool = True, user: str = "ann") -> str:
    return event("patch", "nodes", node, minute, request={"spec": {"unschedulable": on or None}}, user=user)


def found(*lines: str) -> list[tuple[str, str]]:
    return [(action.action, f"{action.target.kind}/{action.target.name}") for action in actions_of_log(lines)]


def test_cordon_evictions_and_uncordon_are_cordon_drain_uncordon() -> None:
    lines = [
        cordon("n1", 0),
        event("create", "pods", "p1", 1, sub="eviction", namespace="a"),
        event("create", "pods", "p2", 2, sub="eviction", namespace="a"),
        cordon("n1", 50, on=False),
    ]
    assert found(*lines) == [
        ("cordon_node", "node/n1"),
        ("drain_node", "node/n1"),
        ("uncordon_node", "node/n1"),
    ]


def test_an_eviction_without_a_cordon_restarts_its_pod() -> None:
    lines = [cordon("n1", 0, user="bob"), event("create", "pods", "p1", 1, sub="eviction")]
    assert found(*lines) == [("cordon_node", "node/n1"), ("restart_pod", "pod/p1")]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (event("delete", "nodes", "n1"), ("node_replace", "node/n1")),
        (event("delete", "pods", "p1", namespace="a"), ("restart_pod", "pod/p1")),
        (
            event("create", "rebootnodes", "m", request={"spec": {"nodeName": "n1"}}),
            ("node_reboot", "node/n1"),
        ),
        (event("create", "gpuresets", "m", request={"spec": {"nodeName": "n1"}}), ("gpu_reset", "node/n1")),
        (
            event(
                "patch",
                "deployments",
                "web",
                request=[{"op": "replace", "path": "/spec/template", "value": {}}],
            ),
            ("rollback_change", "workload/web"),
        ),
        (
            event(
                "patch",
                "daemonsets",
                "web",
                request={
                    "spec": {
                        "template": {"metadata": {"annotations": {"kubectl.kubernetes.io/restartedAt": "x"}}}
                    }
                },
            ),
            ("restart_pod", "workload/web"),
        ),
        (
            event("patch", "clusterpolicies", "gpu", request={"spec": {"driver": {"version": "580"}}}),
            ("driver_change", "change/gpu"),
        ),
    ],
)
def test_writes_are_named_as_actions(line: str, expected: tuple[str, str]) -> None:
    assert found(line) == [expected]


@pytest.mark.parametrize(
    "line",
    [
        event("get", "nodes", "n1"),
        event("delete", "nodes", "n1", code=403),
        event("delete", "nodes", "n1", stage="RequestReceived"),
        event("delete", "pods", "p1", user="system:node:n1"),
        event("delete", "pods", "p1", user="system:serviceaccount:kube-system:job-controller"),
        event("patch", "nodes", "n1", user="system:serviceaccount:firstfault:executor"),
        event("patch", "nodes", "n1"),
        event("patch", "nodes", "n1", request={"metadata": {"labels": {"a": "b"}}}),
        event("patch", "deployments", "web", request={"spec": {"replicas": 3}}),
        event("delete", "jobs", "j1"),
        "not json",
        "[]",
        '{"verb": "delete"}',
    ],
)
def test_reads_refusals_components_and_unclear_writes_are_passed_over(line: str) -> None:
    assert found(line) == []


def test_a_job_made_again_was_restarted() -> None:
    lines = [
        event("delete", "pytorchjobs", "train", 0, namespace="a"),
        event("create", "pytorchjobs", "train", 9, namespace="a"),
        event("create", "pytorchjobs", "other", 9, namespace="a"),
    ]
    assert found(*lines) == [("restart_job_from_checkpoint", "job/train")]


def test_a_cordon_taken_back_soon_and_without_a_repair_was_undone() -> None:
    back = actions_of_log([cordon("n1", 0), cordon("n1", 30, on=False)])
    assert back[0].undone_at == back[1].at
    repaired = actions_of_log(
        [
            cordon("n1", 0),
            event("create", "rebootnodes", "m", 5, request={"spec": {"nodeName": "n1"}}),
            cordon("n1", 30, on=False),
        ]
    )
    assert repaired[0].undone_at is None


def test_the_order_of_lines_does_not_matter_and_actor_time_and_source_are_kept() -> None:
    lines = [cordon("n1", 5), cordon("n2", 1)]
    assert actions_of_log(lines) == actions_of_log(lines[::-1])
    first = actions_of_log(lines)[0]
    assert (first.actor, first.at.isoformat(), first.source) == (
        "ann",
        "2026-03-02T08:01:00.123456+00:00",
        "API audit id-1",
    )


def test_reboots_come_from_events() -> None:
    rebooted = {
        "reason": "Rebooted",
        "involvedObject": {"kind": "Node", "name": "n1"},
        "lastTimestamp": "2026-03-02T08:00:00Z",
    }
    assert [(a.action, a.target.name) for a in actions_of_events([rebooted, {"reason": "Other"}])] == [
        ("node_reboot", "n1")
    ]
