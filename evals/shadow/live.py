"""The incidents of this installation, scored: what was recommended at the alert against what is known now."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from firstfault.agent.feedback.labels import Label
from firstfault.agent.report.contract import EntityPart, Report
from firstfault.agent.store import IncidentRecord, Store
from firstfault.evals.shadow.history import HumanAction, PastIncident
from firstfault.evals.shadow.labels import settle
from firstfault.evals.shadow.pairing import WINDOW
from firstfault.evals.shadow.records import ShadowRecords, Watched
from firstfault.evals.shadow.scores import ShadowScore, score_shadow
from firstfault.tools.entities import canonical_bdf
from firstfault.tools.sources import Question
from firstfault.tools.times import Window

LIVE = "live"
LIVE_OFFSET_S = 0
"""Live incidents are looked at when their alert comes."""
TIMELY = timedelta(hours=6)
"""A report made this long after its alert was no live one: its lead over people means nothing."""
FIRST_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveScores:
    """Scores of all incidents with a report, and what people disagree about."""

    scores: tuple[ShadowScore, ...]
    conflicts: tuple[str, ...]
    incidents: tuple[PastIncident, ...]


def score_live(store: Store, records: ShadowRecords, version: str) -> LiveScores:
    """Return the scores. The first report of each incident counts: what was said before anybody knew better.

    version: of the agent that runs now, for reports that do not say which one made them.
    """
    labels, actions, watched = records.labels(), records.actions(), records.watched()
    imported = {incident.id: incident for incident in records.incidents()}
    scores: list[ShadowScore] = []
    conflicts: list[str] = []
    settled_ones: list[PastIncident] = []
    for record in store.incidents.recent():
        report = store.reports.get(record.incident.id, FIRST_VERSION)
        if report is None:
            continue
        known = imported.get(record.incident.id) or _from_record(record)
        settled = settle(_with_actions(known, report, actions, watched), labels)
        conflicts += settled.conflicts
        settled_ones.append(settled.incident)
        scores.append(_scored(store, record, report, settled.incident, version))
    return LiveScores(scores=tuple(scores), conflicts=tuple(conflicts), incidents=tuple(settled_ones))


def settled_history(
    incidents: Iterable[PastIncident], labels: Sequence[Label]
) -> tuple[tuple[PastIncident, ...], tuple[str, ...]]:
    """Return the incidents with what labels say of them, and what people disagree about."""
    settled = [settle(incident, labels) for incident in incidents]
    return tuple(each.incident for each in settled), tuple(c for each in settled for c in each.conflicts)


def _from_record(record: IncidentRecord) -> PastIncident:
    incident = record.incident
    return PastIncident(
        id=incident.id,
        alert_at=incident.opened_at,
        cluster=incident.environment.get("cluster"),
        question=incident.question or None,
        source=LIVE,
    )


def _with_actions(
    incident: PastIncident, report: Report, actions: Sequence[HumanAction], watched: Sequence[Watched]
) -> PastIncident:
    """Return the incident with what people did to the things its report speaks of.

    When nothing is found and nobody watched, it stays unknown whether they did anything.
    """
    if incident.actions is not None or incident.alert_at is None:
        return incident
    at = incident.alert_at
    spoken_of = set(_names(report))
    near = tuple(action for action in actions if at <= action.at + WINDOW and action.at <= at + WINDOW)
    mine = tuple(action for action in near if spoken_of & set(_plain(action.target.name, action.target.node)))
    is_known = bool(mine) or any(span.covers(at) and span.covers(at + TIMELY) for span in watched)
    return incident.model_copy(update={"actions": mine}) if is_known else incident


def _names(report: Report) -> Iterator[str]:
    parts: list[EntityPart | None] = [report.diagnosis.culprit]
    parts += [entry.entity for entry in report.timeline if entry.role != "context"]
    parts += [part.target for part in report.recommendations]
    for part in parts:
        if part is not None and part.kind not in {"unknown", "cluster"}:
            yield from _plain(part.name)


def _plain(*names: str | None) -> Iterator[str]:
    for name in names:
        if name:
            yield canonical_bdf(name) or name.rpartition("/")[2]


def _scored(
    store: Store, record: IncidentRecord, report: Report, incident: PastIncident, version: str
) -> ShadowScore:
    documents = store.source(incident.id).read(Question(), Window(), None).documents
    lines = {document.path: document for document in documents}

    def read_lines(path: str) -> Sequence[str] | None:
        return lines[path].lines if path in lines else None

    made_at = record.closed_at or record.created_at
    is_timely = incident.alert_at is not None and made_at - incident.alert_at <= TIMELY
    return score_shadow(
        incident,
        report,
        read_lines,
        offset_s=LIVE_OFFSET_S,
        version=report.agent_version or version,
        made_at=made_at if is_timely else None,
        seconds=max(0.0, (made_at - record.created_at).total_seconds()),
    )
