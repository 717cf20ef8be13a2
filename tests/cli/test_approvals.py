"""`firstfault approvals` and `firstfault breaker`: people seen, asked and heard."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from firstfault.agent.gate.approving import ApprovalDesk
from firstfault.agent.store import Store
from firstfault.agent.store.decisions import Origin, decision_record
from firstfault.policies import History, Target, TargetKind, decide
from firstfault.policies.approvals import Approval, Roster
from firstfault.policies.breakers import Breaker, BreakerState
from firstfault.policies.engine import inputs_of
from tests.cli.conftest import Run
from tests.policies.worlds import facts, limits, policies, proposal


def now() -> datetime:
    return datetime.now(UTC)  # noqa: TID251  # the command reads the real clock


def asked(store: Store, name: str = "gpu-00003") -> Approval:
    at = now()
    wanted = proposal(
        target=Target(kind=TargetKind.NODE, name=name), proposed_at=at, expires_at=at + timedelta(hours=1)
    )
    known = facts(node_identity=name, as_of=at)
    groups = {
        group: {"observed_at": at} for group in ("node", "workload", "fleet", "cause", "change", "control")
    }
    known = replace(
        known, **{group: replace(getattr(known, group), **parts) for group, parts in groups.items()}
    )
    word = decide(wanted, known, History.of([], []), limits(), policies())
    inputs = inputs_of(wanted, known, History.of([], []), limits(), policies())
    record = store.decisions.put(
        decision_record(inputs, word, correlation_id="c-1", made_at=at, origin=Origin.LIVE)
    )
    approval = ApprovalDesk(store=store, roster=Roster()).ask(record, at)
    assert approval is not None
    return approval


@pytest.fixture(autouse=True)
def roster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRSTFAULT_APPROVERS__GROUPS", '{"sre": ["ada"]}')
    monkeypatch.setenv("FIRSTFAULT_APPROVERS__ACTIONS", '{"default": ["group:sre"]}')


def test_what_waits_is_listed_and_shown(run: Run, store: Store) -> None:
    approval = asked(store)

    (row,) = json.loads(run("approvals", "list", "--waiting", "--json").stdout)
    assert (row["id"], row["state"], row["needed"]) == (approval.id, "pending", 1)
    assert "pending" in run("approvals", "list").stdout
    shown = json.loads(run("approvals", "show", approval.id, "--json").stdout)
    assert shown["facts"]["node_role"] == "worker"
    assert "node_role = worker" in run("approvals", "show", approval.id).stdout


def test_a_named_person_approves_and_nobody_else(run: Run, store: Store) -> None:
    approval = asked(store)

    refused = run("approvals", "approve", approval.id, "--by", "mallory")
    assert refused.exit_code == 2
    assert "`mallory` may not approve cordon_node" in refused.stderr

    assert (
        run("approvals", "approve", approval.id, "--by", "ada").stdout == f"{approval.id} approved: 1 of 1\n"
    )
    assert run("approvals", "approve", approval.id, "--by", "ada").exit_code == 0
    assert run("approvals", "list", "--waiting").stdout == ""


def test_one_no_is_enough(run: Run, store: Store) -> None:
    approval = asked(store)

    assert "rejected" in run("approvals", "reject", approval.id, "--by", "ada").stdout


def test_what_does_not_exist_is_named(run: Run) -> None:
    done = run("approvals", "show", "apr-nothing")

    assert done.exit_code == 2
    assert "there is no approval `apr-nothing`" in done.stderr


def test_a_breaker_is_reset_by_somebody_for_a_reason(run: Run, store: Store) -> None:
    at = now()
    store.controls.set_breaker(
        Breaker(scope="rack/r1", state=BreakerState.OPEN, since=at, why="3 failed", by="firstfault")
    )

    assert "rack/r1" in run("breaker", "show").stdout
    assert run("breaker", "reset", "rack/r1", "--by", "ada").exit_code == 2
    assert run("breaker", "reset", "rack/r1", "--by", " ", "--why", "x").exit_code == 2
    assert run("breaker", "reset", "rack/r9", "--by", "ada", "--why", "x").exit_code == 2
    done = run("breaker", "reset", "rack/r1", "--by", "ada", "--why", "cable replaced")
    assert done.stdout == "rack/r1 is half_open\n"

    told = json.loads(run("breaker", "show", "--json").stdout)
    assert told["breakers"][0]["by"] == "ada"
    assert [event.why for event in store.audit.events()] == ["cable replaced"]


def test_the_kill_switch_is_moved_by_somebody_for_a_reason(run: Run, store: Store) -> None:
    assert run("breaker", "kill-switch", "on", "--by", "ada", "--why", "").exit_code == 2
    assert run("breaker", "kill-switch", "on", "--by", "ada", "--why", "incident").exit_code == 0

    assert store.controls.switch_is_on()
    assert "ON" in run("breaker", "show").stdout
    run("breaker", "kill-switch", "off", "--by", "ada", "--why", "over")
    assert not store.controls.switch_is_on()
