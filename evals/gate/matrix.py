"""Every action in every mode under every flag: the table that is reviewed, and that a test compares with."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from firstfault.evals.gate.world import Situation, word_on
from firstfault.policies import Action, Certainty, Limits, Mode, Outcome, Policies, PolicyDecision
from firstfault.policies.actions import EXECUTABLE

FLAGS: Mapping[str, dict[str, Any]] = {
    "likely": {"proposal": {"certainty": Certainty.LIKELY}},
    "one family": {"proposal": {"families": frozenset({"kernel"})}},
    "unknown signature": {"proposal": {"known_signature": False}},
    "shared cause": {"facts": {"shared_cause": True, "shared_cause_by": "switch leaf0: 3 of 16"}},
    "stateful": {"facts": {"stateful_pods": 2}},
    "freeze": {"facts": {"freeze_active": True}},
    "breaker": {"open_breakers": frozenset({"cluster"})},
    "unknown role": {"facts": {"node_role": None}},
    "kill switch": {"facts": {"kill_switch": True}},
}
"""What may be so; each alone is a row of the table, all subsets are tried by the test."""
LETTERS = {Outcome.ALLOW: "allow", Outcome.NEEDS_APPROVAL: "ask", Outcome.DENY: "deny"}
ORDER = tuple(action for action in Action if action in EXECUTABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One action in one mode under some flags, with some approvals."""

    action: Action
    mode: Mode
    flags: tuple[str, ...]
    approvers: int = 0

    def situation(self) -> Situation:
        """Return the cell as a situation."""
        merged: dict[str, Any] = {"facts": {}, "proposal": {}, "open_breakers": frozenset()}
        for flag in self.flags:
            for part, change in FLAGS[flag].items():
                merged[part] = change if part == "open_breakers" else {**merged[part], **change}
        return Situation(action=self.action, mode=self.mode, approvers=self.approvers, **merged)

    def word(self, limits: Limits, policies: Policies) -> PolicyDecision:
        """Return the gate's word."""
        return word_on(self.situation(), limits, policies)


def all_cells(most_flags: int = len(FLAGS)) -> Iterator[Cell]:
    """Give every action in every mode under every set of at most `most_flags` flags, with none and with two approvals."""
    for count in range(most_flags + 1):
        for flags in combinations(FLAGS, count):
            for action in ORDER:
                for mode in Mode:
                    for approvers in (0, 2):
                        yield Cell(action=action, mode=mode, flags=flags, approvers=approvers)
