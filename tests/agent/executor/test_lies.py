"""A cluster that lies, is replaced under our hands, or is stopped in the middle: nothing is done twice, or to another."""

from datetime import timedelta

import pytest

from firstfault.agent.executor.service import Word
from firstfault.agent.facts.settings import CORDON_ANNOTATION
from firstfault.agent.store.errors import UnreachableError
from firstfault.agent.store.ledger import StepRecord
from firstfault.agent.store.steps import Steps
from firstfault.evals.sim.kube_faults import Fault, Trouble
from firstfault.policies import Proposal
from firstfault.policies.breakers import Breaker, BreakerState
from firstfault.policies.history import Ending
from tests.agent.executor.kit import NODE, Bench, asking, kind
from tests.agent.executor.remedies import REMEDIES, approvers_of, drained
from tests.agent.executor.test_kills import assert_nothing_twice

EVICTS = frozenset({"drain_node", "restart_pod"})


def approved(bench: Bench, name: str) -> tuple[str, Proposal]:
    proposal = REMEDIES[name](bench)
    return bench.approved(proposal, approvers_of(proposal)).id, proposal


def targeted(proposal: Proposal) -> tuple[str, str, str]:
    """Return kind, name and namespace of the object that the remedy is about."""
    target = proposal.target
    names = {"node": "Node", "gpu": "Node", "pod": "Pod"}
    name = NODE if target.kind.value in {"node", "gpu"} else target.name
    return target.workload_kind or names[target.kind.value], name, target.namespace or ""


def renew(bench: Bench, of: str, name: str, namespace: str) -> None:
    """Put a namesake in the place of an object: the same in everything but its identity."""
    old = dict(bench.api.store.delete(kind(of), name, namespace))
    kept = {key: old["metadata"][key] for key in ("name", "labels", "annotations") if key in old["metadata"]}
    bench.api.store.create(kind(of), {**old, "metadata": kept}, namespace)


@pytest.mark.parametrize(
    "name", sorted(set(REMEDIES) - EVICTS - {"restart_job in a queue", "rollback Kustomization"})
)
def test_a_namesake_is_left_alone(bench: Bench, name: str) -> None:
    decision_id, proposal = approved(bench, name)
    bench.once_running(lambda: renew(bench, *targeted(proposal)))

    bench.service.round()

    assert bench.ending(decision_id).ending is Ending.FAILED
    assert "precondition" in bench.ending(decision_id).why
    assert bench.writes() == []


@pytest.mark.parametrize("name", sorted(REMEDIES))
def test_an_answer_that_is_a_lie_is_not_believed(bench: Bench, name: str) -> None:
    """The server says that it did what it was asked for, and did not: seen, asked for once, and said."""
    decision_id, _ = approved(bench, name)
    bench.api.faults += [
        Fault(trouble=Trouble.PRETEND, method=method, times=100) for method in ("PATCH", "POST")
    ]

    bench.service.round()

    assert bench.ending(decision_id).ending is Ending.FAILED
    assert "not done in time" in bench.ending(decision_id).why
    assert_nothing_twice(bench)


@pytest.mark.parametrize("name", sorted(REMEDIES))
def test_let_go_after_its_time_it_begins_nothing_more(bench: Bench, name: str) -> None:
    """The kill switch is pulled after the first write, and let go when the time of the whole is long over."""
    decision_id, _ = approved(bench, name)
    bench.before_request = lambda: "the kill switch is on" if bench.writes() else None
    assert bench.service.round() == {decision_id: Word.HALTED}
    (begun,) = bench.writes()

    bench.clock.wait(timedelta(days=2).total_seconds())
    bench.before_request = None
    assert bench.service.round() == {decision_id: Word.RUN}

    assert set(bench.writes()) == {begun}, "what was begun is finished or taken back, nothing else is touched"
    assert bench.ending(decision_id).ending in {Ending.DONE, Ending.UNDONE, Ending.FAILED}
    assert_nothing_twice(bench)


class UnreachableSteps(Steps):
    """The journal of a database that is away for one note."""

    at: int = 0
    notes: int = 0

    def note(self, step: StepRecord) -> None:
        UnreachableSteps.notes += 1
        if UnreachableSteps.notes == self.at:
            msg = "the database is away"
            raise UnreachableError(msg)
        super().note(step)


@pytest.mark.parametrize("at", range(1, 7))
def test_a_database_that_goes_away_in_the_middle_is_waited_for(bench: Bench, at: int) -> None:
    decision_id = bench.approved(drained(bench)).id
    bench.store.steps = UnreachableSteps(bench.store.database, bench.store.key)
    UnreachableSteps.at, UnreachableSteps.notes = at, 0
    with pytest.raises(UnreachableError):
        bench.service.round()

    bench.service.round()

    assert bench.ending(decision_id).ending is Ending.DONE
    assert_nothing_twice(bench)


def test_a_breaker_that_opens_in_the_middle_lets_the_run_end_and_holds_the_next(bench: Bench) -> None:
    decision_id = bench.approved(drained(bench)).id
    opened = Breaker(scope="cluster", state=BreakerState.OPEN, since=bench.clock.now(), why="test", by="ada")
    bench.once_running(lambda: bench.store.controls.set_breaker(opened))

    bench.service.round()

    assert bench.ending(decision_id).ending is Ending.DONE
    assert "breaker.open" in bench.decide(asking(bench.ending(decision_id).action)).decision.determining


def suspended(bench: Bench) -> None:
    job = bench.api.store.get(kind("Job"), "llm", "research")
    job["spec"]["suspend"] = True
    bench.api.store.replace(kind("Job"), job)


def test_a_job_that_its_owner_suspended_in_the_meantime_is_not_resumed(bench: Bench) -> None:
    decision_id, _ = approved(bench, "restart_job Job")
    bench.once_running(lambda: suspended(bench))

    bench.service.round()

    assert bench.ending(decision_id).ending is Ending.FAILED
    assert bench.api.store.get(kind("Job"), "llm", "research")["spec"]["suspend"] is True
    assert bench.writes() == []


def test_a_job_that_its_owner_suspended_before_is_held(bench: Bench) -> None:
    decision_id, _ = approved(bench, "restart_job Job")
    suspended(bench)

    assert bench.service.round()[decision_id] in {Word.HELD, Word.REFUSED}
    assert bench.writes() == []


def test_a_drain_does_not_rely_on_a_cordon_that_was_opened(bench: Bench) -> None:
    """The mark of our cordon stays when somebody opens the node by hand."""
    marked = {"annotations": {CORDON_ANNOTATION: "dec-before"}}
    node = dict(bench.node())
    node["metadata"] = {**node["metadata"], **marked}
    bench.api.store.replace(kind("Node"), {**node, "spec": {"unschedulable": True}})
    decision_id = bench.approved(drained(bench)).id

    def opened_by_hand() -> None:
        bench.api.store.replace(kind("Node"), {**bench.node(), "spec": {}})

    bench.once_running(opened_by_hand)
    bench.service.round()

    assert bench.ending(decision_id).ending is Ending.FAILED
    assert bench.writes() == []
