"""Every request of every plan goes wrong in every way: the node ends done or as it was, and the trail is complete."""

from collections.abc import Mapping
from typing import Any

import pytest

from firstfault.agent.executor.service import Word
from firstfault.agent.facts.settings import CORDON_ANNOTATION
from firstfault.evals.sim.kube_evictions import Ends
from firstfault.evals.sim.kube_faults import Fault, Trouble
from firstfault.policies import Action
from firstfault.policies.history import Ending
from tests.agent.executor.kit import NODE, Bench, asking, is_full_run, kind, pod

FIRMWARE = "gpu.firmware_hang"
NODE_PATH = f"/api/v1/nodes/{NODE}"
EVICTION = r"/api/v1/namespaces/research/pods/serving-a/eviction"
TROUBLES: Mapping[str, dict[str, Any]] = {
    "dropped before": {"trouble": Trouble.DROP_BEFORE},
    "dropped after": {"trouble": Trouble.DROP_AFTER},
    "slow": {"trouble": Trouble.SLOW, "seconds": 1.0},
    "garbled": {"trouble": Trouble.GARBLE},
    "500": {"trouble": Trouble.REFUSE, "code": 500},
    "403": {"trouble": Trouble.REFUSE, "code": 403},
    "404": {"trouble": Trouble.REFUSE, "code": 404},
    "409": {"trouble": Trouble.REFUSE, "code": 409},
    "429": {"trouble": Trouble.REFUSE, "code": 429, "retry_after_s": 30},
}
TRANSIENT = frozenset({"dropped before", "dropped after", "slow", "garbled", "500", "409", "429"})
POSITIONS = range(8) if is_full_run() else (0, 2, 4, 5, 7)
"""How many requests go well first: a cordon makes five, an eviction three and more."""


def drained(bench: Bench) -> str:
    bench.allow(Action.DRAIN_NODE, FIRMWARE)
    bench.api.store.load(kind("Pod"), [pod("serving-a")])
    return bench.approved(asking(Action.DRAIN_NODE)).id


def settled(bench: Bench, decision_id: str) -> Ending:
    """Go round until the run has ended: a busy machine may read facts too slowly, which begins nothing."""
    for _ in range(10):
        bench.service.round()
        execution = bench.store.executions.of_decision(decision_id)
        if execution is not None and execution.ended_at is not None:
            break
    bench.service.round()
    return bench.ending(decision_id).ending


def assert_done_or_as_it_was(bench: Bench, ending: Ending) -> None:
    node = bench.node()
    marks = node["metadata"].get("annotations", {})
    if ending is Ending.DONE:
        assert node["spec"]["unschedulable"] is True
        assert CORDON_ANNOTATION in marks
    else:
        assert not node["spec"].get("unschedulable")
        assert CORDON_ANNOTATION not in marks


def assert_trail_is_complete(bench: Bench, ending: Ending) -> None:
    events = bench.events()
    begun = events.count("step.do.begun")
    ended = sum(events.count(f"step.do.{state}") for state in ("done", "failed", "ambiguous"))
    assert begun == ended
    assert events.count("execution.begun") == events.count(f"execution.{ending}") == 1
    assert bench.store.audit.verify().sound


def fail_while_running(bench: Bench, fault: Fault) -> None:
    """Plan the trouble for the moment the run has begun: what reads facts has its own tests."""
    bench.once_running(lambda: bench.api.faults.append(fault))


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("name", sorted(TROUBLES))
def test_one_fault_anywhere_leaves_the_node_done_or_as_it_was(bench: Bench, name: str, position: int) -> None:
    bench.read_s = 0.5 if name == "slow" else 2.0
    decision_id = drained(bench)
    fail_while_running(bench, Fault(skip=position, **TROUBLES[name]))

    ending = settled(bench, decision_id)

    assert_done_or_as_it_was(bench, ending)
    assert_trail_is_complete(bench, ending)
    assert len(bench.writes()) == len(set(bench.writes())) + (
        ending is not Ending.DONE and len(bench.writes()) > 1
    )
    if name in TRANSIENT:
        assert ending is Ending.DONE


