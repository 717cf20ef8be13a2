"""The laws of the gate (DESIGN §11): total, deterministic, monotone, blind to order; unknown denies, the kill switch wins."""

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from firstfault.policies import Facts, History, Mode, Outcome, PastAction, Proposal, decide
from firstfault.policies.cedar import Query
from firstfault.policies.contexts import context_of, narrowed
from firstfault.policies.engine import inputs_of
from firstfault.policies.facts import GROUPS
from firstfault.policies.limits import Limit
from tests.policies.generated import (
    SITE_POLICIES,
    histories,
    past_actions,
    proposals,
    site_sets,
    tightened,
    tries,
    whole,
    with_site,
    worlds,
)
from tests.policies.worlds import ALL_FACTS, NOW, limits, policies, with_facts

MODES = (Mode.SHADOW, Mode.RECOMMEND, Mode.APPROVE, Mode.AUTO)


@tries(800)
@given(proposals(), worlds(), st.none() | histories(), st.integers(0, 3))
def test_every_input_gets_one_word_with_a_reason(
    asked: Proposal, known: Facts, past: History | None, approvers: int
) -> None:
    word = decide(asked, replace(known, approvers=approvers), past, limits(), policies())

    assert word.because
    assert all(reason and "\n" not in reason and "{" not in reason for reason in word.reasons)
    assert not any(item.policy == "engine.error" for item in word.because) or known.known()
    if not asked.action.executes:
        assert word.decision is Outcome.ALLOW


@tries(1500)
@given(proposals(), worlds(), histories(), st.sampled_from(ALL_FACTS), st.integers(0, 2))
def test_forgetting_a_fact_never_loosens(
    asked: Proposal, known: Facts, past: History, forgotten: str, approvers: int
) -> None:
    more = decide(asked, replace(known, approvers=approvers), past, limits(), policies())
    forgetful = with_facts(known, **{forgotten: None, "approvers": approvers})
    less = decide(asked, forgetful, past, limits(), policies())

    assert less.decision >= more.decision
    assert less.would_be >= more.would_be


@tries(800)
@given(
    proposals(), worlds(), histories(), st.lists(past_actions(), min_size=1, max_size=3), st.integers(0, 2)
)
def test_more_history_never_loosens(
    asked: Proposal, known: Facts, past: History, extra: list[PastAction], approvers: int
) -> None:
    longer = History.of((*past.rows, *extra), past.open_breakers)
    before = decide(asked, replace(known, approvers=approvers), past, limits(), policies())
    after = decide(asked, replace(known, approvers=approvers), longer, limits(), policies())

    assert after.decision >= before.decision
    assert after.would_be >= before.would_be


@tries(800)
@given(proposals(), worlds(), histories(), st.sampled_from(sorted(limits().items)), st.integers(1, 5000))
def test_a_tighter_limit_never_loosens(
    asked: Proposal, known: Facts, past: History, name: str, by: int
) -> None:
    limit: Limit = limits().items[name]
    before = decide(asked, known, past, limits(), policies())
    after = decide(asked, known, past, tightened(limit, by), policies())

    assert after.decision >= before.decision
    assert after.would_be >= before.would_be


@tries(600)
@given(proposals(), worlds(), histories(), site_sets(), st.sampled_from(SITE_POLICIES), st.integers(0, 2))
def test_another_site_policy_never_loosens(
    asked: Proposal, known: Facts, past: History, some: frozenset[str], another: str, approvers: int
) -> None:
    before = decide(asked, replace(known, approvers=approvers), past, limits(), with_site(some))
    after = decide(asked, replace(known, approvers=approvers), past, limits(), with_site(some | {another}))

    assert after.decision >= before.decision
    assert after.would_be >= before.would_be


