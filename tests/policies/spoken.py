"""Prints the digests of many decisions, for comparing processes: `python -m tests.policies.spoken`."""

import sys
from itertools import product
from typing import Any

from firstfault.policies import Action, History, Mode, decide
from firstfault.policies.actions import EXECUTABLE
from tests.policies.worlds import facts, limits, policies, proposal

SPOILED: tuple[dict[str, Any], ...] = ({}, {"node_role": None, "rack": None}, {"kill_switch": True})


def main() -> None:
    """Print one digest a line."""
    actions = (*sorted(EXECUTABLE), Action.NONE_WAIT)
    for action, mode, changes in product(
        actions, (Mode.SHADOW, Mode.RECOMMEND, Mode.APPROVE, Mode.AUTO), SPOILED
    ):
        word = decide(
            proposal(action), facts(mode, **changes), History.of([], ["cluster"]), limits(), policies()
        )
        sys.stdout.write(f"{word.digest}\n")
    for action in (Action.DRAIN_NODE, Action.NODE_REBOOT, Action.NODE_REPLACE):
        for approvers in range(10):
            word = decide(proposal(action), facts(approvers=approvers), None, limits(), policies())
            sys.stdout.write(f"{word.digest}\n")


if __name__ == "__main__":
    main()
