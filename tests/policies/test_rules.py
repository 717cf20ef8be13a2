"""Every built-in rule on its own: one thing spoiled in a world without obstacles, and exactly that rule speaks."""

from datetime import timedelta
from typing import Any

import pytest

from firstfault.evals.gate.world import Situation
from firstfault.policies import (
    Action,
    Certainty,
    Mode,
    Outcome,
    PastAction,
    Principal,
    PrincipalKind,
    Target,
    TargetKind,
)
from firstfault.policies.history import Ending
from tests.policies.worlds import NODE, NOW, policies, word

A = Action
SHARED = {"shared_cause": True, "shared_cause_by": "switch leaf0: 3 of 16"}
NODE_KEY = f"node//{NODE}"


def past(action: Action, ago: timedelta, ending: Ending = Ending.DONE, target: str = NODE_KEY) -> PastAction:
    return PastAction(action=action, target=target, at=NOW - ago, ending=ending)


def rows(count: int, action: Action, first: timedelta, target: str = NODE_KEY) -> tuple[PastAction, ...]:
    return tuple(past(action, first + timedelta(minutes=5 * each), target=target) for each in range(count))


def situation(action: Action, changes: dict[str, Any]) -> Situation:
    return Situation(action=action, **changes)


DENIED: dict[str, tuple[Action, dict[str, Any], str]] = {
    "control.kill_switch": (A.UNCORDON_NODE, {"facts": {"kill_switch": True}}, "the kill switch is on"),
    "control.freeze": (A.DRAIN_NODE, {"facts": {"freeze_active": True}}, "a freeze window is active"),
    "control.planned_work": (
        A.CORDON_NODE,
        {"facts": {"planned_work": True}},
        "planned work is announced for gpu-00003",
    ),
    "control.opted_out": (
        A.RESTART_POD,
        {"facts": {"target_opted_out": True}},
        "the owner of trainer-0 opted out",
    ),
    "control.protected_pods": (
        A.DRAIN_NODE,
        {"facts": {"protected_pods": 2}},
        "2 pods of protected namespaces",
    ),
    "control.controller_not_ready": (
        A.NODE_REBOOT,
        {"facts": {"controller_ready": False}},
        "no controller is ready to carry out node_reboot",
    ),
    "target.malformed": (
        A.CORDON_NODE,
        {
            "proposal": {"target": Target(kind=TargetKind.NODE, name="../gpu")},
            "facts": {"node_identity": "../gpu"},
        },
        "../gpu cannot be the name of anything of kind node",
    ),
    "target.wrong_kind": (
        A.GPU_RESET,
        {"proposal": {"target": Target(kind=TargetKind.POD, name="p", namespace="n", node=NODE)}},
        "gpu_reset cannot be aimed at anything of kind pod",
    ),
    "target.parameters": (
        A.CORDON_NODE,
        {"proposal": {"parameters": {"avoid_node": "gpu-00003"}}},
        "cordon_node does not take what was said with it besides its target",
    ),
    "target.identity_differs": (
        A.CORDON_NODE,
        {"facts": {"node_identity": "gpu-9"}},
        "the machine calls itself gpu-9",
    ),
    "target.control_plane": (
        A.CORDON_NODE,
        {"facts": {"node_role": "control_plane"}},
        "gpu-00003 has the role control_plane",
    ),
    "cordon.foreign": (A.DRAIN_NODE, {"facts": {"cordon_owner": "other"}}, "is cordoned by somebody else"),
    "node.leased": (
        A.NODE_REBOOT,
        {"facts": {"lease_holder": "node-maintenance-operator"}},
        "node-maintenance-operator holds gpu-00003 for maintenance",
    ),
    "cordon.not_ours": (A.UNCORDON_NODE, {"facts": {"cordon_owner": "nobody"}}, "carries no cordon of ours"),
    "node.not_drained": (A.GPU_RESET, {"facts": {"node_drained": False}}, "still runs work: drain it first"),
    "breaker.open": (A.CORDON_NODE, {"open_breakers": frozenset({"rack/r1"})}, "a breaker is open (rack/r1)"),
    "rate.hour": (
        A.CORDON_NODE,
        {"past": rows(4, A.DRAIN_NODE, timedelta(minutes=2), "node//gpu-00009")},
        "4 actions in the last hour, and the limit is 4",
    ),
    "rate.day": (
        A.CORDON_NODE,
        {"past": rows(16, A.DRAIN_NODE, timedelta(hours=2), "node//gpu-00009")},
        "16 actions in the last 24 h, and the limit is 16",
    ),
    "cooldown.target": (
        A.DRAIN_NODE,
        {"past": (past(A.NODE_REBOOT, timedelta(seconds=899)),)},
        "gpu-00003 was acted on 899 s ago, and the cooldown is 900 s",
    ),
    "cooldown.action": (
        A.CORDON_NODE,
        {"past": (past(A.CORDON_NODE, timedelta(seconds=59), target="node//gpu-00009"),)},
        "the last cordon_node was 59 s ago, and the cooldown is 60 s",
    ),
    "repeats.reboots": (
        A.NODE_REBOOT,
        {"past": rows(2, A.NODE_REBOOT, timedelta(days=3))},
        "2 reboots in 7 days",
    ),
    "repeats.repairs": (
        A.DRAIN_NODE,
        {"past": rows(5, A.DRAIN_NODE, timedelta(days=3))},
        "5 repairs in 7 days",
    ),
    "repeats.restarts": (
        A.RESTART_JOB_FROM_CHECKPOINT,
        {"past": rows(3, A.RESTART_JOB_FROM_CHECKPOINT, timedelta(hours=2), "job/research/llm")},
        "3 restarts in 24 h, and the limit is 3",
    ),
    "repeats.failures": (
        A.CORDON_NODE,
        {
            "past": (
                past(A.DRAIN_NODE, timedelta(hours=3), Ending.FAILED),
                past(A.DRAIN_NODE, timedelta(hours=5), Ending.AMBIGUOUS),
            )
        },
        "2 actions failed here in 24 h, and the limit is 1",
    ),
    "history.running": (
        A.CORDON_NODE,
        {"past": (past(A.DRAIN_NODE, timedelta(hours=3), Ending.RUNNING),)},
        "1 action is still running on gpu-00003",
    ),
    "clock.behind": (
        A.UNCORDON_NODE,
        {"past": (past(A.CORDON_NODE, timedelta(seconds=-6)),)},
        "the ledger is 6 s ahead of this clock, and at most 5 s is accepted",
    ),
    "blast.cluster_share": (
        A.CORDON_NODE,
        {"facts": {"cluster_nodes": 19, "cluster_unavailable_after": 2}},
        "2 of 19 GPU nodes of the cluster would be out, and the limit is 10 %",
    ),
    "blast.cluster_nodes": (
        A.CORDON_NODE,
        {"facts": {"cluster_unavailable_after": 17}},
        "17 GPU nodes would be out, and the limit is 16",
    ),
    "blast.pool_share": (
        A.CORDON_NODE,
        {"facts": {"pool_nodes": 9, "pool_unavailable_after": 2}},
        "2 of 9 GPU nodes of the pool would be out, and the limit is 20 %",
    ),
    "blast.rack_nodes": (
        A.CORDON_NODE,
        {"facts": {"rack_unavailable_after": 3}},
        "3 of 8 GPU nodes of the rack would be out, and the limit is 2",
    ),
    "blast.switch_nodes": (
        A.CORDON_NODE,
        {"facts": {"switch_unavailable_after": 3}},
        "3 of 16 GPU nodes below the switch would be out, and the limit is 2",
    ),
    "blast.job_nodes": (
        A.CORDON_NODE,
        {"facts": {"job_unavailable_after": 2}},
        "2 of 16 nodes of one job would be out, and the limit is 1",
    ),
    "blast.shared_cause": (
        A.CORDON_NODE,
        {"facts": SHARED},
        "machines share a cause (switch leaf0: 3 of 16)",
    ),
    "pdb.no_room": (A.DRAIN_NODE, {"facts": {"pdbs_without_room": 1}}, "1 disruption budget has no room"),
    "pod.unmanaged": (
        A.RESTART_POD,
        {"facts": {"unmanaged_pods": 1}},
        "1 pod has no controller, and nothing would bring it back",
    ),
    "pod.crash_looping": (
        A.RESTART_POD,
        {"facts": {"crash_looping": True}},
        "trainer-0 restarts by itself already",
    ),
    "checkpoint.too_old": (
        A.DRAIN_NODE,
        {"facts": {"checkpoint_age_s": 3601}},
        "3601 s of work would be lost, and the limit is 3600 s",
    ),
    "grace.too_long": (A.DRAIN_NODE, {"facts": {"longest_grace_s": 1801}}, "pods may take 1801 s to stop"),
    "job.not_supported": (
        A.RESTART_JOB_FROM_CHECKPOINT,
        {"facts": {"job_controller": "Deployment"}},
        "a job of kind Deployment cannot be restarted",
    ),
    "job.queue_refuses": (
        A.RESTART_JOB_FROM_CHECKPOINT,
        {"facts": {"queue_admits_job": False}},
        "the queue would not admit the job again",
    ),
    "change.not_revertible": (
        A.ROLLBACK_CHANGE,
        {"facts": {"change_revertible": False}},
        "there is nothing to go back to",
    ),
    "change.storage": (
        A.ROLLBACK_CHANGE,
        {"facts": {"change_touches_storage": True}},
        "the change touches storage",
    ),
    "evidence.none": (A.CORDON_NODE, {"proposal": {"evidence": frozenset()}}, "cites no evidence"),
    "evidence.not_indicated": (
        A.CORDON_NODE,
        {"proposal": {"failure_class": "application.crash"}},
        "cordon_node does not cure application.crash",
    ),
    "evidence.verdict_too_weak": (
        A.CORDON_NODE,
        {"proposal": {"certainty": Certainty.INCONCLUSIVE}},
        "the verdict is INCONCLUSIVE, and at least LIKELY is needed",
    ),
    "evidence.verdict_too_weak_to_lose": (
        A.NODE_REPLACE,
        {"proposal": {"certainty": Certainty.LIKELY}},
        "what cannot be undone needs CONFIRMED",
    ),
    "evidence.families_too_few": (
        A.CORDON_NODE,
        {"proposal": {"families": frozenset()}},
        "0 independent families of evidence, and a gentle action needs 1",
    ),
    "evidence.families_too_few_to_disrupt": (
        A.DRAIN_NODE,
        {"proposal": {"families": frozenset({"kernel"})}},
        "the verdict is CONFIRMED by 1 independent family of evidence, and stopping work needs 2",
    ),
    "evidence.cheaper_first": (
        A.NODE_REPLACE,
        {"facts": {"cheaper_remedy_failed": False}, "proposal": {"failure_class": "gpu.fell_off_bus"}},
        "no reset or reboot was tried before",
    ),
    "evidence.expired": (
        A.CORDON_NODE,
        {"proposal": {"expires_at": NOW}},
        "the recommendation expired",
    ),
    "facts.stale": (
        A.CORDON_NODE,
        {"facts": {"as_of": NOW + timedelta(seconds=31)}},
        "read too long ago, or at a time still to come",
    ),
    "facts.missing": (A.CORDON_NODE, {"facts": {"kill_switch": None}}, "unknown: kill switch"),
    "mode.shadow": (A.CORDON_NODE, {"mode": Mode.SHADOW}, "is in shadow mode"),
    "mode.recommend": (A.CORDON_NODE, {"mode": Mode.RECOMMEND}, "is in recommend mode"),
}
ASKED: dict[str, tuple[Action, dict[str, Any], str]] = {
    "approval.required": (A.CORDON_NODE, {}, "gpu.firmware_hang × cordon_node is in approve mode"),
    "approval.two_people": (A.NODE_REPLACE, {"approvers": 1}, "cannot be undone: 1 of 2 approvals"),
    "auto.delegated": (A.NODE_REBOOT, {"mode": Mode.AUTO}, "node_reboot stops a machine or a device"),
    "auto.unknown_signature": (
        A.CORDON_NODE,
        {"mode": Mode.AUTO, "proposal": {"known_signature": False}},
        "was not recognised by a decisive signature",
    ),
    "auto.weak_verdict": (
        A.CORDON_NODE,
        {"mode": Mode.AUTO, "proposal": {"certainty": Certainty.LIKELY}},
        "the verdict is LIKELY, and only CONFIRMED acts without asking",
    ),
    "auto.shared_cause": (A.ROLLBACK_CHANGE, {"mode": Mode.AUTO, "facts": SHARED}, "never without asking"),
    "auto.stateful": (A.DRAIN_NODE, {"mode": Mode.AUTO, "facts": {"stateful_pods": 2}}, "2 pods keep data"),
    "auto.last_node": (
        A.CORDON_NODE,
        {"mode": Mode.AUTO, "facts": {"cluster_nodes": 1, "cluster_unavailable_after": 1}},
        "no GPU node of 1 would be left",
    ),
}


