"""The report as it leaves firstfault: schema `firstfault.report/v1` (DESIGN §8).

These pydantic models are the contract: the JSON Schema is generated from them and `--json` prints them.
Field order is the order of the document.
"""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

SCHEMA = "firstfault.report/v1"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class WindowPart(_Part):
    """A span of time; null is open."""

    start: datetime | None = None
    end: datetime | None = None


class EntityPart(_Part):
    """A named thing. node: the machine that it is part of or runs on, where that is known."""

    kind: str
    name: str
    node: str | None = None


class TargetPart(EntityPart):
    """What an action is aimed at. namespace, object_kind: of the object, where they are known (`HelmRelease`)."""

    namespace: str | None = None
    object_kind: str | None = None


class IncidentPart(_Part):
    """What was investigated."""

    id: str
    question: str
    opened_at: datetime | None
    window: WindowPart
    correlation_id: str


class DiagnosisPart(_Part):
    """What was concluded."""

    failure_class: str
    mechanism: str | None
    layer: str
    owner: Literal["platform", "application", "shared", "unknown"]
    culprit: EntityPart | None
    caused_by_change: dict[str, str] | None
    summary: str
    evidence: list[str]
    because: str = ""
    """Why this verdict word and no stronger one."""


class FirstFaultPart(_Part):
    """The fault that happened first, and the line it stands on."""

    at: datetime | None
    clock: Literal["utc", "uptime", "position"]
    raw_time: str
    uncertainty_s: float | None
    entity: EntityPart
    signal: str
    evidence: list[str]
    path: str
    line: int


class TimelinePart(_Part):
    """One signal in order, with its role and the reason for the role."""

    at: datetime | None
    uncertainty_s: float | None
    clock: Literal["utc", "uptime", "position"]
    raw_time: str
    uptime_s: float | None
    entity: EntityPart
    signal: str
    count: int
    others: int = 0
    """How many other things said the same and have no entry of their own."""
    role: Literal["cause", "echo", "symptom", "context"]
    because: str
    evidence: list[str]


class CommonCausePart(_Part):
    """What affected nodes share."""

    dimension: str
    value: str
    affected: int
    total: int
    lift: float
    p_value: float
    evidence: list[str]


class HypothesisPart(_Part):
    """One hypothesis and where it stands."""

    failure_class: str
    mechanism: str | None
    verdict: Literal["supported", "ruled_out", "untested"]
    because: str
    supporting: list[str]
    contradicting: list[str]
    missing: list[str]
    rank_key: list[str]


class PolicyPart(_Part):
    """What the gate said. `would_be`: the same facts in approve mode."""

    decision: Literal["ALLOW", "NEEDS_APPROVAL", "DENY"]
    would_be: Literal["ALLOW", "NEEDS_APPROVAL", "DENY"]
    mode: str
    determining: list[str]
    reasons: list[str]


class RecommendationPart(_Part):
    """One recommended action with the gate's word."""

    action: str
    target: TargetPart
    why: str
    reversible: bool
    evidence: list[str]
    parameters: dict[str, str] = Field(default_factory=dict)
    policy: PolicyPart


class DoNotPart(_Part):
    """A tempting wrong action."""

    action: str
    why: str
    evidence: list[str]


class SimilarPart(_Part):
    """A past incident that resembles this one."""

    id: str
    shared: list[str]
    differences: list[str]
    resolution: str | None
    outcome: str | None


class GapPart(_Part):
    """What could not be seen, and what it would tell."""

    source: str
    entity: EntityPart | None
    why: str
    would_tell: str


class EvidencePart(_Part):
    """One excerpt with where to check it."""

    id: str
    source: str
    query: str
    entity: EntityPart | None
    at: datetime | None
    window: WindowPart | None
    excerpt: str
    path: str
    line_start: int
    line_end: int
    link: str | None
    sha256: str
    fetched_at: datetime | None = None


class DroppedClaimPart(_Part):
    """A sentence that did not pass the check."""

    text: str
    why: str


class ModelPart(_Part):
    """What the model cost. None = could not be known."""

    name: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    cost_usd: float | None


class AuditPart(_Part):
    """The trail of this report."""

    events: int
    head_digest: str


class Report(_Part):
    """One report, schema `firstfault.report/v1`."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, serialize_by_alias=True)

    schema_: Literal["firstfault.report/v1"] = Field(default=SCHEMA, alias="schema")
    incident: IncidentPart
    verdict: Literal["CONFIRMED", "LIKELY", "INCONCLUSIVE", "NO_FAULT"]
    diagnosis: DiagnosisPart
    first_fault: FirstFaultPart | None
    timeline: list[TimelinePart]
    common_causes: list[CommonCausePart]
    hypotheses: list[HypothesisPart]
    recommendations: list[RecommendationPart]
    do_not: list[DoNotPart]
    similar_incidents: list[SimilarPart]
    gaps: list[GapPart]
    evidence: list[EvidencePart]
    claims_dropped: list[DroppedClaimPart]
    model: ModelPart | None
    agent_version: str = ""
    """Of the package and of everything that decides a diagnosis; empty in reports of before it was noted."""
    audit: AuditPart
