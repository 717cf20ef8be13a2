"""What the gate says when everything is known, when something is missing, and in each mode."""

from firstfault.policies import Action, Facts, Mode, Outcome, decide
from tests.policies.worlds import facts, gate, limits, policies, proposal


def test_advice_is_allowed_whatever_is_unknown() -> None:
    word = decide(proposal(Action.NONE_WAIT), Facts(), None, limits(), policies())

    assert word.decision is Outcome.ALLOW
    assert word.determining == ("advice.executes_nothing",)


def test_shadow_denies_and_says_what_approve_mode_would_give() -> None:
    word = gate(known=facts(Mode.SHADOW))

    assert word.decision is Outcome.DENY
    assert word.would_be is Outcome.NEEDS_APPROVAL
    assert word.determining == ("mode.shadow", "approval.required")
    assert (
        word.reasons[0]
        == "gpu.firmware_hang × cordon_node is in shadow mode: recorded and scored, not offered"
    )


def test_approve_mode_needs_a_human_and_then_allows() -> None:
    assert gate().decision is Outcome.NEEDS_APPROVAL
    assert gate(approvers=1).decision is Outcome.ALLOW


def test_what_cannot_be_undone_needs_two_people() -> None:
    asked = proposal(Action.NODE_REPLACE)

    assert gate(asked, approvers=1).decision is Outcome.NEEDS_APPROVAL
    assert gate(asked).approvers_needed == 2
    assert gate(asked, approvers=2).decision is Outcome.ALLOW


def test_auto_runs_a_gentle_known_action_without_asking() -> None:
    assert gate(known=facts(Mode.AUTO)).decision is Outcome.ALLOW


def test_a_missing_fact_is_named() -> None:
    word = gate(known=facts(node_role=None))

    assert word.decision is Outcome.DENY
    assert word.determining == ("facts.missing.node_role",)
    assert word.reasons == ("unknown: node role",)


def test_substance_is_named_beside_what_is_missing() -> None:
    word = gate(
        proposal(Action.DRAIN_NODE),
        facts(
            Mode.SHADOW,
            shared_cause=True,
            shared_cause_by="switch leaf0: 3 of 16",
            checkpoint_age_s=None,
        ),
    )

    assert word.would_be is Outcome.DENY
    assert word.determining == (
        "mode.shadow",
        "blast.shared_cause",
        "facts.missing.checkpoint_age_s",
    )
    assert (
        word.reasons[1]
        == "machines share a cause (switch leaf0: 3 of 16), and acting on one of them cures nothing: look at what they share"
    )


def test_an_unreadable_ledger_denies() -> None:
    word = decide(proposal(), facts(), None, limits(), policies())

    assert word.determining == ("facts.missing.history",)


def test_equal_inputs_give_equal_bytes() -> None:
    assert gate().to_bytes() == gate().to_bytes()
