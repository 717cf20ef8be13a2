"""Approving in Slack: exactly what was shown, once, by people who may, and the message says what became of it."""

from collections.abc import Generator
from datetime import timedelta
from pathlib import Path

import pytest

from firstfault.agent.gate.approving import ApprovalDesk
from firstfault.agent.slack.blocks.names import Click
from firstfault.agent.store.ledger import Execution, Permit
from firstfault.policies import Action
from firstfault.policies.approvals import ApprovalState, Vote
from firstfault.policies.history import Ending
from tests.agent.slack.kit import INCIDENT, Stage, report, stage
from tests.slackworld.world import has_button


@pytest.fixture(name="stage")
def stage_fixture(tmp_path: Path) -> Generator[Stage]:
    with stage(tmp_path) as made:
        made.reported()
        yield made


def state(stage: Stage, approval_id: str) -> ApprovalState:
    return stage.store.approvals.get(approval_id).state(stage.clock())


def approve(stage: Stage, name: str, stamp: str) -> str:
    """Click, read the plan, submit; return what the modal says then."""
    person = stage.people[name]
    person.clicks(stage.incidents, stamp, Click.APPROVE)
    stage.until(lambda: "PATCH /api/v1/nodes/gpu-n7" in str(person.modals()))
    person.submits()
    return str(person.top_modal())


def test_an_allowed_person_approves_what_they_were_shown(stage: Stage) -> None:
    approval = stage.asked()
    with stage.running():
        card = stage.card(says="waits for approval")
        assert "Approved" in approve(stage, "ada", card["ts"])
        after = stage.card(says="dry run: would send `PATCH /api/v1/nodes/gpu-n7`")
        stage.until(lambda: INCIDENT in stage.settled)
    assert state(stage, approval.id) is ApprovalState.APPROVED
    assert stage.store.approvals.get(approval.id).approvers == {"ada"}
    assert f"<@{stage.people['ada'].id}>" in str(after)
    assert not has_button(after, Click.APPROVE)


def test_after_a_crash_what_was_approved_is_rehearsed_once(stage: Stage) -> None:
    approval = stage.asked()
    vote = Vote(approver="ada", is_yes=True, at=stage.clock(), via="slack")
    ApprovalDesk(store=stage.store, roster=stage.roster).vote(approval.id, vote)
    for _ in range(2):
        with stage.running():
            stage.card(says="dry run: would send")
    assert stage.store.audit.count("execution.rehearsed") == 1


def test_the_message_shows_how_the_executor_ended(stage: Stage) -> None:
    approval = stage.asked()
    with stage.running():
        approve(stage, "ada", stage.card(says="waits for approval")["ts"])
        _run(stage, approval.decision_id, approval.binding)
        after = stage.card(says="1 step done and verified")
        stage.until(lambda: INCIDENT in stage.settled)
    assert "approved by" in str(after)


def _run(stage: Stage, decision_id: str, binding: str) -> None:
    """Do what the executor's process does, in another process."""
    now = stage.clock()
    permit = Permit(
        id="prm-1",
        decision_id=decision_id,
        binding=binding,
        holder="x",
        issued_at=now,
        expires_at=now + timedelta(hours=1),
    )
    execution = Execution(
        id="exe-1",
        decision_id=decision_id,
        incident_id=INCIDENT,
        correlation_id="c-1",
        action=Action.CORDON_NODE,
        target="node/gpu-n7",
        scopes=(),
        plan="{}",
        begun_at=now,
    )
    stage.store.executions.begin(permit, execution)
    stage.store.executions.end("exe-1", Ending.DONE, "1 step done and verified", stage.clock())


def test_rejecting_keeps_the_reason(stage: Stage) -> None:
    approval = stage.asked()
    with stage.running():
        card = stage.card(says="waits for approval")
        grace = stage.people["grace"]
        grace.clicks(stage.incidents, card["ts"], Click.REJECT)
        grace.top_modal()
        grace.submits({"reason": "the node is being replaced anyway"})
        after = stage.card(says="rejected by")
    assert state(stage, approval.id) is ApprovalState.REJECTED
    assert not has_button(after, Click.APPROVE)
    reasons = [event.why for event in stage.store.audit.events() if event.kind == "approval.reason"]
    assert reasons == ["the node is being replaced anyway"]


def test_a_click_of_somebody_who_may_not_changes_nothing_and_is_kept(stage: Stage) -> None:
    approval = stage.asked()
    with stage.running():
        card = stage.card(says="waits for approval")
        stage.people["joan"].clicks(stage.incidents, card["ts"], Click.APPROVE)
        stage.until(lambda: "may not approve" in str(stage.whispers("joan")))
        assert stage.people["joan"].modals() == []
    assert state(stage, approval.id) is ApprovalState.PENDING
    assert stage.store.audit.count("approval.click_refused") == 1


