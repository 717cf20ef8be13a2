"""Every policy over one action, fired or not, with the numbers it looked at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from firstfault.policies import Facts, History, Limits, Policies, PolicyDecision, Proposal, decide
from firstfault.policies.contexts import whole_context
from firstfault.policies.engine import enough_approvers, inputs_of
from firstfault.policies.texts import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One policy: whether it can apply, whether it fired, what it looked at, and its reason when it fired."""

    policy: Policy
    applies: bool
    fired: bool
    looked_at: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The gate's word and how every policy stands to it."""

    decision: PolicyDecision
    lines: tuple[Line, ...]


def explain(
    proposal: Proposal, facts: Facts, history: History | None, limits: Limits, policies: Policies
) -> Explanation:
    """Return the decision with all policies of the book, in its order."""
    decision = decide(proposal, facts, history, limits, policies)
    inputs = inputs_of(proposal, facts, history, limits, policies)
    context: dict[str, Any] = {
        **whole_context(inputs),
        "mode": facts.mode.value,
        "approvers": facts.approvers,
        "enough": enough_approvers(inputs),
    }
    said = {item.policy: item.reason for item in (*decision.because, *decision.would_be_because)}
    return Explanation(
        decision=decision,
        lines=tuple(_line(policy, proposal.action.value, said, context) for policy in policies.book.policies),
    )


def _line(policy: Policy, action: str, said: Mapping[str, str], context: Mapping[str, Any]) -> Line:
    reasons = [
        reason for name, reason in said.items() if name == policy.id or name.startswith(f"{policy.id}.")
    ]
    return Line(
        policy=policy,
        applies=action in policy.actions,
        fired=bool(reasons),
        looked_at=tuple(
            f"{path.partition('.')[2] or path} = {_shown(context, path)}" for path in _leaves(policy)
        ),
        reason=_joined(reasons),
    )


def _joined(reasons: Sequence[str]) -> str:
    """Return the reasons in one line; a policy that speaks once for each fact says its first words once."""
    heads = {reason.partition(": ")[0] for reason in reasons}
    if len(reasons) > 1 and len(heads) == 1:
        return f"{heads.pop()}: {'; '.join(reason.partition(': ')[2] for reason in reasons)}"
    return "; ".join(reasons)


def _leaves(policy: Policy) -> list[str]:
    """Return the paths that hold values: `facts.x`, not `facts` itself."""
    paths = policy.reads | policy.shows
    return sorted(path for path in paths if not any(other.startswith(f"{path}.") for other in paths))


def _shown(context: Mapping[str, Any], path: str) -> str:
    value: object = context
    for part in path.split("."):
        value = cast("Mapping[str, object]", value).get(part) if isinstance(value, Mapping) else None
    if value is None:
        return "unknown"
    if isinstance(value, list):
        return ", ".join(str(item) for item in cast("list[object]", value)) or "none"
    return str(value).lower() if isinstance(value, bool) else str(value)
