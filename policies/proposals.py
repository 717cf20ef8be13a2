"""What is put before the gate: one action on one target, why, and on how much evidence."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from firstfault.policies.actions import Action
from firstfault.policies.canonical import digest
from firstfault.policies.targets import Target


class Certainty(StrEnum):
    """How sure the diagnosis is, in the report's verdict words."""

    NO_FAULT = "NO_FAULT"
    INCONCLUSIVE = "INCONCLUSIVE"
    LIKELY = "LIKELY"
    CONFIRMED = "CONFIRMED"

    @property
    def strength(self) -> int:
        """Return 0 for what names no cause, 1 for LIKELY, 2 for CONFIRMED."""
        return {Certainty.LIKELY: 1, Certainty.CONFIRMED: 2}.get(self, 0)


class PrincipalKind(StrEnum):
    """Who asks; both pass the same gate."""

    AGENT = "Agent"
    HUMAN = "Human"


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """Who asks for the action."""

    kind: PrincipalKind = PrincipalKind.AGENT
    name: str = "firstfault"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """One action that was recommended or asked for.

    evidence: ids, as a set. families: the independent families of machine evidence that agree, as the verdict counts them.
    known_signature: the diagnosis rests on a class definition's own decisive predicate, not on elimination.
    proposed_at, expires_at: aware UTC; a proposal without an expiry never passes.
    parameters: closed per action (`policies/parameters.py`), text only.
    """

    action: Action
    target: Target
    failure_class: str
    certainty: Certainty
    evidence: frozenset[str] = frozenset()
    families: frozenset[str] = frozenset()
    known_signature: bool = False
    principal: Principal = field(default_factory=Principal)
    incident_id: str = ""
    proposed_at: datetime | None = None
    expires_at: datetime | None = None
    parameters: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def digest(self) -> str:
        """Return the digest of everything in the proposal."""
        return digest(self)