@pytest.mark.parametrize("rule", sorted(DENIED))
def test_rule_alone_denies(rule: str) -> None:
    action, changes, said = DENIED[rule]
    verdict = word(situation(action, {"approvers": 2, **changes}))

    spoken = [item for item in verdict.because if item.policy == rule or item.policy.startswith(f"{rule}.")]
    assert verdict.decision is Outcome.DENY
    assert len(spoken) == 1, verdict.determining
    assert said in spoken[0].reason
    others = set(verdict.determining) - {spoken[0].policy} - IMPLIED.get(rule, set())
    assert not others


IMPLIED: dict[str, set[str]] = {
    "cordon.not_ours": set(),
    "target.wrong_kind": {"target.identity_differs"},
}
"""Rules that speak with another one by their nature."""


@pytest.mark.parametrize("rule", sorted(ASKED))
def test_rule_alone_asks(rule: str) -> None:
    action, changes, said = ASKED[rule]
    verdict = word(Situation(action=action, **changes))

    spoken = [item for item in verdict.because if item.policy == rule]
    assert verdict.decision is Outcome.NEEDS_APPROVAL
    assert len(spoken) == 1, verdict.determining
    assert said in spoken[0].reason
    assert word(situation(action, {**changes, "approvers": 2})).decision is Outcome.ALLOW


