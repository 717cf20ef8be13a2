"""Hypothesis strategies for the gate's inputs: mostly well-behaved worlds, each spoiled in a few places."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache
from typing import Any, cast

import cedarpy
from hypothesis import settings
from hypothesis import strategies as st

from firstfault.agent.gate.files import load_policies
from firstfault.policies import (
    Action,
    Certainty,
    Facts,
    History,
    Limits,
    Mode,
    PastAction,
    Policies,
    Proposal,
)
from firstfault.policies.actions import EXECUTABLE
from firstfault.policies.cedar import Query, compile_policies
from firstfault.policies.history import Ending
from firstfault.policies.limits import Limit, Tighter
from firstfault.policies.proposals import Principal, PrincipalKind
from tests.policies.worlds import (
    ALL_FACTS,
    NODE,
    NOW,
    builtin_texts,
    facts,
    limits,
    policies,
    proposal,
    schema_text,
)

SPOILED: Mapping[str, tuple[Any, ...]] = {
    "node_identity": (None, "other"),
    "node_role": (None, "control_plane"),
    "cordon_owner": (None, "nobody", "other"),
    "node_drained": (None, False),
    "lease_holder": (None, "other"),
    "checkpoint_location": ("pvc/ckpt", None),
    "job_controller": (None, "Deployment"),
    "pool": (None, "", "a100"),
    "rack": (None, "", "r2"),
    "switch": (None, "", "leaf1"),
    "job": (None, "", "research/other"),
    "shared_cause_by": (None, "switch leaf0: 3 of 16"),
}
NUMBERS = (None, 0, 1, 2, 3, 17, 3600, 3601, 2**53)
FLAGS = (None, True, False)
SITE_POLICIES = (
    '@id("site.no_weekends") @reason("never") forbid (principal, action in Action::"executes", resource);',
    """@id("site.h100_asks") @reason("ask") forbid (principal, action in Action::"disruptive", resource)
    when { context.facts has pool && context.facts.pool == "h100" && context.approvers < 1 };""",
    """@id("site.careful") @reason("careful") forbid (principal, action, resource)
    when { context.facts has longest_grace_s && context.facts.longest_grace_s > 20 && context.mode != "none" }
    unless { ["none_wait", "cordon_node"].contains(context.proposal.action) };""",
    """@id("site.two") @reason("two people") forbid (principal, action in Action::"delegated", resource)
    when { context.approvers < 2 };""",
)


FULL = 5_000


def tries(sample: int) -> settings:
    """Return settings that try `sample` examples in `make test`, and at least as many as the profile says in full runs."""
    is_full = settings.get_current_profile_name() in {"attacks", "laws"}
    return settings(max_examples=max(sample, FULL) if is_full else sample)


def _values_of(name: str) -> tuple[Any, ...]:
    if name in SPOILED:
        return SPOILED[name]
    sample = facts().known().get(name)
    return FLAGS if isinstance(sample, bool) or name == "change_revertible" else NUMBERS


def spoilings() -> st.SearchStrategy[dict[str, Any]]:
    """Return a few facts with unusual values."""
    one = st.sampled_from(ALL_FACTS).flatmap(
        lambda name: st.tuples(st.just(name), st.sampled_from(_values_of(name)))
    )
    return st.lists(one, max_size=2).map(dict)


def _world(mode: Mode, changes: dict[str, Any], roll: int) -> Facts:
    return facts(mode, **changes, **({"as_of": None} if roll == 13 else {}))


def worlds() -> st.SearchStrategy[Facts]:
    """Return facts in any mode, spoiled in a few places, one in sixteen without a clock."""
    return st.builds(_world, st.sampled_from(Mode), spoilings(), st.integers(0, 15))


DOUBTS: tuple[dict[str, Any], ...] = (
    {"certainty": Certainty.LIKELY},
    {"certainty": Certainty.INCONCLUSIVE},
    {"families": frozenset({"kernel"})},
    {"families": frozenset()},
    {"evidence": frozenset()},
    {"known_signature": False},
    {"failure_class": "unknown"},
    {"failure_class": "gpu.row_remap_failure"},
    {"principal": Principal(kind=PrincipalKind.HUMAN, name="ada")},
    {"expires_at": None},
    {"expires_at": NOW - timedelta(seconds=1)},
    {"proposed_at": NOW + timedelta(minutes=1)},
)


def _doubted(action: Action, changes: dict[str, Any]) -> Proposal:
    return proposal(action, **changes)


def proposals() -> st.SearchStrategy[Proposal]:
    """Return proposals for any action, most of them well founded, some with one doubt."""
    return st.builds(
        _doubted,
        st.sampled_from((*sorted(EXECUTABLE), Action.NONE_WAIT)),
        st.sampled_from(({}, {}, {}, {}, {}, {}, *DOUBTS)),
    )


def past_actions() -> st.SearchStrategy[PastAction]:
    """Return one ledger row, on the usual target or elsewhere, in the last eight days or slightly in the future."""
    return st.builds(
        PastAction,
        action=st.sampled_from(sorted(EXECUTABLE)),
        target=st.sampled_from(
            (f"node//{NODE}", "node//gpu-00009", "pod/research/trainer-0", "job/research/llm")
        ),
        at=st.integers(-30, 8 * 86_400).map(lambda ago: NOW - timedelta(seconds=ago)),
        ending=st.sampled_from(Ending),
    )


def histories() -> st.SearchStrategy[History]:
    """Return a ledger with a few rows and breakers."""
    scopes = st.sampled_from(
        ("cluster", "pool/h100", "rack/r1", "rack/r2", "switch/leaf0", "job/research/llm")
    )
    breakers = st.one_of(
        st.just(frozenset[str]()), st.just(frozenset[str]()), st.frozensets(scopes, max_size=1), st.none()
    )
    return st.builds(History.of, st.lists(past_actions(), max_size=2), breakers)


@cache
def with_site(texts: frozenset[str]) -> Policies:
    """Return the built-in policies with some of the site policies."""
    if not texts:
        return policies()
    site = {f"{at}.cedar": text for at, text in enumerate(sorted(texts))}
    return Policies(book=compile_policies(builtin_texts(), schema_text(), site), cells=load_policies().cells)


@dataclass(frozen=True, slots=True)
class Whole:
    """All policies in one set, asked without any of our own code between."""

    policies: cedarpy.PolicySet
    entities: str

    def said(self, query: Query) -> tuple[bool, set[str]]:
        """Return whether it is allowed, and the ids of the policies that determined it."""
        request = {
            "principal": {"type": query.principal[0], "id": query.principal[1]},
            "action": {"type": "Action", "id": query.action},
            "resource": {"type": "Target", "id": query.resource},
            "context": dict(query.context),
        }
        answer = cast("Any", cedarpy).is_authorized(request, self.policies, self.entities)
        return answer.allowed, set(answer.diagnostics.id_annotations_by_reason.values())


@cache
def whole(texts: frozenset[str]) -> Whole:
    """Return the built-in policies and some of the site policies, as Cedar reads their text."""
    schema = cedarpy.Schema.from_str(schema_text())
    entities = str(cast("Any", cedarpy).Entities.from_json_str("[]", schema))
    text = "\n".join((*builtin_texts().values(), *sorted(texts)))
    return Whole(cedarpy.PolicySet.from_str(text), entities)


def site_sets() -> st.SearchStrategy[frozenset[str]]:
    """Return some of the site policies."""
    return st.frozensets(st.sampled_from(SITE_POLICIES), max_size=2)


def tightened(limit: Limit, by: int) -> Limits:
    """Return the built-in limits with one of them stricter."""
    value = max(0, limit.value - by) if limit.tighter is Tighter.LOWER else limit.value + by
    return Limits(items={**limits().items, limit.name: replace(limit, value=value)})
