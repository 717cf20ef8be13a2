"""The reference world with the built-in policies and limits, for tests."""

from dataclasses import replace
from functools import cache
from importlib import resources

from firstfault.agent.gate.files import load_limits, load_policies
from firstfault.evals.gate.world import (
    ALL_FACTS,
    NODE,
    NOW,
    Situation,
    known_facts,
    proposal_for,
    with_facts,
    word_on,
)
from firstfault.policies import (
    Action,
    Facts,
    History,
    Limits,
    Mode,
    Policies,
    PolicyDecision,
    Proposal,
    decide,
)

__all__ = [
    "ALL_FACTS",
    "NODE",
    "NOW",
    "builtin_texts",
    "facts",
    "gate",
    "limits",
    "policies",
    "proposal",
    "schema_text",
    "with_facts",
    "word",
]


@cache
def policies() -> Policies:
    """Return the built-in policies."""
    return load_policies()


@cache
def limits() -> Limits:
    """Return the built-in limits."""
    return load_limits()


def builtin_texts() -> dict[str, str]:
    """Return the text of every built-in policy file by name."""
    folder = resources.files("firstfault.policies")
    return {item.name: item.read_text("utf-8") for item in folder.iterdir() if item.name.endswith(".cedar")}


def schema_text() -> str:
    """Return the text of the schema."""
    return resources.files("firstfault.policies").joinpath("firstfault.cedarschema").read_text("utf-8")


def proposal(action: Action = Action.CORDON_NODE, **changes: object) -> Proposal:
    """Return a well-founded proposal, with `changes` made to it."""
    return proposal_for(action, **changes)


def facts(mode: Mode = Mode.APPROVE, **changes: object) -> Facts:
    """Return facts that stand in nobody's way, with single facts replaced by name (None: unknown)."""
    return known_facts(mode, **changes)


def word(situation: Situation) -> PolicyDecision:
    """Return the gate's word on a situation of the reference world."""
    return word_on(situation, limits(), policies())


def gate(
    asked: Proposal | None = None,
    known: Facts | None = None,
    past: History | None = None,
    *,
    approvers: int = 0,
    allowed: Policies | None = None,
) -> PolicyDecision:
    """Return the gate's word in this world."""
    return decide(
        asked or proposal(),
        replace(known or facts(), approvers=approvers),
        past or History.of([], []),
        limits(),
        allowed or policies(),
    )
