"""Two versions on one history."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstfault.evals.shadow.comparison import compare_versions
from firstfault.evals.shadow.scores import ShadowScore
from firstfault.evals.shares import sign_test
from tests.evals.shadow.twelve import twelve_scores


def marked(rights: str, harm: int = 0) -> list[ShadowScore]:
    """Return one score per letter: y right, n wrong, ? unknown."""
    base = twelve_scores()[0]
    known = {"y": True, "n": False, "?": None}
    return [
        base.model_copy(
            update={"incident": f"i{n}", "right": known[right], "harm": ("x",) * harm if n == 0 else ()}
        )
        for n, right in enumerate(rights)
    ]


@pytest.mark.parametrize(
    ("wins", "losses", "p_value"),
    [
        (0, 0, 1.0),
        (5, 5, 1.0),
        (0, 5, 0.0625),
        (0, 6, 0.03125),
        (1, 9, 0.021484375),
        # Conover, section 3.4, example 1: 8 of 10 differ one way, two-sided 2 x 0.0547.
        (8, 2, 0.109375),
    ],
)
def test_the_sign_test_agrees_with_the_binomial_by_hand(wins: int, losses: int, p_value: float) -> None:
    assert sign_test(wins, losses) == pytest.approx(p_value)


@given(st.integers(0, 60), st.integers(0, 60))
def test_the_sign_test_is_a_probability_and_knows_no_side(wins: int, losses: int) -> None:
    assert 0.0 < sign_test(wins, losses) <= 1.0
    assert sign_test(wins, losses) == sign_test(losses, wins)


def test_only_pairs_with_a_known_cause_count() -> None:
    found = compare_versions(marked("yn?y"), marked("nyyy"))
    assert (found.pairs, found.better, found.worse) == (3, ("i1",), ("i0",))
    assert not found.is_worse


def test_clearly_fewer_right_is_worse() -> None:
    found = compare_versions(marked("yyyyyy"), marked("nnnnnn"))
    assert (found.p_value, found.is_worse) == (0.03125, True)
    assert not compare_versions(marked("yyyyy"), marked("nnnnn")).is_worse
    assert not compare_versions(marked("nnnnnn"), marked("yyyyyy")).is_worse


def test_new_harm_is_worse_whatever_else() -> None:
    assert compare_versions(marked("n"), marked("y", harm=1)).is_worse
