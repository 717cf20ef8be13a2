"""Breakers: what opens one, what closes it, who may, and that it survives the process."""

from collections.abc import Generator
from datetime import timedelta
from pathlib import Path

import pytest

from firstfault.agent.gate.breaking import judge_breakers, set_by_human
from firstfault.agent.gate.past import read_history
from firstfault.agent.store import Store, open_store
from firstfault.agent.store.decisions import Origin, decision_record
from firstfault.agent.store.ledger import Execution, Permit
from firstfault.policies import Action, History, PastAction
from firstfault.policies.breakers import CLUSTER, Breaker, BreakerState, Outage, holds_up, reason_to_trip
from firstfault.policies.engine import inputs_of
from firstfault.policies.history import Ending
from tests.policies.worlds import NOW, facts, gate, limits, policies, proposal

RACK = "rack/r1"


def row(minutes_ago: int, ending: Ending = Ending.DONE, scope: str = RACK) -> PastAction:
    return PastAction(
        action=Action.DRAIN_NODE,
        target=f"node//gpu-{minutes_ago}",
        at=NOW - timedelta(minutes=minutes_ago),
        ending=ending,
        scopes=(scope,),
    )


@pytest.mark.parametrize(
    ("rows", "outage", "said"),
    [
        (
            [row(1, Ending.FAILED), row(2, Ending.AMBIGUOUS), row(3, Ending.UNDONE)],
            Outage(),
            "3 actions failed",
        ),
        ([row(minutes) for minutes in range(5)], Outage(), "5 actions in 21600 s, and the limit is 4"),
        ([], Outage(nodes=18, unavailable=3), "3 of 18 GPU nodes are unavailable, and the limit is 15 %"),
    ],
)
def test_a_breaker_opens_with_the_numbers(rows: list[PastAction], outage: Outage, said: str) -> None:
    assert said in (reason_to_trip(RACK, rows, outage, limits(), NOW) or "")


@pytest.mark.parametrize(
    ("rows", "outage"),
    [
        ([row(1, Ending.FAILED), row(2), row(3, Ending.FAILED), row(4, Ending.FAILED)], Outage()),
        ([row(60 * hours) for hours in (7, 8, 9, 10, 11)], Outage()),
        ([row(minutes, scope="rack/r9") for minutes in range(5)], Outage()),
        ([], Outage(nodes=2, unavailable=1)),
        ([], Outage(nodes=None, unavailable=9)),
        ([row(0, Ending.RUNNING), row(1, Ending.FAILED), row(2, Ending.FAILED)], Outage()),
    ],
)
def test_what_is_usual_opens_none(rows: list[PastAction], outage: Outage) -> None:
    assert reason_to_trip(RACK, rows, outage, limits(), NOW) is None


def test_half_open_lets_one_through() -> None:
    breaker = Breaker(scope=RACK, state=BreakerState.HALF_OPEN, since=NOW, why="x", by="ada")
    later = PastAction(
        action=Action.DRAIN_NODE, target="node//n", at=NOW, ending=Ending.RUNNING, scopes=(RACK,)
    )

    assert not holds_up(breaker, [row(5)])
    assert holds_up(breaker, [row(5), later])


@pytest.fixture
def store(tmp_path: Path) -> Generator[Store]:
    with open_store(tmp_path / "state") as opened:
        yield opened


def run(store: Store, number: int, ending: Ending) -> None:
    """Write an execution as the executor would."""
    asked = proposal(evidence=frozenset({f"ev-{number:012d}"}))
    inputs = inputs_of(asked, facts(), History.of([], []), limits(), policies())
    record = store.decisions.put(
        decision_record(inputs, gate(asked), correlation_id=f"c-{number}", made_at=NOW, origin=Origin.LIVE)
    )
    at = NOW + timedelta(minutes=number)
    permit = Permit(
        id=f"prm-{number}", decision_id=record.id, binding="b", holder="h", issued_at=at, expires_at=at
    )
    execution = Execution(
        id=f"exe-{number}",
        decision_id=record.id,
        incident_id="inc-1",
        correlation_id=f"c-{number}",
        action=Action.DRAIN_NODE,
        target="node//gpu-00003",
        scopes=(RACK,),
        plan="{}",
        begun_at=at,
    )
    store.executions.begin(permit, execution)
    store.executions.end(execution.id, ending, "test", at)


def test_it_opens_is_kept_and_is_closed_only_by_a_human_and_a_trial(store: Store, tmp_path: Path) -> None:
    for number in range(3):
        run(store, number, Ending.FAILED)
    later = NOW + timedelta(hours=1)

    changed = judge_breakers(store, [RACK], {}, limits(), later)

    assert {breaker.scope for breaker in changed} == {CLUSTER, RACK}
    with open_store(tmp_path / "state") as another:
        assert {breaker.state for breaker in another.controls.breakers()} == {BreakerState.OPEN}
    assert judge_breakers(store, [RACK], {}, limits(), later + timedelta(days=30)) == ()

    half = Breaker(scope=RACK, state=BreakerState.HALF_OPEN, since=later, why="cable replaced", by="ada")
    set_by_human(store, half)
    run(store, 90, Ending.DONE)
    closed = judge_breakers(store, [RACK], {}, limits(), later + timedelta(hours=2))

    assert [(breaker.scope, breaker.state) for breaker in closed] == [(RACK, BreakerState.CLOSED)]


def test_a_trial_that_fails_opens_it_again(store: Store) -> None:
    set_by_human(store, Breaker(scope=RACK, state=BreakerState.HALF_OPEN, since=NOW, why="x", by="ada"))
    run(store, 1, Ending.AMBIGUOUS)

    (breaker,) = judge_breakers(store, [RACK], {}, limits(), NOW + timedelta(hours=1))

    assert breaker.state is BreakerState.OPEN
    assert "ambiguous" in breaker.why


@pytest.mark.parametrize(("by", "why"), [("", "x"), ("ada", " ")])
def test_nobody_resets_it_for_no_reason(store: Store, by: str, why: str) -> None:
    with pytest.raises(ValueError, match="give --by and --why"):
        set_by_human(store, Breaker(scope=RACK, state=BreakerState.CLOSED, since=NOW, why=why, by=by))


def test_history_cannot_be_read_without_its_audit(store: Store) -> None:
    assert read_history(store) is not None

    run(store, 1, Ending.DONE)

    assert read_history(store) is None
