"""From an alert to what became of it, in Slack: what people may do there, and that each thing happens once."""

import copy
import json
from collections.abc import Generator
from datetime import timedelta
from pathlib import Path

import pytest

from firstfault.agent.gate.approving import ApprovalDesk
from firstfault.evals.sim.kube_json import Body
from firstfault.policies import Action, Target, TargetKind
from firstfault.policies.approvals import ApprovalState
from firstfault.policies.history import Ending
from tests.acceptance.slack_site import CLASS, Site, open_site
from tests.agent.executor.kit import ROSTER, asking
from tests.slackworld.world import has_button

APPROVE, REJECT, RERUN = "firstfault.approve", "firstfault.reject", "firstfault.rerun"


@pytest.fixture(name="site")
def site_fixture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Site]:
    with open_site(tmp_path, monkeypatch) as site:
        yield site


def assert_nothing_ran(site: Site, incident_id: str) -> None:
    assert "run" not in site.execute().values()
    assert site.executions(incident_id) == []
    assert site.api.writes == []


def said_in(content: object) -> str:
    return json.dumps(content, ensure_ascii=False)


def state_of(site: Site, incident_id: str) -> ApprovalState:
    return site.store.approvals.get(site.only_approval(incident_id)).state(site.clock())


def opened(site: Site, name: str, incident_id: str) -> Body:
    """Return the modal of an approval with its plan in it."""
    site.clicks(name, incident_id, APPROVE)
    person = site.people[name]
    return site.world.wait_for(lambda: [each for each in person.modals() if each["submit"]])[-1]


def test_alert_post_thread_approve_execute_outcome(site: Site) -> None:
    incident_id = site.alert("gpu-00003")
    card = site.card_says(incident_id, "waits for approval", "xid.79", "gpu-00003")
    site.world.wait_for(lambda: len(site.channel.thread(card["ts"])) == 3)
    _, *thread = site.channel.thread(card["ts"])
    assert sorted("files" in each for each in thread) == [False, True]

    plan = opened(site, "ada", incident_id)
    assert "PATCH /api/v1/nodes/gpu-00003" in said_in(plan)
    site.people["ada"].submits()
    assert "Approved" in said_in(site.people["ada"].top_modal())
    approved = f"approved by <@{site.people['ada'].id}>"
    site.card_says(incident_id, approved, "dry run: would send", "PATCH /api/v1/nodes/gpu-00003")
    assert site.api.writes == []

    assert list(site.execute().values()) == ["run"]
    site.service.publish(incident_id)
    after = site.card_says(incident_id, "done", approved)
    assert not has_button(after, APPROVE)
    assert [each.ending for each in site.executions(incident_id)] == [Ending.DONE]
    assert [each.path for each in site.api.writes] == ["/api/v1/nodes/gpu-00003"]
    assert len(site.cards(incident_id, site.channel)) == 1


def test_reject_with_a_reason(site: Site) -> None:
    incident_id = site.alert("gpu-00003")
    site.clicks("grace", incident_id, REJECT)
    site.people["grace"].submits({"reason": "the job ends in ten minutes"})
    card = site.card_says(incident_id, f"rejected by <@{site.people['grace'].id}>")
    assert not has_button(card, APPROVE)
    assert state_of(site, incident_id) is ApprovalState.REJECTED
    assert_nothing_ran(site, incident_id)
    reasons = [event.why for event in site.store.audit.events() if event.kind == "approval.reason"]
    assert reasons == ["the job ends in ten minutes"]


def test_who_may_not_approve_is_told_so_alone(site: Site) -> None:
    incident_id = site.alert("gpu-00003")
    mallory = site.people["mallory"]
    site.clicks("mallory", incident_id, APPROVE)
    site.whispered("mallory", "may not approve")
    assert mallory.modals() == []
    assert state_of(site, incident_id) is ApprovalState.PENDING
    kinds = [event.kind for event in site.store.audit.events() if event.subject == incident_id]
    assert "approval.click_refused" in kinds


