"""The report from what the stages found. Pure: the same findings give the same report."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from firstfault.agent.findings import (
    CommonCause,
    Diagnosis,
    DoNot,
    Hypothesis,
    Incident,
    Recommendation,
    TimelineEntry,
)
from firstfault.agent.report import contract
from firstfault.tools.entities import EntityRef
from firstfault.tools.evidence import Evidence, Gap
from firstfault.tools.signals import Signal
from firstfault.tools.times import Window

MAX_TIMELINE = 400
"""Entries shown; causes and the earliest of the rest are kept, the number left out becomes a gap."""
MAX_GAPS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """Everything a report is made of."""

    incident: Incident
    diagnosis: Diagnosis
    timeline: tuple[TimelineEntry, ...] = ()
    common_causes: tuple[CommonCause, ...] = ()
    hypotheses: tuple[Hypothesis, ...] = ()
    recommendations: tuple[tuple[Recommendation, contract.PolicyPart], ...] = ()
    do_not: tuple[DoNot, ...] = ()
    similar: tuple[contract.SimilarPart, ...] = ()
    gaps: tuple[Gap, ...] = ()
    more_evidence: tuple[Evidence, ...] = ()
    dropped: tuple[contract.DroppedClaimPart, ...] = ()
    model: contract.ModelPart | None = None


def build_report(findings: Findings, audit: contract.AuditPart) -> contract.Report:
    """Return the report; every evidence id used anywhere in it is in its evidence list, once, sorted by place."""
    timeline, left_out = _shortened(findings.timeline)
    gaps = _gaps((*findings.gaps, *left_out))
    cited = _cited(findings, timeline)
    return contract.Report(
        incident=_incident(findings.incident),
        verdict=findings.diagnosis.verdict.value,
        diagnosis=_diagnosis(findings.diagnosis),
        first_fault=_first_fault(findings.diagnosis.first_fault),
        timeline=[_timeline(entry) for entry in timeline],
        common_causes=[_common_cause(cause) for cause in findings.common_causes],
        hypotheses=[_hypothesis(hypothesis) for hypothesis in findings.hypotheses],
        recommendations=[_recommendation(item, policy) for item, policy in findings.recommendations],
        do_not=[
            contract.DoNotPart(action=d.action, why=d.why, evidence=_ids(d.evidence)) for d in findings.do_not
        ],
        similar_incidents=list(findings.similar),
        gaps=gaps,
        evidence=[_evidence(evidence) for evidence in cited],
        claims_dropped=list(findings.dropped),
        model=findings.model,
        audit=audit,
    )


def _incident(incident: Incident) -> contract.IncidentPart:
    return contract.IncidentPart(
        id=incident.id,
        question=incident.question,
        opened_at=incident.opened_at,
        window=contract.WindowPart(start=incident.window_start, end=incident.window_end),
        correlation_id=incident.correlation_id,
    )


def _diagnosis(diagnosis: Diagnosis) -> contract.DiagnosisPart:
    return contract.DiagnosisPart(
        failure_class=diagnosis.failure_class,
        mechanism=diagnosis.mechanism,
        layer=diagnosis.layer,
        owner=diagnosis.owner.value,
        culprit=_entity(diagnosis.culprit),
        caused_by_change=dict(diagnosis.caused_by_change) if diagnosis.caused_by_change else None,
        summary=diagnosis.summary,
        evidence=_ids(diagnosis.evidence),
        because=diagnosis.because,
    )


def _first_fault(signal: Signal | None) -> contract.FirstFaultPart | None:
    if signal is None:
        return None
    return contract.FirstFaultPart(
        at=signal.stamp.at,
        clock=signal.stamp.clock.value,
        raw_time=signal.stamp.raw,
        uncertainty_s=signal.stamp.uncertainty_s,
        entity=_named(signal.entity),
        signal=signal.name,
        evidence=_ids(signal.all_evidence),
        path=signal.evidence.path,
        line=signal.evidence.line_start,
    )


def _timeline(entry: TimelineEntry) -> contract.TimelinePart:
    stamp = entry.signal.stamp
    return contract.TimelinePart(
        at=stamp.at,
        uncertainty_s=stamp.uncertainty_s,
        clock=stamp.clock.value,
        raw_time=stamp.raw,
        uptime_s=stamp.uptime_s,
        entity=_named(entry.signal.entity),
        signal=entry.signal.name,
        count=entry.signal.count,
        others=entry.signal.others,
        role=entry.role.value,
        because=entry.because,
        evidence=_ids(entry.signal.all_evidence),
    )


def _shortened(
    timeline: Sequence[TimelineEntry],
) -> tuple[Sequence[TimelineEntry], tuple[Gap, ...]]:
    if len(timeline) <= MAX_TIMELINE:
        return timeline, ()
    causes = [index for index, entry in enumerate(timeline) if entry.role.value == "cause"][:MAX_TIMELINE]
    rest = [index for index in range(len(timeline)) if index not in set(causes)]
    kept = sorted((*causes, *rest[: MAX_TIMELINE - len(causes)]))
    gap = Gap(
        source="timeline",
        why=f"{len(timeline) - len(kept)} later signals are not listed here; they are in the store",
        would_tell="nothing about the first fault: causes and the earliest signals are all listed",
    )
    return [timeline[index] for index in kept], (gap,)


def _common_cause(cause: CommonCause) -> contract.CommonCausePart:
    return contract.CommonCausePart(
        dimension=cause.dimension,
        value=cause.value,
        affected=cause.affected,
        total=cause.total,
        lift=cause.lift,
        p_value=cause.p_value,
        evidence=_ids(cause.evidence),
    )


def _hypothesis(hypothesis: Hypothesis) -> contract.HypothesisPart:
    return contract.HypothesisPart(
        failure_class=hypothesis.failure_class,
        mechanism=hypothesis.mechanism,
        verdict=hypothesis.standing.value,
        because=hypothesis.because,
        supporting=_ids(hypothesis.supporting),
        contradicting=_ids(hypothesis.contradicting),
        missing=list(dict.fromkeys(f"{gap.source}: {gap.would_tell}" for gap in hypothesis.missing)),
        rank_key=list(hypothesis.rank_key),
    )


def _recommendation(item: Recommendation, policy: contract.PolicyPart) -> contract.RecommendationPart:
    return contract.RecommendationPart(
        action=item.action.value,
        target=_aimed(item.target),
        why=item.why,
        reversible=item.reversible,
        evidence=_ids(item.evidence),
        parameters=dict(item.parameters),
        policy=policy,
    )


def _gaps(gaps: Sequence[Gap]) -> list[contract.GapPart]:
    unique = {(g.source, g.why, g.would_tell, str(g.entity)): g for g in gaps}
    return [
        contract.GapPart(
            source=g.source,
            entity=_entity(g.entity),
            why=g.why,
            would_tell=g.would_tell,
        )
        for g in list(unique.values())[:MAX_GAPS]
    ]


def _evidence(evidence: Evidence) -> contract.EvidencePart:
    window = evidence.window
    return contract.EvidencePart(
        id=evidence.id,
        source=evidence.source,
        query=evidence.query,
        entity=_entity(evidence.entity),
        at=evidence.at,
        window=_window(window) if window else None,
        excerpt=evidence.excerpt,
        path=evidence.path,
        line_start=evidence.line_start,
        line_end=evidence.line_end,
        link=evidence.link,
        sha256=evidence.sha256,
        fetched_at=evidence.fetched_at,
    )


def _window(window: Window) -> contract.WindowPart:
    return contract.WindowPart(start=window.start, end=window.end)


def _cited(findings: Findings, timeline: Sequence[TimelineEntry]) -> list[Evidence]:
    first = findings.diagnosis.first_fault
    groups: list[Iterable[Evidence]] = [
        findings.diagnosis.evidence,
        first.all_evidence if first else (),
        *(entry.signal.all_evidence for entry in timeline),
        *(cause.evidence for cause in findings.common_causes),
        *((*h.supporting, *h.contradicting) for h in findings.hypotheses),
        *(item.evidence for item, _ in findings.recommendations),
        *(d.evidence for d in findings.do_not),
        findings.more_evidence,
    ]
    unique = {evidence.id: evidence for group in groups for evidence in group}
    return sorted(unique.values(), key=lambda e: (e.path, e.line_start, e.line_end, e.id))


def _ids(evidence: Iterable[Evidence]) -> list[str]:
    return list(dict.fromkeys(item.id for item in evidence))


def _named(entity: EntityRef) -> contract.EntityPart:
    return contract.EntityPart(kind=entity.kind.value, name=entity.name, node=entity.node)


def _aimed(entity: EntityRef) -> contract.TargetPart:
    return contract.TargetPart(
        kind=entity.kind.value,
        name=entity.name,
        node=entity.node,
        namespace=entity.namespace,
        object_kind=entity.api_kind,
    )


def _entity(entity: EntityRef | None) -> contract.EntityPart | None:
    return None if entity is None else _named(entity)
