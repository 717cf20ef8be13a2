"""The desk: who may say yes, how often, until when, and what makes a yes void."""

from collections.abc import Generator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from firstfault.agent.gate.approving import ApprovalDesk, VoteRefusedError
from firstfault.agent.store import Store, open_store
from firstfault.agent.store.decisions import DecisionRecord, Origin, decision_record
from firstfault.policies import Action, History, Proposal
from firstfault.policies.approvals import LIFETIME, SLACK, Approval, ApprovalState, Roster, Vote, refusal
from firstfault.policies.engine import inputs_of
from tests.policies.worlds import NOW, facts, gate, limits, policies, proposal

ROSTER = Roster(
    groups={"sre": frozenset({"ada", "grace"})},
    actions={
        Action.CORDON_NODE: frozenset({"group:sre", "joan"}),
        Action.NODE_REPLACE: frozenset({"group:sre", "firstfault"}),
    },
)


@pytest.fixture
def store(tmp_path: Path) -> Generator[Store]:
    with open_store(tmp_path / "state") as opened:
        yield opened


@pytest.fixture
def desk(store: Store) -> ApprovalDesk:
    return ApprovalDesk(store=store, roster=ROSTER)


def kept(store: Store, asked: Proposal) -> DecisionRecord:
    inputs = inputs_of(asked, facts(), History.of([], []), limits(), policies())
    return store.decisions.put(
        decision_record(inputs, gate(asked), correlation_id="c-1", made_at=NOW, origin=Origin.LIVE)
    )


def ask(desk: ApprovalDesk, action: Action = Action.CORDON_NODE) -> Approval:
    approval = desk.ask(kept(desk.store, proposal(action)), NOW)
    assert approval is not None
    return approval


def vote(person: str, *, is_yes: bool = True, at: datetime = NOW) -> Vote:
    return Vote(approver=person, is_yes=is_yes, at=at, via="test")


def test_one_named_person_is_enough_for_a_gentle_action(desk: ApprovalDesk) -> None:
    approval = ask(desk)

    assert approval.state(NOW) is ApprovalState.PENDING
    assert desk.vote(approval.id, vote("ada")).state(NOW) is ApprovalState.APPROVED


def test_asking_twice_asks_once(desk: ApprovalDesk) -> None:
    assert ask(desk) == ask(desk)
    assert desk.store.audit.count("approval.asked") == 1


def test_a_double_click_is_one_vote(desk: ApprovalDesk) -> None:
    approval = ask(desk, Action.NODE_REPLACE)

    desk.vote(approval.id, vote("ada"))
    again = desk.vote(approval.id, vote("ada", at=NOW + timedelta(seconds=1)))

    assert again.approvers == {"ada"}
    assert again.state(NOW) is ApprovalState.PENDING
    assert desk.store.audit.count("approval.approved") == 1


def test_what_cannot_be_undone_needs_two_different_people(desk: ApprovalDesk) -> None:
    approval = ask(desk, Action.NODE_REPLACE)

    desk.vote(approval.id, vote("ada"))

    assert desk.vote(approval.id, vote("grace")).state(NOW) is ApprovalState.APPROVED


@pytest.mark.parametrize(
    ("person", "action", "said"),
    [
        ("mallory", Action.CORDON_NODE, "`mallory` may not approve cordon_node"),
        ("joan", Action.NODE_REPLACE, "`joan` may not approve node_replace"),
        ("firstfault", Action.NODE_REPLACE, "`firstfault` asked for it: somebody else must approve"),
    ],
)
def test_who_is_not_named_or_asked_for_it_does_not_count(
    desk: ApprovalDesk, person: str, action: Action, said: str
) -> None:
    approval = ask(desk, action)

    with pytest.raises(VoteRefusedError, match=said):
        desk.vote(approval.id, vote(person))

    assert desk.store.approvals.get(approval.id).votes == ()
    assert desk.store.audit.count("approval.vote_refused") == 1


def test_one_no_ends_it(desk: ApprovalDesk) -> None:
    approval = ask(desk, Action.NODE_REPLACE)
    desk.vote(approval.id, vote("ada"))

    rejected = desk.vote(approval.id, vote("grace", is_yes=False))

    assert rejected.state(NOW) is ApprovalState.REJECTED
    with pytest.raises(VoteRefusedError, match="is rejected"):
        desk.vote(approval.id, vote("joan"))


def test_a_vote_is_not_taken_back(desk: ApprovalDesk) -> None:
    approval = ask(desk, Action.NODE_REPLACE)
    desk.vote(approval.id, vote("ada"))

    with pytest.raises(VoteRefusedError, match="has already voted"):
        desk.vote(approval.id, vote("ada", is_yes=False))


def test_it_ends_with_its_time_or_with_the_recommendation(desk: ApprovalDesk) -> None:
    approval = ask(desk)
    desk.vote(approval.id, vote("ada"))
    late = NOW + LIFETIME

    assert desk.store.approvals.get(approval.id).state(late) is ApprovalState.EXPIRED
    assert desk.store.approvals.get(approval.id).state(NOW - timedelta(seconds=1)) is ApprovalState.EXPIRED

    other = frozenset({"ev-ffffffffffff"})
    short = kept(desk.store, proposal(evidence=other, expires_at=NOW + timedelta(minutes=2)))
    soon = desk.ask(short, NOW)
    assert soon is not None
    assert soon.expires_at == NOW + timedelta(minutes=2)


def test_a_decision_made_anew_voids_the_approval_of_another_content(desk: ApprovalDesk) -> None:
    first = ask(desk)
    other = kept(desk.store, proposal(evidence=frozenset({"ev-ffffffffffff"})))

    fresh = desk.renew([first.decision_id], other, NOW)

    assert fresh is not None
    assert fresh.id != first.id
    assert desk.store.approvals.get(first.id).state(NOW) is ApprovalState.SUPERSEDED


def test_a_decision_made_anew_with_the_same_content_keeps_its_approval(desk: ApprovalDesk) -> None:
    first = ask(desk)
    same = kept(desk.store, proposal(proposed_at=NOW - timedelta(seconds=5)))

    assert desk.renew([first.decision_id], same, NOW) == first


def test_a_yes_counts_as_long_as_its_giver_is_named(desk: ApprovalDesk) -> None:
    approval = ask(desk)
    desk.vote(approval.id, vote("ada"))
    given = desk.store.approvals.get(approval.id)
    nobody = Roster(groups={"sre": frozenset({"grace"})}, actions=ROSTER.actions)

    assert ROSTER.still_counting(given) == {"ada"}
    assert nobody.still_counting(given) == frozenset()
    assert refusal(given, vote("grace"), ROSTER) is not None
    assert refusal(given, vote("grace"), nobody) is None


def test_a_yes_through_slack_counts_while_a_group_that_slack_knows_is_named(desk: ApprovalDesk) -> None:
    approval = ask(desk)
    in_slack = Roster(groups={"sre": frozenset({"u0new"})}, actions=ROSTER.actions)
    given = ApprovalDesk(store=desk.store, roster=in_slack).vote(
        approval.id, Vote(approver="u0new", is_yes=True, at=NOW, via=SLACK)
    )

    assert replace(ROSTER, slack_groups=frozenset({"sre"})).still_counting(given) == {"u0new"}
    assert replace(ROSTER, slack_groups=frozenset({"ops"})).still_counting(given) == frozenset()
    typed = replace(given, votes=tuple(replace(each, via="cli") for each in given.votes))
    assert replace(ROSTER, slack_groups=frozenset({"sre"})).still_counting(typed) == frozenset()