def test_a_modal_that_was_made_for_somebody_else_is_not_taken(site: Site) -> None:
    incident_id = site.alert("gpu-00003")
    plan = opened(site, "ada", incident_id)
    mallory = site.people["mallory"]
    site.world.slack.modals[mallory.id] = [copy.deepcopy(plan)]
    mallory.submits()
    assert "may not approve" in said_in(mallory.top_modal())
    assert state_of(site, incident_id) is ApprovalState.PENDING
    mallory.closes()
    site.people["ada"].closes()


def test_expired_before_the_click_and_between_click_and_yes(site: Site) -> None:
    incident_id = site.alert("gpu-00003")
    shown = copy.deepcopy(site.card_says(incident_id, "waits for approval"))
    opened(site, "ada", incident_id)
    site.clock.ahead += timedelta(minutes=31)
    site.people["ada"].submits()
    assert "expired" in said_in(site.people["ada"].top_modal())
    card = site.card_says(incident_id, "expired")
    assert not has_button(card, APPROVE)
    click_on(site, "grace", shown, APPROVE)
    site.whispered("grace", "expired")
    assert state_of(site, incident_id) is ApprovalState.EXPIRED
    assert_nothing_ran(site, incident_id)


def test_superseded_by_new_evidence(site: Site) -> None:
    incident_id = site.alert("gpu-00003")
    before = copy.deepcopy(site.card_says(incident_id, "waits for approval"))
    first = site.only_approval(incident_id)
    site.clock.ahead += timedelta(seconds=90)
    site.clicks("ada", incident_id, RERUN)
    site.world.wait_for(
        lambda: button_value(site.card(incident_id), APPROVE) not in {None, first}, patience_s=60
    )
    assert site.store.approvals.get(first).state(site.clock()) is ApprovalState.SUPERSEDED
    click_on(site, "grace", before, APPROVE)
    site.whispered("grace", "superseded")
    assert site.people["grace"].modals() == []
    opened(site, "grace", incident_id)
    site.people["grace"].submits()
    assert list(site.execute().values()).count("run") == 1
    assert len(site.executions(incident_id)) == 1


def test_two_people_for_what_cannot_be_undone(site: Site) -> None:
    incident_id = site.alert("gpu-00003")
    site.card_says(incident_id, "waits for approval")
    ask_for_replacement(site, incident_id, "gpu-00005")
    site.card_says(incident_id, "node_replace", "0 of 2")
    approval = site.store.approvals.of_incident(incident_id)[-1].id

    vote_yes(site, "ada", incident_id, approval)
    assert "1 of 2" in said_in(site.people["ada"].top_modal())
    site.card_says(incident_id, "1 of 2")
    site.people["ada"].closes()
    click_on(site, "ada", site.card(incident_id), APPROVE, value=approval)
    site.whispered("ada", "You said yes already")
    assert site.store.approvals.get(approval).state(site.clock()) is ApprovalState.PENDING

    vote_yes(site, "grace", incident_id, approval)
    assert site.store.approvals.get(approval).state(site.clock()) is ApprovalState.APPROVED
    site.card_says(incident_id, "node_replace", site.people["ada"].id, site.people["grace"].id)


def test_a_double_click_is_one_yes(site: Site) -> None:
    incident_id = site.alert("gpu-00003")
    ada = site.people["ada"]
    for _ in range(2):
        site.clicks("ada", incident_id, APPROVE, wait=False)
    plan = site.world.wait_for(lambda: [each for each in ada.modals() if each["submit"]])[-1]
    ada.submits(wait=False)
    site.world.postman.again(site.world.postman.sent[-1]).ack()
    site.card_says(incident_id, f"approved by <@{ada.id}>")
    assert plan["private_metadata"]
    approval = site.store.approvals.get(site.only_approval(incident_id))
    assert [vote.approver for vote in approval.votes] == ["ada"]
    assert votes_noted(site, incident_id) == 1
    assert list(site.execute().values()) == ["run"]
    site.execute()
    assert len(site.executions(incident_id)) == 1
    assert len(site.api.writes) == 1


