"""What `firstfault shadow` prints: scorecards by week, and drafts of post-mortems."""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime

from firstfault.agent.render.phrases import moment
from firstfault.agent.store import Store
from firstfault.agent.version import agent_version
from firstfault.cli.configuration import NothingUsable
from firstfault.cli.shadow_runs import standing_of
from firstfault.evals.promotion.standings import mode_marks
from firstfault.evals.shadow import pages, postmortem
from firstfault.evals.shadow.history import PastIncident
from firstfault.evals.shadow.labels import settle
from firstfault.evals.shadow.live import LIVE_OFFSET_S, score_live
from firstfault.evals.shadow.records import ShadowRecords
from firstfault.evals.shadow.scorecard import ShadowScorecard, make_scorecard
from firstfault.evals.shadow.standing import CellStanding


def pages_of(scorecard: ShadowScorecard, cells: Sequence[CellStanding], *, as_json: bool) -> str:
    """Return what is printed."""
    return scorecard_json(scorecard, cells) if as_json else pages.terminal(scorecard, cells)


def scorecard_json(scorecard: ShadowScorecard, cells: Sequence[CellStanding]) -> str:
    """Return the scorecard as one JSON document, with its digest and where the cells stand."""
    document = scorecard.model_dump(mode="json") | {
        "digest": scorecard.digest,
        "standing": [
            {"cell": cell.row.name, "mode": cell.mode, "next": cell.next_mode, "missing": list(cell.missing)}
            for cell in cells
        ],
    }
    return json.dumps(document, indent=2)


def week_of(store: Store, records: ShadowRecords, week: str | None, form: str) -> tuple[str, str]:
    """Return the scorecard of a week (None: of all weeks) in the form asked for, and as HTML."""
    live = score_live(store, records, agent_version())
    scores = [score for score in live.scores if week is None or score.week == week]
    scorecard = make_scorecard(scores, score_offset_s=LIVE_OFFSET_S, conflicts=live.conflicts)
    cells = standing_of(store, scorecard)
    title = f"Shadow scorecard, week {week}" if week else "Shadow scorecard"
    forms = {
        "markdown": pages.markdown(scorecard, cells, title),
        "slack": pages.slack(scorecard, cells, title),
        "json": scorecard_json(scorecard, cells),
    }
    return forms[form], pages.html(scorecard, cells, title, mode_marks())


def postmortem_of(store: Store, records: ShadowRecords, incident_id: str) -> tuple[str, str]:
    """Return the draft of a post-mortem as Markdown and as HTML. Raises NothingUsable."""
    report = store.reports.get(incident_id)
    if report is None:
        msg = f"there is no report of `{incident_id}`: `firstfault incidents list` shows them"
        raise NothingUsable(msg)
    labels = tuple(label for label in records.labels() if label.incident == incident_id)
    known = next((each for each in records.incidents() if each.id == incident_id), None)
    opened_at = report.incident.opened_at
    incident = known or PastIncident(id=incident_id, alert_at=opened_at)
    near = tuple(action for action in records.actions() if _belongs(action.at, incident))
    if incident.actions is None and near:
        incident = incident.model_copy(update={"actions": near})
    incident = _as_resolved(store, incident)
    draft = postmortem.Postmortem(
        report=report,
        incident=settle(incident, labels).incident,
        labels=labels,
        events=tuple(store.audit.events(subject=incident_id)),
        carried_out=dict(_carried_out(store, incident_id)),
    )
    return postmortem.markdown(draft), postmortem.html(draft)


def _as_resolved(store: Store, incident: PastIncident) -> PastIncident:
    """Return the incident with how it ended, where only `firstfault incidents resolve` was told."""
    past = store.memories.get(incident.id)
    if past is None or incident.resolution is not None:
        return incident
    told = {"resolution": f"{past.resolution} ({past.author})", "outcome": past.outcome.value}
    return incident.model_copy(update={**told, "resolved_at": incident.resolved_at or past.at})


def _carried_out(store: Store, incident_id: str) -> Iterator[tuple[tuple[str, str], str]]:
    for decision in store.decisions.of_incident(incident_id):
        execution = store.executions.of_decision(decision.id)
        if execution is not None:
            name = decision.proposal.target.name
            yield (
                (execution.action.value, name),
                f"firstfault, {moment(execution.begun_at)}: {execution.ending}",
            )


def _belongs(at: datetime, incident: PastIncident) -> bool:
    return incident.alert_at is not None and 0 <= (at - incident.alert_at).total_seconds() <= 86400  # noqa: PLR2004 - a day
