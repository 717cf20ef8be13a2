"""Promotion and demotion, number by number."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstfault.evals.promotion.promotion import (
    CellNameError,
    Standing,
    demotion,
    parse_cell,
    promotion_limits,
    refusals,
    unmet,
)
from firstfault.evals.shadow.rows import CellRow
from firstfault.evals.shares import wilson
from firstfault.policies.actions import Action
from firstfault.policies.modes import Mode

LIMITS = promotion_limits()


def row(
    scored: int, successes: int | None = None, *, days: float = 20.0, harm: int = 0, shared: int = 0
) -> CellRow:
    hits = scored if successes is None else successes
    return CellRow(
        failure_class="gpu.fell_off_bus",
        action="cordon_node",
        scored=scored,
        successes=hits,
        unknown=0,
        stopped_by_gate=0,
        harm=("i1: it was wrong",) * harm,
        shared_cause=shared,
        first_at=None,
        last_at=None,
        days=days,
        low=round(wilson(hits, scored)[0], 4),
    )


def standing(cell: CellRow | None, action: Action = Action.CORDON_NODE) -> Standing:
    return Standing(failure_class="gpu.fell_off_bus", action=action, row=cell, known_signature=True)


@pytest.mark.parametrize(
    ("cell", "mode", "reasons"),
    [
        (row(30), Mode.RECOMMEND, ()),
        (row(29), Mode.RECOMMEND, ("29 incidents with a known outcome, 30 are needed",)),
        (row(30, 29), Mode.RECOMMEND, ("83.33 % Wilson lower bound, 85 are needed",)),
        (row(60, 57), Mode.RECOMMEND, ()),
        (
            row(30, days=13.9),
            Mode.RECOMMEND,
            ("13.9 days between the first and the last of them, 14 are needed",),
        ),
        (row(30, harm=1), Mode.RECOMMEND, ("1 harmful recommendations, 0 are allowed",)),
        (row(50), Mode.APPROVE, ()),
        (row(50, 49), Mode.APPROVE, ("89.5 % Wilson lower bound, 90 are needed",)),
        (row(150), Mode.AUTO, ()),
        (row(150, 149), Mode.AUTO, ("96.32 % Wilson lower bound, 97 are needed",)),
        (row(150, shared=2), Mode.AUTO, ("2 of its incidents had a cause that machines shared",)),
        (None, Mode.RECOMMEND, ("it was never recommended in shadow",)),
        (row(0), Mode.SHADOW, ()),
    ],
)
def test_every_number_has_to_be_met(cell: CellRow | None, mode: Mode, reasons: tuple[str, ...]) -> None:
    assert unmet(standing(cell), mode, LIMITS) == reasons


def test_auto_is_for_reversible_actions_and_known_signatures_only() -> None:
    irreversible = standing(row(200), Action.NODE_REPLACE)
    assert unmet(irreversible, Mode.AUTO, LIMITS) == ("node_replace cannot be undone",)
    guessed = replace(standing(row(200)), known_signature=False)
    assert unmet(guessed, Mode.AUTO, LIMITS) == ("gpu.fell_off_bus has no decisive signature of its own",)


def test_auto_comes_after_approve_only() -> None:
    assert refusals(standing(row(200)), Mode.RECOMMEND, Mode.AUTO, LIMITS) == (
        "auto mode is for cells that have proved themselves in approve mode",
    )
    assert refusals(standing(row(200)), Mode.APPROVE, Mode.AUTO, LIMITS) == ()
    assert refusals(standing(row(60)), Mode.SHADOW, Mode.APPROVE, LIMITS) == ()


def test_going_back_needs_no_reason_and_standing_still_is_no_move() -> None:
    assert refusals(standing(None), Mode.APPROVE, Mode.SHADOW, LIMITS) == ()
    assert refusals(standing(row(60)), Mode.RECOMMEND, Mode.RECOMMEND, LIMITS) == (
        "it is in recommend mode already",
    )


def test_a_version_that_does_worse_is_not_promoted() -> None:
    worse = replace(standing(row(60)), is_worse=True)
    assert unmet(worse, Mode.RECOMMEND, LIMITS) == ("this version does worse than the one before it",)


@pytest.mark.parametrize(
    ("cell", "now", "back_to"),
    [
        (row(200), Mode.AUTO, None),
        (row(200, 198), Mode.AUTO, Mode.APPROVE),
        (row(150, 138), Mode.AUTO, Mode.RECOMMEND),
        (row(100, 95), Mode.AUTO, None),
        (row(100, 80), Mode.AUTO, Mode.SHADOW),
        (row(200, harm=1), Mode.AUTO, Mode.SHADOW),
        (row(200, shared=1), Mode.AUTO, Mode.APPROVE),
        (row(60, 50), Mode.RECOMMEND, Mode.SHADOW),
        (row(5), Mode.RECOMMEND, None),
        (row(5, 1), Mode.RECOMMEND, Mode.SHADOW),
        (row(0), Mode.APPROVE, None),
        (row(10, 0), Mode.SHADOW, None),
        (None, Mode.AUTO, None),
    ],
)
def test_a_cell_that_got_worse_goes_back(cell: CellRow | None, now: Mode, back_to: Mode | None) -> None:
    found = demotion(standing(cell), now, LIMITS)
    assert (found.mode if found else None) is back_to
    assert found is None or found.reasons


def test_a_worse_version_puts_the_cell_in_shadow() -> None:
    found = demotion(replace(standing(row(200)), is_worse=True), Mode.APPROVE, LIMITS)
    assert found is not None
    assert (found.mode, found.reasons) == (Mode.SHADOW, ("this version does worse than the one before it",))


@given(
    st.integers(0, 300).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))),
    st.floats(0, 100),
    st.integers(0, 2),
    st.integers(0, 2),
)
def test_whatever_may_be_auto_may_be_approve_and_recommend(
    counts: tuple[int, int], days: float, harm: int, shared: int
) -> None:
    here = standing(row(*counts, days=days, harm=harm, shared=shared))
    allowed = [mode for mode in (Mode.RECOMMEND, Mode.APPROVE, Mode.AUTO) if not unmet(here, mode, LIMITS)]
    assert allowed == [Mode.RECOMMEND, Mode.APPROVE, Mode.AUTO][: len(allowed)]
    assert all(demotion(here, mode, LIMITS) is None for mode in allowed)


def test_a_cell_is_a_class_and_an_executable_action() -> None:
    assert parse_cell("gpu.fell_off_bus:cordon_node") == ("gpu.fell_off_bus", Action.CORDON_NODE)
    for wrong in ("gpu.fell_off_bus", ":cordon_node", "gpu.thermal:none_wait", "gpu.thermal:rm"):
        with pytest.raises(CellNameError, match="write CLASS:ACTION"):
            parse_cell(wrong)
