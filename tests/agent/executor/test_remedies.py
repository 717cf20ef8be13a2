"""Each remedy from an approved decision to a verified end, against an API server with controllers behind it."""

from typing import Any

import pytest

from firstfault.agent.executor.plans.delegated import delegate
from firstfault.agent.executor.service import Word
from firstfault.agent.executor.steps import NoPlanError
from firstfault.agent.facts.repairs import load_repairs
from firstfault.agent.facts.settings import CORDON_ANNOTATION
from firstfault.agent.facts.snapshot import ApiObject, Snapshot
from firstfault.evals.sim.kube_controllers import finish_repairs
from firstfault.evals.sim.kube_store import Happening, ObjectStore
from firstfault.policies import Action, Mode, Outcome, Target, TargetKind
from firstfault.policies.history import Ending
from tests.agent.executor.kit import NODE, Bench, asking, kind, pod
from tests.agent.executor.remedies import (
    FIRMWARE,
    JOBS,
    OLD,
    PINS,
    load_job,
    load_kustomization,
    load_pin,
    load_workload,
    template_of,
)

NODE_PATH = f"/api/v1/nodes/{NODE}"


def run(bench: Bench, decision_id: str) -> None:
    assert bench.service.round() == {decision_id: Word.RUN}
    execution = bench.store.executions.of_decision(decision_id)
    assert execution is not None
    assert execution.ending is Ending.DONE, execution.why
    assert bench.service.round() == {}


def test_cordon_is_done_once_and_verified(bench: Bench) -> None:
    bench.allow(Action.CORDON_NODE, FIRMWARE)
    record = bench.approved(asking(Action.CORDON_NODE))

    run(bench, record.id)

    assert bench.node()["spec"]["unschedulable"] is True
    assert bench.node()["metadata"]["annotations"][CORDON_ANNOTATION] == record.id
    assert bench.writes() == [("PATCH", NODE_PATH)]
    assert bench.events() == [
        "approval.asked",
        "approval.approved",
        "execution.begun",
        "step.do.begun",
        "step.do.done",
        "execution.done",
    ]


def test_auto_mode_runs_without_asking(bench: Bench) -> None:
    bench.allow(Action.CORDON_NODE, FIRMWARE, Mode.AUTO)
    record = bench.decide(asking(Action.CORDON_NODE))

    assert record.decision.decision is Outcome.ALLOW
    run(bench, record.id)


def test_uncordon_takes_back_our_own_cordon_only(bench: Bench) -> None:
    bench.allow(Action.CORDON_NODE, FIRMWARE)
    bench.allow(Action.UNCORDON_NODE, FIRMWARE)
    run(bench, bench.approved(asking(Action.CORDON_NODE)).id)

    run(bench, bench.approved(asking(Action.UNCORDON_NODE)).id)

    assert "unschedulable" not in bench.node()["spec"]
    assert CORDON_ANNOTATION not in bench.node()["metadata"]["annotations"]


def test_a_foreign_cordon_is_left_alone(bench: Bench) -> None:
    bench.allow(Action.UNCORDON_NODE, FIRMWARE)
    node = dict(bench.node())
    node["spec"] = {"unschedulable": True}
    bench.api.store.replace(kind("Node"), node)

    record = bench.decide(asking(Action.UNCORDON_NODE))

    assert record.decision.decision is Outcome.DENY
    assert set(record.decision.determining) >= {"cordon.foreign", "cordon.not_ours"}


def test_drain_evicts_what_moves_and_leaves_daemons(bench: Bench) -> None:
    bench.allow(Action.DRAIN_NODE, FIRMWARE)
    bench.api.store.load(kind("Pod"), [pod("serving-a"), pod("serving-b"), pod("dcgm-x", owner="DaemonSet")])
    record = bench.approved(asking(Action.DRAIN_NODE))

    run(bench, record.id)

    left = {
        each["metadata"]["name"]
        for each in bench.api.store.all(kind("Pod"))
        if each["spec"]["nodeName"] == NODE
    }
    assert left == {"dcgm-x"}
    assert bench.writes() == [
        ("PATCH", NODE_PATH),
        ("POST", "/api/v1/namespaces/research/pods/serving-a/eviction"),
        ("POST", "/api/v1/namespaces/research/pods/serving-b/eviction"),
    ]


def test_drain_after_our_cordon_keeps_it(bench: Bench) -> None:
    bench.allow(Action.CORDON_NODE, FIRMWARE)
    bench.allow(Action.DRAIN_NODE, FIRMWARE)
    bench.api.store.load(kind("Pod"), [pod("serving-a")])
    cordon = bench.decide(asking(Action.CORDON_NODE))
    bench.clock.wait(1)
    drain = bench.decide(asking(Action.DRAIN_NODE))
    for record in (cordon, drain):
        approval = bench.desk.ask(record, bench.clock.now())
        assert approval is not None
        bench.vote(approval, "ada")

    words = bench.service.round()

    assert set(words.values()) == {Word.RUN}, bench.store.executions.refusal_of(drain.id)
    assert bench.node()["metadata"]["annotations"][CORDON_ANNOTATION] == cordon.id


