"""What is allowed: a deterministic gate over facts, history and limits. No I/O, no clock, no model, no randomness."""

from firstfault.policies.actions import Action
from firstfault.policies.decision import Because, Outcome, PolicyDecision
from firstfault.policies.engine import Policies, decide
from firstfault.policies.facts import Facts
from firstfault.policies.history import History, PastAction
from firstfault.policies.limits import Limits
from firstfault.policies.modes import Mode, ModeTable
from firstfault.policies.proposals import Certainty, Principal, PrincipalKind, Proposal
from firstfault.policies.targets import Target, TargetKind

__all__ = [
    "Action",
    "Because",
    "Certainty",
    "Facts",
    "History",
    "Limits",
    "Mode",
    "ModeTable",
    "Outcome",
    "PastAction",
    "Policies",
    "PolicyDecision",
    "Principal",
    "PrincipalKind",
    "Proposal",
    "Target",
    "TargetKind",
    "decide",
]
