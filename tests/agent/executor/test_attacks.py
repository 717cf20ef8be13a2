"""Attacks on the way from a decision to a write: forged rows, replays, moved clocks, edited policies, hostile names."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import text

from firstfault.agent.executor.service import Word
from firstfault.agent.gate.approving import VoteRefusedError
from firstfault.agent.gate.files import load_policies
from firstfault.agent.store import ChainError
from firstfault.agent.store.errors import TakenError
from firstfault.agent.store.ledger import Permit
from firstfault.agent.store.signing import SigningKey
from firstfault.policies import Action, Outcome, Policies, Target, TargetKind
from firstfault.policies.approvals import Roster, Vote
from firstfault.policies.cedar import compile_policies
from firstfault.policies.texts import PolicyError
from tests.agent.executor.kit import NODE, PEOPLE, ROSTER, START, Bench, asking, kind, pod
from tests.policies.worlds import builtin_texts, schema_text

FIRMWARE = "gpu.firmware_hang"
EVE = SigningKey(secret=b"a key that eve made by herself....")


def execute(bench: Bench, statement: str, **values: object) -> None:
    with bench.store.database.writing() as session:
        session.execute(text(statement), values)


def asked_for(bench: Bench, action: Action = Action.CORDON_NODE) -> tuple[str, str]:
    """Return a decision that waits for its approval, and the approval."""
    bench.allow(action, FIRMWARE)
    record = bench.decide(asking(action))
    approval = bench.desk.ask(record, bench.clock.now())
    assert approval is not None
    return record.id, approval.id


def refused_and_untouched(bench: Bench, decision_id: str) -> None:
    assert bench.service.round()[decision_id] is Word.REFUSED
    assert bench.writes() == []


def test_a_vote_written_past_us_does_not_count(bench: Bench) -> None:
    decision_id, approval_id = asked_for(bench)
    execute(
        bench,
        "INSERT INTO votes VALUES (:approval, 'ada', 1, :at, 'sql', :key, :signature)",
        approval=approval_id,
        at=START.isoformat(sep=" "),
        key=bench.store.key.id,
        signature=EVE.sign("vote", "anything"),
    )

    refused_and_untouched(bench, decision_id)
    assert "row.forged" in bench.events()


def test_a_vote_copied_from_another_approval_does_not_count(bench: Bench) -> None:
    _, cordon = asked_for(bench)
    bench.desk.vote(cordon, _yes(bench, "ada"))
    decision_id, drain = asked_for(bench, Action.DRAIN_NODE)
    execute(
        bench,
        "INSERT INTO votes SELECT :drain, approver, is_yes, at, via, key_id, signature FROM votes",
        drain=drain,
    )

    words = bench.service.round()

    assert words[decision_id] is Word.REFUSED
    assert [path for _, path in bench.writes() if "eviction" in path] == []


def test_an_approval_turned_to_another_decision_does_not_count(bench: Bench) -> None:
    first, approval_id = asked_for(bench)
    bench.desk.vote(approval_id, _yes(bench, "ada"))
    bench.allow(Action.DRAIN_NODE, FIRMWARE)
    other = bench.decide(asking(Action.DRAIN_NODE))
    execute(bench, "UPDATE approvals SET decision_id = :other", other=other.id)

    words = bench.service.round()

    assert words[other.id] is Word.REFUSED
    assert words[first] is Word.WAITING
    assert bench.writes() == []


def test_a_decision_row_cannot_be_edited_and_an_inserted_one_is_seen(bench: Bench) -> None:
    decision_id, _ = asked_for(bench)
    with pytest.raises(Exception, match="append-only"):
        execute(bench, "UPDATE decisions SET outcome = 'ALLOW'")
    execute(
        bench,
        "INSERT INTO decisions SELECT 'dec-forged', incident_id, correlation_id, action, target, failure_class, 'ALLOW', "
        "would_be, 'auto', binding, made_at, expires_at, content, key_id, signature FROM decisions",
    )

    words = bench.service.round()

    assert words == {decision_id: Word.WAITING, "dec-forged": Word.REFUSED}


def test_an_audit_chain_rebuilt_without_the_key_stops_everything(bench: Bench) -> None:
    decision_id, approval_id = asked_for(bench)
    bench.desk.vote(approval_id, _yes(bench, "ada"))
    head = bench.store.audit.head()
    assert head is not None
    forged = EVE.sign("audit-head", [head.count + 1, head.digest])
    execute(bench, "UPDATE audit_head SET count = count + 1, signature = :signature", signature=forged)

    with pytest.raises(ChainError):
        bench.service.round()

    assert bench.writes() == []
    assert bench.store.executions.of_decision(decision_id) is None
    assert not bench.store.audit.verify().sound


def test_a_ledger_row_that_was_taken_away_is_missed(bench: Bench) -> None:
    _, approval_id = asked_for(bench)
    bench.desk.vote(approval_id, _yes(bench, "ada"))
    bench.service.round()
    for table in ("steps", "executions"):
        execute(bench, f"DELETE FROM {table}")  # noqa: S608  # two names of our own

    record = bench.decide(asking(Action.DRAIN_NODE))

    assert record.decision.would_be is Outcome.DENY
    assert "facts.missing.history" in record.decision.determining


def test_a_switch_turned_off_past_us_stays_on(bench: Bench) -> None:
    bench.store.controls.set_switch("all", is_on=True, by="ada", why="test", at=bench.clock.now())
    assert bench.store.controls.switch_is_on()
    execute(bench, "UPDATE switches SET is_on = 0")

    with pytest.raises(Exception, match="does not count"):
        bench.store.controls.switch_is_on()


def test_a_button_pressed_again_after_it_ran_changes_nothing(bench: Bench) -> None:
    decision_id, approval_id = asked_for(bench)
    bench.desk.vote(approval_id, _yes(bench, "ada"))
    bench.service.round()
    before = bench.writes()

    bench.desk.vote(approval_id, _yes(bench, "ada"))
    with pytest.raises(VoteRefusedError, match="is used"):
        bench.desk.vote(approval_id, _yes(bench, "grace"))

    assert bench.service.round() == {}
    assert bench.service.consider(decision_id) is Word.WAITING
    assert bench.writes() == before


def test_a_second_permit_for_one_decision_cannot_be_written(bench: Bench) -> None:
    decision_id, approval_id = asked_for(bench)
    bench.desk.vote(approval_id, _yes(bench, "ada"))
    bench.service.round()
    execution = bench.store.executions.of_decision(decision_id)
    assert execution is not None
    permit = Permit(
        id="prm-second",
        decision_id=decision_id,
        binding="x",
        holder="eve",
        issued_at=START,
        expires_at=START + timedelta(hours=1),
    )

    with pytest.raises(TakenError, match="a permit is used once"):
        bench.store.executions.begin(permit, replace(execution, id="exe-second"))


def test_a_clock_moved_back_does_not_revive_what_expired(bench: Bench) -> None:
    decision_id, approval_id = asked_for(bench)
    bench.desk.vote(approval_id, _yes(bench, "ada"))
    bench.clock.wait(3600)
    assert bench.service.round()[decision_id] is Word.WAITING
    bench.desk.ask(
        bench.decide(asking(Action.CORDON_NODE, evidence=frozenset({"ev-0123456789ab"}))), bench.clock.now()
    )

    bench.clock.set(START + timedelta(minutes=5))

    assert bench.service.round()[decision_id] is Word.HELD
    assert bench.writes() == []
    held = [event.why for event in bench.store.audit.events() if event.kind == "execution.held"]
    assert any("ahead of this clock" in why for why in held)


def test_other_evidence_is_another_decision_and_voids_the_old_approval(bench: Bench) -> None:
    decision_id, approval_id = asked_for(bench)
    bench.desk.vote(approval_id, _yes(bench, "ada"))
    bench.clock.wait(10)
    changed = bench.decide(asking(Action.CORDON_NODE, evidence=frozenset({"ev-ffffffffffff"})))

    fresh = bench.desk.renew([decision_id], changed, bench.clock.now())

    assert fresh is not None
    assert fresh.approvers == frozenset()
    assert bench.service.round() == {decision_id: Word.WAITING, changed.id: Word.WAITING}
    assert bench.writes() == []


def without(person: str) -> Roster:
    """Return the usual roster with somebody taken out."""
    return replace(ROSTER, groups={"sre": PEOPLE - {person}})


def test_the_yes_of_somebody_who_was_taken_out_of_the_approvers_counts_no_more(bench: Bench) -> None:
    decision_id, approval_id = asked_for(bench)
    bench.desk.vote(approval_id, _yes(bench, "ada"))
    bench.roster = without("ada")

    assert bench.service.round()[decision_id] is Word.WAITING
    assert bench.writes() == []
    held = [event.why for event in bench.store.audit.events() if event.kind == "execution.held"]
    why = (
        "`ada` may not approve cordon_node by [approvers] in the settings of this executor: "
        "name them there, or have somebody else say yes"
    )
    assert held == [why]

    bench.desk.vote(approval_id, _yes(bench, "grace"))

    assert bench.service.round()[decision_id] is Word.RUN


def test_facts_that_changed_after_the_approval_void_it(bench: Bench) -> None:
    bench.api.store.load(kind("Pod"), [pod("serving-a")])
    decision_id, approval_id = asked_for(bench, Action.DRAIN_NODE)
    bench.desk.vote(approval_id, _yes(bench, "ada"))
    bench.api.store.load(kind("Pod"), [pod("lonely", metadata={"ownerReferences": []})])

    refused_and_untouched(bench, decision_id)

    assert bench.store.approvals.get(approval_id).superseded_why is not None
    why = bench.store.executions.refusal_of(decision_id) or ""
    assert "unmanaged_pods was 0, is 1" in why


def test_a_policy_file_edited_while_running_voids_what_was_approved(bench: Bench) -> None:
    decision_id, approval_id = asked_for(bench)
    bench.desk.vote(approval_id, _yes(bench, "ada"))
    texts = builtin_texts()
    texts["history.cedar"] = texts["history.cedar"].replace('@id("rate.day")', '@id("rate.day_or_so")')
    bench.policies = Policies(book=compile_policies(texts, schema_text()), cells=load_policies().cells)

    refused_and_untouched(bench, decision_id)

    assert "policies" in (bench.store.executions.refusal_of(decision_id) or "")


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        ('@id("site.open") @reason("x") permit (principal, action, resource);', "may only forbid"),
        ('@id("mode.shadow") @reason("x") forbid (principal, action, resource);', "begin with `site.`"),
        ('@id("site.a") forbid (principal, action, resource);', "needs @id"),
        (
            '@id("site.a") @reason("x") forbid (principal, action, resource) when { context.nothing };',
            "schema",
        ),
        (
            '@id("site.w") @reason("x") forbid (principal, action, resource) when { context == context };',
            "looks at `context` as a whole",
        ),
        (
            '@id("site.w") @reason("x") forbid (principal, action, resource) when { context.facts == context.facts };',
            "looks at `context.facts` as a whole",
        ),
        ("forbid (principal", "is not Cedar"),
        ('@id("site.t") @reason("x") forbid (principal == ?principal, action, resource);', "template"),
    ],
)
def test_a_site_policy_that_would_open_something_is_refused_at_start(policy: str, said: str) -> None:
    with pytest.raises(PolicyError, match=said) as refused:
        compile_policies(builtin_texts(), schema_text(), {"own.cedar": policy})

    assert "own.cedar" in str(refused.value)
    assert "\n" not in str(refused.value)


HOSTILE = (
    "gpu-00003/../../secrets",
    "gpu-00003\nHost: evil",
    '"; forbid (principal, action, resource); //',
    "gpu-00003?dryRun=All#",
    "GPU-00003",
    "\u202egpu",
    "\x00",
    "x" * 300,
    "",
    "\ud800",
    "-gpu",
)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_never_becomes_a_request(bench: Bench, name: str) -> None:
    bench.allow(Action.CORDON_NODE, FIRMWARE)

    record = bench.decide(asking(Action.CORDON_NODE, Target(kind=TargetKind.NODE, name=name)))

    assert record.decision.decision is Outcome.DENY
    assert record.decision.would_be is Outcome.DENY
    for reason in record.decision.reasons:
        assert reason.isprintable()
        assert len(reason) <= 300
    json.loads(record.decision.to_bytes())
    assert bench.service.round() == {}
    assert bench.writes() == []


def test_the_target_is_the_object_that_was_approved_not_its_namesake(bench: Bench) -> None:
    decision_id, approval_id = asked_for(bench)
    bench.desk.vote(approval_id, _yes(bench, "ada"))

    def replaced_by_a_namesake() -> None:
        node = dict(bench.api.store.delete(kind("Node"), NODE))
        metadata = {"name": NODE, "labels": node["metadata"]["labels"]}
        bench.api.store.create(kind("Node"), {**node, "metadata": metadata})

    bench.once_running(replaced_by_a_namesake)
    bench.service.round()

    assert "precondition" in bench.ending(decision_id).why
    assert bench.writes() == []


def _yes(bench: Bench, person: str) -> Vote:
    return Vote(approver=person, is_yes=True, at=bench.clock.now(), via="test")
