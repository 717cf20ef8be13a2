"""The gate: `decide` is total and pure. Any error inside is a denial with the error as its reason.

NEEDS_APPROVAL means: denied as things stand, allowed if enough people approved. `would_be` answers the same question as
if the cell were in approve mode.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from firstfault.policies.actions import SPECS, Action
from firstfault.policies.cedar import Policy, PolicyBook, Query, Verdict
from firstfault.policies.cells import Cells
from firstfault.policies.contexts import Inputs, context_of, needed_facts
from firstfault.policies.decision import Because, Digests, Outcome, PolicyDecision
from firstfault.policies.facts import Facts
from firstfault.policies.history import History
from firstfault.policies.limits import Limits
from firstfault.policies.modes import Mode
from firstfault.policies.proposals import Proposal
from firstfault.policies.reasons import filled

MISSING = "facts.missing"
STALE = "facts.stale"
DEFAULT_DENY = Because(policy="default.deny", reason="no policy permits this")
FAILURES = (
    ArithmeticError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
    RuntimeError,
)
"""What pure code over unexpected values can raise; each is a denial."""


@dataclass(frozen=True, kw_only=True)
class Policies:
    """What is allowed: the parsed policies and the table of cells."""

    book: PolicyBook
    cells: Cells

    @property
    def digest(self) -> str:
        """Return the digest of both."""
        return f"{self.book.digest[:32]}{self.cells.digest[:32]}"


def decide(
    proposal: Proposal,
    facts: Facts,
    history: History | None,
    limits: Limits,
    policies: Policies,
    *,
    approvers: int = 0,
) -> PolicyDecision:
    """Return the gate's word on `proposal`; equal inputs give equal bytes, in any process. Never raises.

    history: None when the ledger could not be read, which denies. approvers: distinct people whose valid approval of exactly
    this decision was checked by the caller.
    """
    try:
        return _decided(proposal, facts, history, limits, policies, approvers)
    except FAILURES as error:
        because = (
            Because(
                policy="engine.error",
                reason=f"the gate failed: {type(error).__name__}: {filled(str(error), {})}",
            ),
        )
        return PolicyDecision(
            decision=Outcome.DENY,
            would_be=Outcome.DENY,
            mode=facts.mode,
            because=because,
            would_be_because=because,
            approvers_needed=0,
            digests=Digests(
                proposal="",
                facts="",
                bound_facts="",
                history="",
                limits="",
                policies="",
            ),
        )


def _decided(
    proposal: Proposal,
    facts: Facts,
    history: History | None,
    limits: Limits,
    policies: Policies,
    approvers: int,
) -> PolicyDecision:
    reads = policies.book.reads_of.get(proposal.action.value, frozenset())
    inputs = Inputs(
        proposal=proposal,
        facts=facts,
        history=history,
        limits=limits,
        cells=policies.cells,
        needed=needed_facts(proposal.action, reads),
    )
    base = context_of(inputs)
    enough = max(approvers, _approvers_needed(proposal.action, limits))
    contexts = [
        {**base, "mode": mode.value, "approvers": count}
        for mode in (facts.mode, Mode.APPROVE)
        for count in (approvers, enough)
    ]
    answers = policies.book.evaluate(
        [_query(proposal, context) for context in contexts]
    )
    now = _word(answers[0], answers[1], contexts[0])
    would = _word(answers[2], answers[3], contexts[2])
    return PolicyDecision(
        decision=now[0],
        would_be=would[0],
        mode=facts.mode,
        because=_merged(now[1], would[1]) if now[0] is not Outcome.ALLOW else now[1],
        would_be_because=would[1],
        approvers_needed=enough if now[0] is Outcome.NEEDS_APPROVAL else 0,
        digests=Digests(
            proposal=proposal.digest,
            facts=facts.digest,
            bound_facts=facts.bound_digest,
            history="unknown" if history is None else history.digest,
            limits=limits.digest,
            policies=policies.digest,
        ),
    )


def _approvers_needed(action: Action, limits: Limits) -> int:
    spec = SPECS.get(action)
    if spec is None or spec.reversible:
        return limits["approvers_min"]
    return max(limits["approvers_min"], limits["approvers_min_irreversible"])


def _query(proposal: Proposal, context: Mapping[str, Any]) -> Query:
    return Query(
        principal=(proposal.principal.kind.value, proposal.principal.name),
        action=proposal.action.value,
        resource=proposal.target.key,
        context=context,
    )


def _word(
    as_is: Verdict, approved: Verdict, context: Mapping[str, Any]
) -> tuple[Outcome, tuple[Because, ...]]:
    if as_is.allowed:
        return Outcome.ALLOW, tuple(_because(as_is.fired, context))
    errors = tuple(
        Because(policy="engine.error", reason=filled(error, {}))
        for error in (*as_is.errors, *approved.errors)[:1]
    )
    decisive = as_is if approved.allowed else approved
    because = (
        *errors,
        *_because(
            (policy for policy in decisive.fired if policy.effect == "forbid"), context
        ),
    )
    return (Outcome.NEEDS_APPROVAL if approved.allowed else Outcome.DENY), because or (
        DEFAULT_DENY,
    )


def _because(
    policies: Iterable[Policy], context: Mapping[str, Any]
) -> Iterable[Because]:
    for policy in policies:
        if policy.id in {MISSING, STALE}:
            key = "missing" if policy.id == MISSING else "stale"
            for name in context[key]:
                yield Because(
                    policy=f"{policy.id}.{name}",
                    reason=filled(
                        policy.reason, {**context, key: name.replace("_", " ")}
                    ),
                )
        else:
            yield Because(policy=policy.id, reason=filled(policy.reason, context))


def _merged(
    first: tuple[Because, ...], second: tuple[Because, ...]
) -> tuple[Because, ...]:
    modes = tuple(item for item in first if item.policy.startswith("mode."))
    rest = {
        item.policy: item
        for item in (*first, *second)
        if not item.policy.startswith("mode.")
    }
    return (*modes, *rest.values())