def test_restart_pod_is_an_eviction(bench: Bench) -> None:
    bench.allow(Action.RESTART_POD, "kubernetes.device_plugin")
    running: dict[str, Any] = {
        "phase": "Running",
        "containerStatuses": [{"name": "main", "state": {"running": {}}}],
    }
    bench.api.store.load(kind("Pod"), [pod("plugin-x", status=running)])
    target = Target(kind=TargetKind.POD, name="plugin-x", namespace="research")
    record = bench.approved(asking(Action.RESTART_POD, target, failure_class="kubernetes.device_plugin"))

    run(bench, record.id)

    assert bench.writes() == [("POST", "/api/v1/namespaces/research/pods/plugin-x/eviction")]
    assert len(bench.api.store.all(kind("Pod"))) == 1


@pytest.mark.parametrize("name", sorted(JOBS))
def test_restart_job_suspends_waits_and_resumes(bench: Bench, name: str) -> None:
    bench.allow(Action.RESTART_JOB_FROM_CHECKPOINT, FIRMWARE)
    target = load_job(bench, name)
    before = {each["metadata"]["uid"] for each in bench.api.store.all(kind("Pod"))}
    record = bench.approved(asking(Action.RESTART_JOB_FROM_CHECKPOINT, target))

    run(bench, record.id)

    after = {each["metadata"]["uid"] for each in bench.api.store.all(kind("Pod"))}
    assert len(before) == len(after) == 2
    assert not before & after
    assert bench.writes() == [("PATCH", JOBS[name][1])] * 2


def test_a_job_comes_back_without_the_bad_machine_or_not_at_all(bench: Bench) -> None:
    bench.allow(Action.RESTART_JOB_FROM_CHECKPOINT, FIRMWARE)
    target = load_job(bench, "Job")
    bad = bench.api.store.all(kind("Pod"))[0]["spec"]["nodeName"]
    record = bench.approved(
        asking(Action.RESTART_JOB_FROM_CHECKPOINT, target, parameters={"avoid_node": bad})
    )

    bench.service.round()

    execution = bench.store.executions.of_decision(record.id)
    assert execution is not None
    assert execution.ending is Ending.UNDONE
    assert "is kept out" in execution.why
    assert bench.api.store.get(kind("Job"), "llm", "research")["spec"]["suspend"] is False


SEEN = Snapshot(objects=(ApiObject.raw("Node", {"kind": "Node", "metadata": {"name": NODE, "uid": "u"}}),))
UUID = "GPU-5c3a1c9e-26f0-4b2a-9b60-1f2d3c4b5a69"
REPAIRS = {
    Action.GPU_RESET: ("gpuresets", FIRMWARE),
    Action.NODE_REBOOT: ("rebootnodes", FIRMWARE),
    Action.NODE_REPLACE: ("terminatenodes", "gpu.row_remap_failure"),
}


@pytest.mark.parametrize("action", sorted(REPAIRS))
def test_a_repair_is_asked_of_its_controller_once(bench: Bench, action: Action) -> None:
    plural, failure_class = REPAIRS[action]
    bench.allow(action, failure_class)
    record = bench.approved(
        asking(action, failure_class=failure_class), by=("ada", "grace")[: 1 + (plural == "terminatenodes")]
    )

    run(bench, record.id)

    path = f"/apis/janitor.dgxc.nvidia.com/v1alpha1/{plural}"
    assert bench.writes() == [("POST", path)]
    (asked,) = [each for each in bench.api.writes if each.path == path]
    assert asked.body["spec"]["nodeName"] == NODE


@pytest.mark.parametrize(
    ("name", "said", "selector"),
    [
        ("0000:1a:00", {}, {"uuids": [], "pciBusIDs": ["0000:1a:00.0"]}),
        (UUID, {}, {"uuids": [UUID], "pciBusIDs": []}),
        ("0", {"gpu_uuid": UUID}, {"uuids": [UUID], "pciBusIDs": []}),
    ],
)
def test_a_reset_of_one_gpu_names_it(name: str, said: dict[str, str], selector: dict[str, list[str]]) -> None:
    target = Target(kind=TargetKind.GPU, name=name, node=NODE)
    asked = asking(Action.GPU_RESET, target, parameters=said)
    plan = delegate(asked, "dec-1", SEEN, load_repairs("nvsentinel"))

    assert plan.steps[0].call is not None
    assert plan.steps[0].call.body["spec"] == {"nodeName": NODE, "selector": selector}


def test_one_gpu_of_which_no_name_is_known_is_not_reset() -> None:
    target = Target(kind=TargetKind.GPU, name="0", node=NODE)

    with pytest.raises(NoPlanError, match="known neither by its UUID nor by its PCI address"):
        delegate(asking(Action.GPU_RESET, target), "dec-1", SEEN, load_repairs("nvsentinel"))


