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
from firstfault.policies.cedar import Policy, PolicyBook, Query, Settled, Verdict
from firstfault.policies.cells import Cells
from firstfault.policies.contexts import Inputs, context_of, narrowed, needed_facts
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


@dataclass(frozen=True, kw_only=True)
class _Question:
    """One proposal before the book. base: the context without mode and approvals. settled: what holds whatever they are."""

    inputs: Inputs
    book: PolicyBook
    base: Mapping[str, Any]
    moving: Mapping[str, Any]
    settled: Settled

    @classmethod
    def of(cls, inputs: Inputs, book: PolicyBook) -> "_Question":
        base = context_of(inputs)
        action = inputs.proposal.action.value
        moving = narrowed(base, book.moving_speaks_of.get(action, {}))
        asked = {**base, "mode": Mode.SHADOW.value, "approvers": 0}
        return cls(
            inputs=inputs,
            book=book,
            base=base,
            moving=moving,
            settled=book.settle(_query(inputs.proposal, asked)),
        )

    def verdict(self, mode: Mode, approvers: int) -> tuple[Verdict, dict[str, Any]]:
        """Return the answer in one mode with some approvals, and the context that its reasons are filled from."""
        said = {"mode": mode.value, "approvers": approvers}
        query = _query(self.inputs.proposal, {**self.moving, **said})
        return self.book.evaluate(query, self.settled), {**self.base, **said}


def _decided(inputs: Inputs, policies: Policies) -> PolicyDecision:
    question = _Question.of(inputs, policies.book)
    now = _word_in(question, inputs.facts.mode)
    would = now if inputs.facts.mode is Mode.APPROVE else _word_in(question, Mode.APPROVE)
    return PolicyDecision(
        decision=now.outcome,
        would_be=would.outcome,
        mode=inputs.facts.mode,
        because=now.because if now.outcome is Outcome.ALLOW else _merged(now, would),
        would_be_because=would.because,
        approvers_needed=enough_approvers(inputs) if now.outcome is Outcome.NEEDS_APPROVAL else 0,
        digests=_digests(inputs, policies),
    )


def _word_in(question: _Question, mode: Mode) -> Word:
    """Return the outcome in one mode: first with enough approvals, because what is denied then is denied anyhow."""
    approved, context = question.verdict(mode, enough_approvers(question.inputs))
    if approved.errors:
        return Word(outcome=Outcome.DENY, because=(_engine_error(approved.errors[0]),))
    if not approved.allowed:
        return Word(outcome=Outcome.DENY, because=tuple(_because(approved.fired, context)) or (DEFAULT_DENY,))
    as_is, context = question.verdict(mode, question.inputs.facts.approvers)
    if as_is.errors:
        return Word(outcome=Outcome.DENY, because=(_engine_error(as_is.errors[0]),))
    return Word(
        outcome=Outcome.ALLOW if as_is.allowed else Outcome.NEEDS_APPROVAL,
        because=tuple(_because(as_is.fired, context)),
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
        facts=inputs.facts.digest_of(inputs.known),
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
