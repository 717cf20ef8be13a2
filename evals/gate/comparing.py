"""Which stored decisions would be others under other policies."""

from collections.abc import Iterable
from dataclasses import dataclass

from firstfault.agent.store.decisions import DecisionRecord
from firstfault.policies import Limits, Policies, PolicyDecision, decide


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """One stored decision under both sets of policies."""

    record: DecisionRecord
    before: PolicyDecision
    after: PolicyDecision


def changed_decisions(
    records: Iterable[DecisionRecord], limits: Limits, old: Policies, new: Policies
) -> tuple[Changed, ...]:
    """Return the decisions whose word, or whose word in approve mode, differs between `old` and `new`."""
    both = (
        Changed(record=record, before=_again(record, limits, old), after=_again(record, limits, new))
        for record in records
    )
    return tuple(each for each in both if _words(each.before) != _words(each.after))


def _again(record: DecisionRecord, limits: Limits, policies: Policies) -> PolicyDecision:
    return decide(record.proposal, record.facts, record.history, limits, policies)


def _words(decision: PolicyDecision) -> tuple[object, ...]:
    return (decision.decision, decision.would_be)