def test_a_repair_whose_controller_gives_up_has_failed(bench: Bench) -> None:
    bench.allow(Action.NODE_REBOOT, FIRMWARE)
    bench.api.store.reactions.remove(finish_repairs)

    def fail(store: ObjectStore, happening: Happening) -> None:
        if happening.kind.kind == "RebootNode" and happening.type == "ADDED":
            body = store.get(happening.kind, happening.object["metadata"]["name"])
            body["status"] = {"conditions": [{"type": "NodeReady", "status": "False", "reason": "Timeout"}]}
            store.replace(happening.kind, body)

    bench.api.store.react(fail)
    record = bench.approved(asking(Action.NODE_REBOOT))

    bench.service.round()

    execution = bench.store.executions.of_decision(record.id)
    assert execution is not None
    assert execution.ending is Ending.FAILED
    assert "the controller gave up" in execution.why


@pytest.mark.parametrize("kind_name", ["Deployment", "DaemonSet"])
def test_rollback_goes_to_the_revision_before_and_waits_for_it(bench: Bench, kind_name: str) -> None:
    bench.allow(Action.ROLLBACK_CHANGE, "driver.bug")
    target = load_workload(bench, kind_name)
    record = bench.approved(asking(Action.ROLLBACK_CHANGE, target, failure_class="driver.bug"))

    run(bench, record.id)

    template = bench.api.store.get(kind(kind_name), "driver", "gpu-operator")["spec"]["template"]
    assert template == {"metadata": {"labels": {"app": "driver"}}, "spec": template_of("driver:1", [])}


def test_rollback_never_touches_storage(bench: Bench) -> None:
    bench.allow(Action.ROLLBACK_CHANGE, "driver.bug")
    target = load_workload(
        bench, "Deployment", volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "c"}}]
    )

    record = bench.decide(asking(Action.ROLLBACK_CHANGE, target, failure_class="driver.bug"))

    assert record.decision.decision is Outcome.DENY
    assert "change.storage" in record.decision.determining


@pytest.mark.parametrize("kind_name", sorted(PINS))
def test_a_pin_is_turned_back(bench: Bench, kind_name: str) -> None:
    bench.allow(Action.ROLLBACK_CHANGE, "driver.bug")
    _, place = PINS[kind_name]
    target = load_pin(bench, kind_name)
    record = bench.approved(asking(Action.ROLLBACK_CHANGE, target, failure_class="driver.bug"))

    run(bench, record.id)

    value: Any = bench.api.store.get(kind(kind_name), "stack", "gitops")
    for part in place:
        value = value[part]
    assert value in {"v1", "1.9.0"}


def test_a_kustomization_goes_back_by_the_ref_of_its_repository(bench: Bench) -> None:
    bench.allow(Action.ROLLBACK_CHANGE, "driver.bug")
    target = load_kustomization(bench, "stack")
    record = bench.approved(asking(Action.ROLLBACK_CHANGE, target, failure_class="driver.bug"))

    run(bench, record.id)

    repository = bench.api.store.get(kind("GitRepository"), "fleet", "gitops")
    assert repository["spec"]["ref"] == {"branch": "main", "commit": OLD}
    path = "/apis/source.toolkit.fluxcd.io/v1/namespaces/gitops/gitrepositories/fleet"
    assert bench.writes() == [("PATCH", path)]


def test_a_repository_that_others_follow_is_not_pinned(bench: Bench) -> None:
    bench.allow(Action.ROLLBACK_CHANGE, "driver.bug")
    target = load_kustomization(bench, "stack", "other")

    record = bench.decide(asking(Action.ROLLBACK_CHANGE, target, failure_class="driver.bug"))

    assert "change.not_revertible" in record.decision.determining


def test_a_pin_that_deploys_storage_or_does_not_tell_stays(bench: Bench) -> None:
    bench.allow(Action.ROLLBACK_CHANGE, "driver.bug")
    target = load_kustomization(bench, "stack", deploys="StatefulSet")
    asked = asking(Action.ROLLBACK_CHANGE, target, failure_class="driver.bug")

    assert "change.storage" in bench.decide(asked).decision.determining

    body = bench.api.store.get(kind("Kustomization"), "stack", "gitops")
    del body["status"]["inventory"]
    bench.api.store.replace(kind("Kustomization"), body)
    assert "facts.missing.change_touches_storage" in bench.decide(asked).decision.determining


def test_what_a_gitops_controller_manages_is_not_rolled_back_beneath_it(bench: Bench) -> None:
    bench.allow(Action.ROLLBACK_CHANGE, "driver.bug")
    target = load_workload(bench, "Deployment")
    body = bench.api.store.get(kind("Deployment"), "driver", "gpu-operator")
    body["metadata"]["annotations"] = {"argocd.argoproj.io/tracking-id": "stack:apps/Deployment:x"}
    bench.api.store.replace(kind("Deployment"), body)

    record = bench.decide(asking(Action.ROLLBACK_CHANGE, target, failure_class="driver.bug"))

    assert "change.not_revertible" in record.decision.determining