def test_what_slack_sends_again_is_done_once(site: Site) -> None:
    incident_id = site.alert("gpu-00003")
    opened(site, "ada", incident_id)
    delivery = site.people["ada"].submits()
    again = site.world.postman.again(delivery)
    assert again.ack() is not None
    assert votes_noted(site, incident_id) == 1
    site.card_says(incident_id, "approved by")

    top = site.card(incident_id)["ts"]
    site.people["ada"].mentions(site.channel, "what about `gpu-00003`?", thread=top)
    event = site.world.postman.sent[-1]
    site.world.postman.again(event).ack()
    assert event.ack() is not None
    answers = site.world.wait_for(lambda: answers_in(site, top))
    assert len(answers) == 1


def test_agree_and_wrong_cause_are_labels(site: Site) -> None:
    incident_id = site.alert("gpu-00003")
    site.clicks("ada", incident_id, "firstfault.agree")
    site.card_says(incident_id, f"agreed: <@{site.people['ada'].id}>")
    site.clicks("grace", incident_id, "firstfault.wrong")
    grace = site.people["grace"]
    grace.submits({"class": "nic.link_down" if offers(grace.top_modal(), "nic.link_down") else CLASS})
    site.card_says(incident_id, f"<@{grace.id}>")


def click_on(site: Site, name: str, message: Body, action_id: str, value: str | None = None) -> None:
    """Have a person click in a message as their screen still shows it."""
    shown = copy.deepcopy(message)
    if value is not None:
        shown["blocks"] = [
            block
            for block in shown["blocks"]
            if block["type"] == "actions" and any(each.get("value") == value for each in block["elements"])
        ]
    site.people[name]._click_in(site.channel, shown, action_id, None, wait=True)  # pyright: ignore[reportPrivateUsage]  # an old screen


def button_value(message: Body, action_id: str) -> str | None:
    rows = [each for block in message["blocks"] if block["type"] == "actions" for each in block["elements"]]
    return next((str(each.get("value")) for each in rows if each["action_id"] == action_id), None)


def vote_yes(site: Site, name: str, incident_id: str, approval: str) -> None:
    click_on(site, name, site.card(incident_id), APPROVE, value=approval)
    person = site.people[name]
    site.world.wait_for(lambda: [each for each in person.modals() if each["submit"]])
    person.submits()


def votes_noted(site: Site, incident_id: str) -> int:
    kinds = [event.kind for event in site.store.audit.events() if event.subject == incident_id]
    return kinds.count("approval.approved")


def answers_in(site: Site, top: str) -> list[Body]:
    """Return the answers to questions in a thread that are more than a sign of progress."""
    keys = [
        (each, each.get("metadata", {}).get("event_payload", {}).get("key", ""))
        for each in site.channel.thread(top)
    ]
    return [each for each, key in keys if key.startswith("ask/")]


def offers(view: Body, value: str) -> bool:
    return f'"value": "{value}"' in json.dumps(view)


def ask_for_replacement(site: Site, incident_id: str, node: str) -> None:
    """Keep a decision that asks two people, as the gate would, and have it shown."""
    bench = site.executor()
    now = site.clock()
    proposal = asking(
        Action.NODE_REPLACE,
        Target(kind=TargetKind.NODE, name=node),
        failure_class=CLASS,
        incident_id=incident_id,
        proposed_at=now,
        expires_at=now + timedelta(hours=1),
    )
    record = bench.decide(proposal)
    approval = ApprovalDesk(store=site.store, roster=ROSTER).ask(record, now)
    assert approval is not None, record.decision.reasons
    assert approval.needed == 2
    site.service.publish(incident_id)
