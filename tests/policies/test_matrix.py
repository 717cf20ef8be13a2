"""Modes × actions × flags, all of them, against the rules as a person would say them; the page that is reviewed is up to date."""

from collections import Counter

from hypothesis import settings

from firstfault.evals.gate import pages
from firstfault.evals.gate.matrix import FLAGS, ORDER, Cell, all_cells
from firstfault.policies import Action, Mode, Outcome
from tests.policies.worlds import limits, policies

IN_A_SAMPLE = 2
NODE_ACTIONS = frozenset(
    {Action.CORDON_NODE, Action.DRAIN_NODE, Action.GPU_RESET, Action.NODE_REBOOT, Action.NODE_REPLACE}
)
DELEGATED = frozenset({Action.GPU_RESET, Action.NODE_REBOOT, Action.NODE_REPLACE})
GENTLE = frozenset({Action.CORDON_NODE, Action.UNCORDON_NODE})


def is_denied(cell: Cell) -> bool:
    """Say in plain words what is never done, whoever approves."""
    action, flags = cell.action, set(cell.flags)
    return bool(
        cell.mode in {Mode.SHADOW, Mode.RECOMMEND}
        or "kill switch" in flags
        or ({"freeze", "breaker"} & flags and action is not Action.UNCORDON_NODE)
        or ("unknown role" in flags and action in NODE_ACTIONS | {Action.UNCORDON_NODE})
        or ("shared cause" in flags and action in NODE_ACTIONS)
        or ("one family" in flags and action not in GENTLE)
        or ("likely" in flags and action is Action.NODE_REPLACE)
    )


def is_asked(cell: Cell) -> bool:
    """Say in plain words what waits for people."""
    action, flags = cell.action, set(cell.flags)
    if cell.approvers:
        return False
    return bool(
        cell.mode is Mode.APPROVE
        or action in DELEGATED
        or {"unknown signature", "likely"} & flags
        or ("shared cause" in flags and action not in GENTLE)
        or ("stateful" in flags and action not in GENTLE | {Action.ROLLBACK_CHANGE})
    )


def expected(cell: Cell) -> Outcome:
    if is_denied(cell):
        return Outcome.DENY
    return Outcome.NEEDS_APPROVAL if is_asked(cell) else Outcome.ALLOW


def test_every_cell_says_what_the_rules_say_in_plain_words() -> None:
    most = len(FLAGS) if settings.get_current_profile_name() == "attacks" else IN_A_SAMPLE
    said: Counter[Outcome] = Counter()
    for cell in all_cells(most):
        word = cell.word(limits(), policies())
        assert word.decision is expected(cell), (cell, word.determining)
        said[word.decision] += 1
    assert min(said.values()) > 50
    assert sum(said.values()) >= len(ORDER) * len(Mode) * 2 * 2**IN_A_SAMPLE


def test_the_reviewed_pages_are_what_the_gate_says() -> None:
    assert pages.main(["--check"]) == 0
