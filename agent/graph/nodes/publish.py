"""The report: built, redacted, stored."""

from dataclasses import replace

from firstfault.agent.findings import Diagnosis
from firstfault.agent.graph import codec
from firstfault.agent.graph.state import Change, State
from firstfault.agent.graph.workshop import Workshop
from firstfault.agent.report.build import Findings, build_report
from firstfault.agent.report.contract import AuditPart, Report
from firstfault.agent.report.redact import redact_report
from firstfault.agent.store import Status
from firstfault.agent.version import agent_version
from firstfault.tools.redaction.excerpts import excerpts_of

_UNSEALED = AuditPart(events=0, head_digest="")


def publish(workshop: Workshop, state: State) -> Change:
    """Build the report from the stored stages and keep it; the audit part counts this event too."""
    built = build_report(_findings(workshop, state), _UNSEALED)
    report = _redacted(workshop, state, built.model_copy(update={"agent_version": agent_version()}))
    change = workshop.finish(
        state,
        "publish",
        report,
        why=f"{report.verdict} {report.diagnosis.failure_class}",
        payload={
            "verdict": report.verdict,
            "failure_class": report.diagnosis.failure_class,
            "evidence": len(report.evidence),
        },
    )
    sealed = sealed_report(workshop, report)
    with workshop.store.together():
        workshop.store.reports.put(sealed, workshop.now)
        workshop.store.incidents.set_status(workshop.incident.id, Status.CLOSED, workshop.now)
    return change


def _redacted(workshop: Workshop, state: State, report: Report) -> Report:
    """Return the report without secrets; excerpts are redacted in the light of their documents."""
    excerpts = excerpts_of(workshop.documents(state), workshop.redact)
    evidence = [part.model_copy(update={"excerpt": excerpts.shown(part)}) for part in report.evidence]
    return redact_report(report.model_copy(update={"evidence": evidence}), excerpts.text)


def sealed_report(workshop: Workshop, report: Report) -> Report:
    """Return the report with what the audit holds of this run."""
    trail = workshop.store.audit.trail(workshop.incident.correlation_id)
    return report.model_copy(update={"audit": AuditPart(events=trail.events, head_digest=trail.head_digest)})


def _findings(workshop: Workshop, state: State) -> Findings:
    concluded = workshop.load(state, "hypothesize", codec.Concluded)
    seen = workshop.load(state, "extract", codec.Seen)
    model = workshop.load(state, "deliberate", codec.Deliberated)
    recommended = workshop.load(state, "recommend", codec.Recommended)
    decisions = workshop.load(state, "gate", codec.Gated).decisions
    collected = [workshop.load(state, stage, codec.Collected) for stage in ("preserve", "collect")]
    missing = [gap for h in concluded.hypotheses if h.standing.value != "ruled_out" for gap in h.missing]
    return Findings(
        incident=workshop.incident,
        diagnosis=_worded(concluded.diagnosis, model.summary),
        timeline=(*concluded.timeline, *model.signals),
        common_causes=workshop.load(state, "correlate", codec.Correlated).common_causes,
        hypotheses=(*concluded.hypotheses, *model.hypotheses),
        recommendations=tuple(zip(recommended.recommendations, decisions, strict=True)),
        do_not=recommended.do_not,
        similar=workshop.load(state, "recall", codec.Recalled).similar,
        gaps=(
            *(g for c in collected for g in c.gaps),
            *missing,
            *seen.gaps,
            *model.gaps,
        ),
        more_evidence=model.evidence,
        dropped=model.dropped,
        model=model.usage,
    )


def _worded(diagnosis: Diagnosis, summary: str | None) -> Diagnosis:
    return replace(diagnosis, summary=summary) if summary else diagnosis
