"""What we think: ordered signals with roles, tested hypotheses, and what follows from them (DESIGN §4, §5).

These are plain frozen values; every stage of the flow is a pure function from some of them to others.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from firstfault.policies.actions import Action
from firstfault.tools.entities import EntityRef
from firstfault.tools.evidence import Evidence, Gap
from firstfault.tools.signals import Signal


class Verdict(StrEnum):
    """The only words for how sure a report is; code chooses them (DESIGN §5, Verdict words)."""

    CONFIRMED = "CONFIRMED"
    LIKELY = "LIKELY"
    INCONCLUSIVE = "INCONCLUSIVE"
    NO_FAULT = "NO_FAULT"


class Role(StrEnum):
    """What a signal is in the chain of events."""

    CAUSE = "cause"
    ECHO = "echo"
    SYMPTOM = "symptom"
    CONTEXT = "context"


class Standing(StrEnum):
    """Where a hypothesis stands after its tests. Ruled out is never the same as not seen."""

    SUPPORTED = "supported"
    RULED_OUT = "ruled_out"
    UNTESTED = "untested"


class Owner(StrEnum):
    """Who must act."""

    PLATFORM = "platform"
    APPLICATION = "application"
    SHARED = "shared"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """What is investigated. opened_at: aware UTC; as_of: nothing later is visible."""

    id: str
    question: str
    correlation_id: str
    opened_at: datetime | None = None
    window_start: datetime | None = None
    window_end: datetime | None = None
    as_of: datetime | None = None
    environment: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEntry:
    """One signal with its role and the reason for the role."""

    signal: Signal
    role: Role
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonCause:
    """A key that affected nodes share more than chance allows. p_value is corrected for the number of keys tested."""

    dimension: str
    value: str
    affected: int
    total: int
    lift: float
    p_value: float
    members: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypothesis:
    """One failure class after its tests.

    rank_key: what the ranking compared, in order, shown as it is (DESIGN §5, Ranking).
    missing: the sources an untested hypothesis would need. culprit: what is at fault if it is true.
    families: the independent families of machine evidence that speak for it, as the verdict counts them.
    """

    failure_class: str
    standing: Standing
    because: str
    mechanism: str | None = None
    owner: Owner = Owner.UNKNOWN
    culprit: EntityRef | None = None
    first: Signal | None = None
    supporting: tuple[Evidence, ...] = ()
    contradicting: tuple[Evidence, ...] = ()
    missing: tuple[Gap, ...] = ()
    families: tuple[str, ...] = ()
    decisive: bool = False
    rank_key: tuple[str, ...] = ()
    change: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """One action or advice, why, and on what evidence; the gate's decision is joined later.

    parameters: what is said besides the target, by the names of `policies/parameters.py`.
    """

    action: Action
    target: EntityRef
    why: str
    reversible: bool
    evidence: tuple[Evidence, ...] = ()
    parameters: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class DoNot:
    """A tempting wrong action, and why not."""

    action: str
    why: str
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What the investigation concluded."""

    verdict: Verdict
    failure_class: str
    summary: str
    mechanism: str | None = None
    layer: str = "unknown"
    owner: Owner = Owner.UNKNOWN
    culprit: EntityRef | None = None
    first_fault: Signal | None = None
    caused_by_change: Mapping[str, str] | None = None
    evidence: tuple[Evidence, ...] = ()
    because: str = ""
