"""The gate: `decide` is total and pure. Any error inside is a denial with the error as its reason.

NEEDS_APPROVAL means: denied as things stand, allowed if enough people approved. `would_be` answers the same question as
if the cell were in approve mode.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from firstfault.policies.actions import SPECS
from firstfault.policies.canonical import digest
from firstfault.policies.cedar import Policy, PolicyBook, Query
from firstfault.policies.cells import Cells
from firstfault.policies.contexts import Inputs, context_of, needed_facts
from firstfault.policies.decision import Because, Digests, Outcome, PolicyDecision
from firstfault.policies.facts import Facts, bound_facts
from firstfault.policies.history import History
from firstfault.policies.limits import Limits
from firstfault.policies.modes import Mode
from firstfault.policies.proposals import Proposal
from firstfault.policies.reasons import filled
from firstfault.policies.words import said

FACTS = "facts."
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

    @cached_property
    def digest(self) -> str:
        """Return the digest of both."""
        return digest([self.book.digest, self.cells.digest])


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One outcome and the policies behind it."""

    outcome: Outcome
    because: tuple[Because, ...]


def decide(
    proposal: Proposal, facts: Facts, history: History | None, limits: Limits, policies: Policies
) -> PolicyDecision:
    """Return the gate's word on `proposal`; equal inputs give equal bytes, in any process. Never raises.

    history: None when the ledger could not be read, which denies.
    """
    try:
        return _decided(inputs_of(proposal, facts, history, limits, policies), policies)
    except FAILURES as error:
        return _failed(error, facts)


def inputs_of(
    proposal: Proposal,
    facts: Facts,
    history: History | None,
    limits: Limits,
    policies: Policies,
) -> Inputs:
    """Return everything the decision is made from, with what the policies over the action need to know."""
    action = proposal.action.value
    return Inputs(
        proposal=proposal,
        facts=facts,
        history=history,
        limits=limits,
        cells=policies.cells,
        needed=needed_facts(proposal.action, policies.book.reads_of.get(action, frozenset())),
        spoken=policies.book.speaks_of.get(action, {}),
        known=facts.known(),
    )


def _decided(inputs: Inputs, policies: Policies) -> PolicyDecision:
    base = context_of(inputs)
    now = word_in(inputs, policies.book, base, inputs.facts.mode)
    would = now if inputs.facts.mode is Mode.APPROVE else word_in(inputs, policies.book, base, Mode.APPROVE)
    return PolicyDecision(
        decision=now.outcome,
        would_be=would.outcome,
        mode=inputs.facts.mode,
        because=now.because if now.outcome is Outcome.ALLOW else _merged(now, would),
        would_be_because=would.because,
        approvers_needed=enough_approvers(inputs) if now.outcome is Outcome.NEEDS_APPROVAL else 0,
        digests=_digests(inputs, policies),
    )


def word_in(inputs: Inputs, book: PolicyBook, base: Mapping[str, Any], mode: Mode) -> Word:
    """Return the outcome in one mode: first with enough approvals, because what is denied then is denied anyhow."""
    enough = {**base, "mode": mode.value, "approvers": enough_approvers(inputs)}
    approved = book.evaluate(_query(inputs.proposal, enough))
    if approved.errors:
        return Word(outcome=Outcome.DENY, because=(_engine_error(approved.errors[0]),))
    if not approved.allowed:
        return Word(outcome=Outcome.DENY, because=tuple(_because(approved.fired, enough)) or (DEFAULT_DENY,))
    given = {**enough, "approvers": inputs.facts.approvers}
    as_is = book.evaluate(_query(inputs.proposal, given))
    if as_is.errors:
        return Word(outcome=Outcome.DENY, because=(_engine_error(as_is.errors[0]),))
    return Word(
        outcome=Outcome.ALLOW if as_is.allowed else Outcome.NEEDS_APPROVAL,
        because=tuple(_because(as_is.fired, given)),
    )


def enough_approvers(inputs: Inputs) -> int:
    """Return how many approvals count as enough for the action; never fewer than it already has."""
    spec, limits = SPECS.get(inputs.proposal.action), inputs.limits
    needed = limits["approvers_min"]
    if spec is not None and not spec.reversible:
        needed = max(needed, limits["approvers_min_irreversible"])
    return max(needed, inputs.facts.approvers)


def _query(proposal: Proposal, context: Mapping[str, Any]) -> Query:
    return Query(
        principal=(proposal.principal.kind.value, proposal.principal.name),
        action=proposal.action.value,
        resource=proposal.target.key,
        context=context,
    )


def _because(policies: Iterable[Policy], context: Mapping[str, Any]) -> Iterable[Because]:
    for policy in policies:
        if policy.id in {MISSING, STALE}:
            key = policy.id.removeprefix(FACTS)
            for name in context[key]:
                yield Because(
                    policy=f"{policy.id}.{name}",
                    reason=filled(policy.reason, {**context, key: said(name)}),
                )
        else:
            yield Because(policy=policy.id, reason=filled(policy.reason, context))


def _merged(now: Word, would: Word) -> tuple[Because, ...]:
    """Return both, each policy once: what the mode says, then substance, then what is missing."""
    against = would.because if would.outcome is not Outcome.ALLOW else ()
    found = {item.policy: item for item in (*now.because, *against)}
    return tuple(sorted(found.values(), key=lambda item: _rank(item.policy)))


def _rank(policy: str) -> int:
    return 0 if policy.startswith("mode.") else 2 if policy.startswith((f"{MISSING}.", f"{STALE}.")) else 1


def _digests(inputs: Inputs, policies: Policies) -> Digests:
    return Digests(
        proposal=inputs.proposal.digest,
        facts=inputs.facts.digest,
        bound_facts=digest(bound_facts(inputs.known, inputs.bound)),
        history="unknown" if inputs.history is None else inputs.history.digest,
        limits=inputs.limits.digest,
        policies=policies.digest,
    )


def _engine_error(error: str) -> Because:
    return Because(policy="engine.error", reason=filled(error.replace("{", "("), {}))


def _failed(error: Exception, facts: Facts) -> PolicyDecision:
    because = (_engine_error(f"the gate failed: {type(error).__name__}: {error}"),)
    return PolicyDecision(
        decision=Outcome.DENY,
        would_be=Outcome.DENY,
        mode=facts.mode,
        because=because,
        would_be_because=because,
        approvers_needed=0,
        digests=Digests(proposal="", facts="", bound_facts="", history="", limits="", policies=""),
    )
