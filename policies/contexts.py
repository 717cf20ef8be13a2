"""The context that policies see, built from the gate's inputs: pure, total over well-typed inputs, in one place."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any

from firstfault.policies.actions import SPECS, Action, ActionSpec
from firstfault.policies.cells import Cells
from firstfault.policies.facts import GROUP_OF_FACT, GROUPS, Facts, Scalar
from firstfault.policies.history import History, HistoryNumbers, summarize
from firstfault.policies.limits import Limits
from firstfault.policies.parameters import fits
from firstfault.policies.proposals import Proposal
from firstfault.policies.targets import Target, TargetKind


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """Everything one decision is made from.

    needed: the facts it cannot be made without. spoken: part of the context → the fields that any policy over the action looks
    at or shows. known: the facts that are known, by name.
    """

    proposal: Proposal
    facts: Facts
    history: History | None
    limits: Limits
    cells: Cells
    needed: frozenset[str]
    spoken: Mapping[str, frozenset[str]]
    known: Mapping[str, Scalar]

    @property
    def bound(self) -> frozenset[str]:
        """Return the facts that an approval of this action is bound to: all that it depends on."""
        return self.needed | self.spoken.get("facts", frozenset())


def context_of(inputs: Inputs) -> dict[str, Any]:
    """Return the context of one request, without mode and approvals: only what a policy over the action speaks of.

    What is left out cannot be missed: a policy that read it would be one that speaks of it.
    """
    return narrowed(whole_context(inputs), inputs.spoken)


def narrowed(context: Mapping[str, Any], spoken: Mapping[str, frozenset[str]]) -> dict[str, Any]:
    """Return the context with only those fields of its records that `spoken` names."""
    parts = {name: context[name] for name in context.keys() & _PARTS}
    return {**context, **{name: _spoken(part, spoken.get(name)) for name, part in parts.items()}}


_PARTS = frozenset({"proposal", "facts", "limits", "history"})


def _spoken(part: Mapping[str, Any], names: frozenset[str] | None) -> dict[str, Any]:
    return {name: value for name, value in part.items() if name in (names or ())}


def whole_context(inputs: Inputs) -> dict[str, Any]:
    """Return everything that policies may speak of, without mode and approvals."""
    missing = {name for name in inputs.needed if name not in inputs.known}
    context: dict[str, Any] = {
        "proposal": _proposal(inputs),
        "facts": inputs.known,
        "limits": inputs.limits.values,
        "stale": sorted(_stale(inputs)),
    }
    as_of = inputs.facts.as_of
    if as_of is None:
        missing.add("clock")
    elif inputs.history is not None:
        context["history"] = _history(inputs, inputs.history, as_of)
    if not _is_named(inputs.proposal.target):
        is_undoing = inputs.proposal.action is Action.ROLLBACK_CHANGE
        missing = missing - _OF_CHANGED_OBJECT | {"changed_object"} if is_undoing else missing | {"target"}
    if inputs.history is None:
        missing.add("history")
    elif inputs.history.open_breakers is None:
        missing.add("breakers")
    context["missing"] = sorted(missing) if inputs.proposal.action.executes else []
    return context


def needed_facts(action: Action, reads: frozenset[str]) -> frozenset[str]:
    """Return the facts an action cannot be decided without: its own list and whatever any forbid over it looks at."""
    spec = SPECS.get(action)
    return frozenset() if spec is None else frozenset(spec.requires) | reads


def scopes_of(proposal: Proposal, facts: Facts) -> frozenset[str]:
    """Return the scopes whose breakers count: the whole cluster, the target, and those the action requires to be known."""
    spec = SPECS.get(proposal.action)
    required = () if spec is None else spec.requires
    named = {
        "pool": facts.fleet.pool,
        "rack": facts.fleet.rack,
        "switch": facts.fleet.switch,
        "job": facts.fleet.job,
    }
    inside = (f"{kind}/{name}" for kind, name in named.items() if name and kind in required)
    return frozenset({"cluster", proposal.target.key, *inside})


def _proposal(inputs: Inputs) -> dict[str, Any]:
    proposal, target = inputs.proposal, inputs.proposal.target
    spec = SPECS.get(proposal.action)
    left = _expires_in_s(inputs)
    return {
        "action": proposal.action.value,
        "failure_class": proposal.failure_class,
        "verdict": proposal.certainty.value,
        "strength": proposal.certainty.strength,
        "evidence": len(proposal.evidence),
        "families": len(proposal.families),
        "known_signature": proposal.known_signature,
        "indicated": inputs.cells.indicates(proposal.failure_class, proposal.action),
        "expired": inputs.facts.as_of is not None and (left is None or left <= 0),
        "expires_in_s": left or 0,
        "expired_for_s": max(0, -(left or 0)),
        "target_name": target.name,
        "target_kind": target.kind.value,
        "target_namespace": target.namespace or "",
        "target_node": target.name if target.kind is TargetKind.NODE else target.node or "",
        "target_well_formed": target.is_well_formed,
        "target_fits": spec is not None and target.kind in spec.targets,
        "parameters_fit": spec is not None and _parameters_fit(spec, proposal.parameters),
    }


def _is_named(target: Target) -> bool:
    return bool(target.name) and (target.kind in _CLUSTER_WIDE or bool(target.namespace))


def _parameters_fit(spec: ActionSpec, said: Mapping[str, str]) -> bool:
    return all(name in spec.parameters and fits(name, text) for name, text in said.items())


_CLUSTER_WIDE = frozenset({TargetKind.NODE, TargetKind.GPU})
_OF_CHANGED_OBJECT = frozenset(
    {"change_revertible", "change_touches_storage", "protected_pods", "target_opted_out"}
)
"""Facts about the object that a change was made to: as long as it is not known, that it is not is all there is to say."""


def _expires_in_s(inputs: Inputs) -> int | None:
    expires, as_of = inputs.proposal.expires_at, inputs.facts.as_of
    proposed = inputs.proposal.proposed_at
    if expires is None or as_of is None or proposed is None or proposed > as_of + _skew(inputs):
        return None
    return int((expires - as_of).total_seconds())


def _skew(inputs: Inputs) -> timedelta:
    return timedelta(seconds=inputs.limits["clock_skew_max_s"])


def _stale(inputs: Inputs) -> set[str]:
    """Return the groups whose needed facts are too old, undated, or from the future of the clock that judges them."""
    as_of = inputs.facts.as_of
    groups = {GROUP_OF_FACT[name] for name in inputs.needed if name in inputs.known}
    if as_of is None:
        return set()
    stale: set[str] = set()
    for group in GROUPS:
        read_at = inputs.facts.observed_at(group)
        if group not in groups:
            continue
        oldest = as_of - timedelta(seconds=inputs.limits[f"{group}_facts_max_age_s"])
        if read_at is None or read_at < oldest or read_at > as_of + _skew(inputs):
            stale.add(group)
    return stale


def _history(inputs: Inputs, history: History, as_of: datetime) -> dict[str, Any]:
    scopes = scopes_of(inputs.proposal, inputs.facts)
    numbers = summarize(history, inputs.proposal.action, inputs.proposal.target.key, scopes, as_of)
    found = {each.name: getattr(numbers, each.name) for each in fields(HistoryNumbers)}
    found["open_breakers"] = list(numbers.open_breakers)
    return {name: value for name, value in found.items() if value is not None}