def test_every_built_in_forbid_is_tried_above() -> None:
    forbids = {policy.id for policy in policies().book.policies if policy.effect == "forbid"}

    assert forbids == DENIED.keys() | ASKED.keys()


def test_recovery_is_never_held_up_by_breakers_rates_or_freezes() -> None:
    busy = rows(20, A.DRAIN_NODE, timedelta(minutes=1), "node//gpu-00009")
    verdict = word(
        Situation(
            action=A.UNCORDON_NODE,
            mode=Mode.AUTO,
            past=busy,
            open_breakers=frozenset({"cluster", "rack/r1", NODE_KEY}),
            facts={"freeze_active": True, **SHARED},
        ),
    )

    assert verdict.decision is Outcome.ALLOW


def test_a_human_may_go_on_where_automation_stops_after_repeats() -> None:
    human = {"principal": Principal(kind=PrincipalKind.HUMAN, name="ada")}
    verdict = word(
        Situation(action=A.NODE_REBOOT, past=rows(2, A.NODE_REBOOT, timedelta(days=3)), proposal=human),
    )

    assert verdict.decision is Outcome.NEEDS_APPROVAL


@pytest.mark.parametrize(
    ("action", "said", "fits"),
    [
        (A.GPU_RESET, {"gpu_uuid": "GPU-5c3a1c9e-26f0-4b2a-9b60-1f2d3c4b5a69"}, True),
        (A.GPU_RESET, {"gpu_pci": "0000:1a:00.0"}, True),
        (A.GPU_RESET, {"gpu_uuid": "all"}, False),
        (A.GPU_RESET, {"gpu_pci": "0000:1a:00.0\n"}, False),
        (A.RESTART_JOB_FROM_CHECKPOINT, {"avoid_node": NODE}, True),
        (A.RESTART_JOB_FROM_CHECKPOINT, {"avoid_node": "../secrets"}, False),
        (A.RESTART_JOB_FROM_CHECKPOINT, {"force": "true"}, False),
    ],
)
def test_only_what_an_action_takes_may_be_said_with_it(
    action: Action, said: dict[str, str], fits: bool
) -> None:
    verdict = word(situation(action, {"approvers": 2, "proposal": {"parameters": said}}))

    assert ("target.parameters" not in verdict.determining) is fits


def test_a_target_of_which_only_the_kind_is_known_is_a_missing_fact() -> None:
    nameless = Target(kind=TargetKind.NODE, name="")
    verdict = word(situation(A.CORDON_NODE, {"approvers": 2, "proposal": {"target": nameless}}))

    assert "facts.missing.target" in verdict.determining
    assert "unknown: which of its kind it is about" in verdict.reasons
    assert "target.malformed" not in verdict.determining