@tries(400)
@given(proposals(), worlds(), histories(), st.integers(0, 2))
def test_a_more_careful_mode_or_fewer_approvals_never_loosen(
    asked: Proposal, known: Facts, past: History, approvers: int
) -> None:
    words = [
        decide(asked, replace(replace(known, mode=mode), approvers=approvers), past, limits(), policies())
        for mode in MODES
    ]
    assert [word.decision for word in words] == sorted((word.decision for word in words), reverse=True)

    fewer = decide(asked, replace(known, approvers=max(0, approvers - 1)), past, limits(), policies())
    assert (
        fewer.decision
        >= decide(asked, replace(known, approvers=approvers), past, limits(), policies()).decision
    )


@tries(400)
@given(proposals(), worlds(), histories(), st.integers(1, 10**6), st.sampled_from(GROUPS))
def test_time_passing_over_old_facts_never_loosens_and_ends_in_denial(
    asked: Proposal, known: Facts, past: History, seconds: int, group: str
) -> None:
    older = replace(
        known, **{group: replace(getattr(known, group), observed_at=NOW - timedelta(seconds=seconds))}
    )
    fresh = decide(asked, known, past, limits(), policies())
    stale = decide(asked, older, past, limits(), policies())

    assert stale.decision >= fresh.decision
    assert stale.would_be >= fresh.would_be


@tries(400)
@given(proposals(), worlds(), histories(), st.integers(0, 3), st.sampled_from(Mode))
def test_the_kill_switch_always_wins(
    asked: Proposal, known: Facts, past: History, approvers: int, mode: Mode
) -> None:
    stopped = replace(with_facts(known, kill_switch=True), mode=mode)
    word = decide(asked, replace(stopped, approvers=approvers), past, limits(), policies())

    assert word.decision is (Outcome.DENY if asked.action.executes else Outcome.ALLOW)
    if asked.action.executes:
        assert word.would_be is Outcome.DENY
        assert "control.kill_switch" in word.determining


@tries(400)
@given(proposals(), worlds(), histories(), st.randoms(use_true_random=False))
def test_the_order_of_rows_never_matters(
    asked: Proposal, known: Facts, past: History, random: Random
) -> None:
    rows = list(past.rows)
    random.shuffle(rows)
    shuffled = History.of(rows, past.open_breakers)

    assert (
        decide(asked, known, past, limits(), policies()).to_bytes()
        == decide(asked, known, shuffled, limits(), policies()).to_bytes()
    )


@tries(400)
@given(proposals(), worlds(), histories())
def test_an_expired_proposal_never_passes(asked: Proposal, known: Facts, past: History) -> None:
    expired = replace(asked, expires_at=NOW - timedelta(seconds=1))
    word = decide(expired, replace(known, approvers=2), past, limits(), policies())

    assert word.decision is (Outcome.DENY if asked.action.executes else Outcome.ALLOW)


@tries(400)
@given(proposals(), worlds(), st.none() | histories(), site_sets(), st.sampled_from(Mode), st.integers(0, 2))
def test_policies_asked_in_two_parts_say_what_cedar_says_of_them_all_at_once(
    asked: Proposal, known: Facts, past: History | None, some: frozenset[str], mode: Mode, approvers: int
) -> None:
    book = with_site(some).book
    inputs = inputs_of(asked, known, past, limits(), with_site(some))
    base, moving = context_of(inputs), book.moving_speaks_of[asked.action.value]

    def query(context: Mapping[str, Any], mode: Mode, approvers: int) -> Query:
        return Query(
            principal=(asked.principal.kind.value, asked.principal.name),
            action=asked.action.value,
            resource=asked.target.key,
            context={**context, "mode": mode.value, "approvers": approvers},
        )

    settled = book.settle(query(base, Mode.SHADOW, 0))
    verdict = book.evaluate(query(narrowed(base, moving), mode, approvers), settled)

    assert (verdict.allowed, {policy.id for policy in verdict.fired}) == whole(some).said(
        query(base, mode, approvers)
    )


def test_processes_with_other_hash_seeds_say_the_same_bytes() -> None:
    spoken = {
        subprocess.run(
            [sys.executable, "-m", "tests.policies.spoken"],
            check=True,
            capture_output=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
        ).stdout
        for seed in ("0", "1", "4242")
    }

    assert len(spoken) == 1
    assert len(next(iter(spoken)).splitlines()) == 150
