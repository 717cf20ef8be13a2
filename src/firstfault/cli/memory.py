"""What people say about incidents: how they ended, and what is known of past ones."""

from dataclasses import dataclass
from datetime import datetime

from firstfault.agent.recollection.features import of_report, said
from firstfault.agent.render.safety import visible
from firstfault.agent.store import NewEvent, Status, Store
from firstfault.tools.past_incidents import Outcome, PastIncident, Probe, Resemblance

Found = tuple[PastIncident, Resemblance | None]
"""A past incident, and how it resembles the one that was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How an incident ended, and who says so. failure_class, culprit_kind: where the report was wrong or silent."""

    resolution: str
    outcome: Outcome
    author: str
    failure_class: str | None = None
    culprit_kind: str | None = None


def resolve(store: Store, incident_id: str, ending: Ending, now: datetime) -> PastIncident:
    """Return the incident as it is remembered from now on; what was remembered of it before is replaced.

    Raises UnknownIncidentError.
    """
    record = store.incidents.get(incident_id)
    report = store.reports.get(incident_id)
    features = (
        said(ending.failure_class, ending.culprit_kind, ())
        if report is None
        else of_report(report, failure_class=ending.failure_class, culprit_kind=ending.culprit_kind)
    )
    past = PastIncident(
        id=incident_id,
        summary=f"{record.incident.question} {record.summary or ''}".strip(),
        features=features,
        resolution=ending.resolution,
        outcome=ending.outcome,
        author=ending.author,
        at=now,
        content=store.evidence.content(incident_id),
    )
    with store.together():
        store.memories.put(past)
        store.incidents.set_status(incident_id, Status.RESOLVED, now)
        store.audit.append(_event(past, "incident.resolved", record.incident.correlation_id))
    return past


def add(store: Store, past: PastIncident) -> None:
    """Remember an incident that firstfault did not see."""
    with store.together():
        store.memories.put(past)
        store.audit.append(_event(past, "incident.added", f"memory-{past.id}"))


def matching(store: Store, text: str, limit: int) -> list[Found]:
    """Return past incidents that hold words of `text`; without words the newest."""
    found = store.memories.search(text, limit=limit) if text.strip() else store.memories.recent(limit=limit)
    return [(past, None) for past in found]


def resembling(store: Store, incident_id: str, text: str, limit: int) -> list[Found]:
    """Return past incidents that share structure with one that was investigated or is remembered.

    Raises UnknownIncidentError.
    """
    report, known = store.reports.get(incident_id), store.memories.get(incident_id)
    if report is None and known is None:
        store.incidents.get(incident_id)
    probe = Probe(
        features=of_report(report) if report else known.features if known else frozenset[str](),
        text=text or (report.diagnosis.summary if report else ""),
        exclude_id=incident_id,
        exclude_content=store.evidence.content(incident_id),
    )
    return [(each.past, each) for each in store.memories.similar(probe, limit=limit)]


def plain(found: Found) -> dict[str, object]:
    """Return what was found as JSON-safe values."""
    past, likeness = found
    values: dict[str, object] = {
        "id": past.id,
        "summary": past.summary,
        "features": sorted(past.features),
        "resolution": past.resolution,
        "outcome": past.outcome.value,
        "author": past.author,
        "at": past.at.isoformat(),
    }
    if likeness is not None:
        values |= {
            "score": round(likeness.score, 3),
            "shared": list(likeness.shared),
            "only_then": list(likeness.only_then),
            "only_now": list(likeness.only_now),
        }
    return values


def block(found: Found) -> str:
    """Return what was found as lines for a terminal."""
    past, likeness = found
    lines = [
        f"{past.id}  {past.at:%Y-%m-%d}  {past.summary}",
        f"  done     {past.resolution} ({past.outcome.value.replace('_', ' ')}, says {past.author})",
    ]
    if likeness is None:
        lines.append(f"  known by {', '.join(sorted(past.features))}")
    else:
        lines.append(f"  shared   {', '.join(likeness.shared)}")
        lines += [f"  then     {', '.join(likeness.only_then)}"] if likeness.only_then else []
        lines += [f"  now      {', '.join(likeness.only_now)}"] if likeness.only_now else []
    return "\n".join(visible(line).replace("\n", " ") for line in lines)


def _event(past: PastIncident, kind: str, correlation_id: str) -> NewEvent:
    return NewEvent(
        correlation_id=correlation_id,
        kind=kind,
        key=past.at.isoformat(),
        at=past.at,
        actor=past.author,
        subject=past.id,
        why=past.resolution,
        payload={"outcome": past.outcome.value, "features": sorted(past.features), "content": past.content},
    )