@pytest.mark.parametrize("name", ["dropped before", "500", "slow"])
def test_a_server_that_stays_away_leaves_nothing_half_said(bench: Bench, name: str) -> None:
    bench.read_s = 0.3
    decision_id = drained(bench)
    lasting: dict[str, Any] = {**TROUBLES[name], "times": 10_000}
    fail_while_running(bench, Fault(**lasting))

    ending = settled(bench, decision_id)

    assert ending in {Ending.AMBIGUOUS, Ending.FAILED}
    assert_trail_is_complete(bench, ending)
    assert bench.writes() == []


def test_a_lost_answer_to_a_write_is_looked_up_and_not_sent_again(bench: Bench) -> None:
    bench.allow(Action.CORDON_NODE, FIRMWARE)
    decision_id = bench.approved(asking(Action.CORDON_NODE)).id
    bench.api.faults.append(Fault(trouble=Trouble.DROP_AFTER, method="PATCH", path=NODE_PATH))

    assert settled(bench, decision_id) is Ending.DONE
    assert bench.writes() == [("PATCH", NODE_PATH)]


def test_a_change_in_between_is_seen(bench: Bench) -> None:
    bench.allow(Action.CORDON_NODE, FIRMWARE)
    decision_id = bench.approved(asking(Action.CORDON_NODE)).id

    def cordoned_by_somebody_else() -> None:
        bench.api.store.replace(kind("Node"), {**bench.node(), "spec": {"unschedulable": True}})

    bench.once_running(cordoned_by_somebody_else)

    assert settled(bench, decision_id) is Ending.FAILED
    assert "precondition" in bench.ending(decision_id).why
    assert bench.node()["spec"]["unschedulable"] is True
    assert bench.writes() == []


def test_a_budget_without_room_is_waited_for_and_then_the_node_is_opened_again(bench: Bench) -> None:
    decision_id = drained(bench)
    budget = {
        "metadata": {"name": "b", "namespace": "research"},
        "spec": {"selector": {"matchLabels": {"app": "serving"}}},
        "status": {"disruptionsAllowed": 0},
    }
    bench.once_running(lambda: bench.api.store.load(kind("PodDisruptionBudget"), [budget]))

    assert settled(bench, decision_id) is Ending.UNDONE
    assert_done_or_as_it_was(bench, Ending.UNDONE)
    assert "disruption budget" in bench.ending(decision_id).why


def test_a_pod_that_never_ends_is_evicted_once_and_the_node_is_opened_again(bench: Bench) -> None:
    bench.api.ends = Ends.NEVER
    decision_id = drained(bench)

    assert settled(bench, decision_id) is Ending.UNDONE
    assert sum(path.endswith("/eviction") for _, path in bench.writes()) == 1


def test_three_failures_open_the_breaker_and_a_human_lets_one_try_through(bench: Bench) -> None:
    bench.limits = bench.limits.overridden({"breaker_failures_in_a_row": 1}, "test")
    decision_id = drained(bench)
    bench.api.faults.append(Fault(trouble=Trouble.REFUSE, path=EVICTION, code=403, times=100))

    assert settled(bench, decision_id) is Ending.UNDONE
    assert {breaker.scope for breaker in bench.store.controls.breakers()} >= {"cluster", f"node//{NODE}"}
    assert "breaker.open" in bench.events()
    record = bench.decide(asking(Action.DRAIN_NODE))
    assert "breaker.open" in record.decision.determining


def test_the_kill_switch_stops_between_two_steps_and_the_run_goes_on_later(bench: Bench) -> None:
    decision_id = drained(bench)
    bench.before_request = lambda: "the kill switch is on" if bench.api.writes else None

    assert bench.service.round() == {decision_id: Word.HALTED}
    assert bench.writes() == [("PATCH", NODE_PATH)]
    assert "execution.halted" in bench.events()

    bench.before_request = None
    assert bench.service.round() == {decision_id: Word.RUN}
    assert_done_or_as_it_was(bench, Ending.DONE)