def test_an_expired_button_says_so(stage: Stage) -> None:
    approval = stage.asked()
    with stage.running():
        card = stage.card(says="waits for approval")
        stage.clock.skip(timedelta(minutes=31))
        stage.people["ada"].clicks(stage.incidents, card["ts"], Click.APPROVE)
        stage.until(lambda: "expired" in str(stage.whispers("ada")))
        after = stage.card(says="expired")
    assert not has_button(after, Click.APPROVE)
    assert state(stage, approval.id) is ApprovalState.EXPIRED


def test_new_evidence_makes_the_old_button_void(stage: Stage) -> None:
    old = stage.asked()
    with stage.running() as chat:
        card = stage.card(says="waits for approval")
        ada = stage.people["ada"]
        ada.clicks(stage.incidents, card["ts"], Click.APPROVE)
        stage.until(lambda: "PATCH" in str(ada.modals()))
        newer = stage.decided(evidence=frozenset({"ev-000000000003"}))
        ApprovalDesk(store=stage.store, roster=stage.roster).renew([old.decision_id], newer, stage.clock())
        stage.reported(report(INCIDENT, verdict="CONFIRMED"))
        chat.publish(INCIDENT)
        ada.submits()
        assert "superseded" in str(ada.top_modal())
        stage.card(says="CONFIRMED")
    assert state(stage, old.id) is ApprovalState.SUPERSEDED
    fresh = stage.store.approvals.of_decision(newer.id)
    assert fresh is not None
    assert fresh.state(stage.clock()) is ApprovalState.PENDING


def test_what_cannot_be_undone_takes_two_people(stage: Stage) -> None:
    approval = stage.asked(Action.NODE_REPLACE)
    with stage.running():
        card = stage.card(says="waits for approval")
        assert "1 of 2" in approve(stage, "ada", card["ts"])
        stage.card(says="1 of 2")
        stage.people["ada"].closes()
        stage.people["ada"].clicks(stage.incidents, card["ts"], Click.APPROVE)
        stage.until(lambda: "said yes already" in str(stage.whispers("ada")))
        assert state(stage, approval.id) is ApprovalState.PENDING
        approve(stage, "grace", card["ts"])
        stage.card(says="approved by")
    assert stage.store.approvals.get(approval.id).approvers == {"ada", "grace"}


def test_a_double_click_is_one_vote_and_opens_what_is_so(stage: Stage) -> None:
    approval = stage.asked()
    with stage.running():
        card = stage.card(says="waits for approval")
        ada = stage.people["ada"]
        first = ada.clicks(stage.incidents, card["ts"], Click.APPROVE, wait=False)
        second = ada.clicks(stage.incidents, card["ts"], Click.APPROVE, wait=False)
        assert (first.ack(), second.ack()) == ({}, {})
        stage.until(lambda: str(ada.modals()).count("PATCH /api/v1") >= 2)
        ada.submits()
        stage.card(says="approved by")
    assert state(stage, approval.id) is ApprovalState.APPROVED
    assert stage.store.audit.count("approval.approved") == 1


def test_a_submission_that_slack_sends_again_is_taken_once(stage: Stage) -> None:
    approval = stage.asked()
    with stage.running():
        card = stage.card(says="waits for approval")
        ada = stage.people["ada"]
        ada.clicks(stage.incidents, card["ts"], Click.APPROVE)
        stage.until(lambda: "PATCH /api/v1" in str(ada.modals()))
        delivery = ada.submits()
        assert stage.world.postman.again(delivery).ack() is not None
    assert state(stage, approval.id) is ApprovalState.APPROVED
    assert stage.store.audit.count("approval.approved") == 1


def test_without_a_plan_nobody_can_say_yes(stage: Stage) -> None:
    stage.planner = None
    approval = stage.asked()
    with stage.running():
        card = stage.card(says="waits for approval")
        ada = stage.people["ada"]
        ada.clicks(stage.incidents, card["ts"], Click.APPROVE)
        stage.until(lambda: "reads no cluster" in str(ada.modals()))
        assert "submit" not in ada.top_modal() or ada.top_modal()["submit"] is None
    assert state(stage, approval.id) is ApprovalState.PENDING


def test_members_of_a_user_group_may_approve(tmp_path: Path) -> None:
    with stage(tmp_path) as made:
        group = made.world.group(made.people["joan"])
        made.settings = made.settings.model_copy(update={"groups": {"sre": group}})
        made.reported()
        approval = made.asked()
        with made.running():
            approve(made, "joan", made.card(says="waits for approval")["ts"])
            made.card(says="approved by")
        assert made.store.approvals.get(approval.id).approvers == {"joan"}


def test_votes_elsewhere_show_here(stage: Stage) -> None:
    approval = stage.asked()
    with stage.running():
        stage.card(says="waits for approval")
        vote = Vote(approver="grace", is_yes=True, at=stage.clock(), via="cli")
        ApprovalDesk(store=stage.store, roster=stage.roster).vote(approval.id, vote)
        stage.card(says="approved by")
