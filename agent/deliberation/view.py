"""What a deliberation is given and what it gives back."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from firstfault.agent.findings import Diagnosis, Hypothesis, Incident, TimelineEntry
from firstfault.agent.grounding.claims import Claim, Dropped
from firstfault.agent.model.budget import Budget, Stop
from firstfault.tools.context import ReadContext
from firstfault.tools.entities import EntityRef
from firstfault.tools.evidence import Coverage, Document, Evidence, Gap

Check = Callable[[Sequence[Claim], Sequence[Evidence]], Sequence[Dropped]]
"""What grounding has against claims, given the evidence that they may cite."""


def nothing_against(claims: Sequence[Claim], evidence: Sequence[Evidence]) -> Sequence[Dropped]:
    """Return no objection: claims are checked later."""
    del claims, evidence
    return ()


@dataclass(frozen=True, kw_only=True)
class DeliberationView:
    """Everything a model may be shown or may point at.

    evidence: what the findings cite. entities: what reads may be about; nothing else can be asked for.
    redact: applied to every text of a source before it is shown. glosses: signal name → its meaning.
    check: lets a model reword once what would be dropped; it is not the check that counts.
    """

    incident: Incident
    timeline: tuple[TimelineEntry, ...] = ()
    hypotheses: tuple[Hypothesis, ...] = ()
    diagnosis: Diagnosis | None = None
    gaps: tuple[Gap, ...] = ()
    coverage: tuple[Coverage, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    documents: tuple[Document, ...] = ()
    entities: tuple[EntityRef, ...] = ()
    context: ReadContext
    redact: Callable[[str], str]
    glosses: Mapping[str, str] = field(default_factory=dict[str, str])
    check: Check = nothing_against


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Lines that a model says point at something no class describes. said: its own words, to be grounded."""

    said: Claim
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deliberation:
    """What came of it. Nothing in here has moved a verdict.

    documents: read for the first time; they go through extract like all others. coverage, gaps: of those reads, and of
    the model itself. results: whole tables that were shown in part. signals: lines pointed at, role context.
    claims: to be grounded. rejected: proposals that did not check out. evidence: what claims and proposals cite.
    """

    documents: tuple[Document, ...] = ()
    coverage: tuple[Coverage, ...] = ()
    gaps: tuple[Gap, ...] = ()
    results: tuple[Document, ...] = ()
    signals: tuple[TimelineEntry, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    claims: tuple[Claim, ...] = ()
    rejected: tuple[Dropped, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    budget: Budget
    stop: Stop
