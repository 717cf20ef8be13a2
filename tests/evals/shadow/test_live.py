"""Live incidents scored from what the store knows: reports, labels, and what an audit log says people did."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from firstfault.agent.feedback.labels import About, Label
from firstfault.agent.findings import Incident
from firstfault.agent.report.contract import Report
from firstfault.agent.store import Status, Store, open_store
from firstfault.evals.shadow.history import HumanAction, PastIncident, Thing
from firstfault.evals.shadow.live import score_live
from firstfault.evals.shadow.records import ShadowRecords, Watched
from firstfault.evals.shadow.scorecard import make_scorecard
from firstfault.evals.shadow.scores import Diagnosed, ShadowScore
from tests import reports

ALERT = datetime(2026, 4, 1, 8, 0, tzinfo=UTC)
MADE = ALERT + timedelta(seconds=30)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        yield opened


@pytest.fixture
def records(store: Store) -> ShadowRecords:
    return ShadowRecords(store, lambda text: text.replace("hunter2", "‹redacted:password›"))


def live(store: Store, incident_id: str = "i1", report: Report | None = None) -> None:
    """Store an incident with the report that was made at its alert."""
    store.incidents.open(
        Incident(id=incident_id, question="why?", correlation_id=incident_id, opened_at=ALERT), ALERT
    )
    made = report or reports.report(
        recommendations=[reports.recommendation("cordon_node", reports.entity("node", "node-1"))]
    )
    named = made.model_copy(update={"incident": made.incident.model_copy(update={"id": incident_id})})
    store.reports.put(named, MADE)
    store.incidents.set_status(incident_id, Status.CLOSED, MADE)


def cordon(node: str, after_s: float = 630, actor: str = "ann") -> HumanAction:
    at = ALERT + timedelta(seconds=after_s)
    return HumanAction(
        at=at, actor=actor, action="cordon_node", target=Thing(kind="node", name=node), source="audit"
    )


def only(store: Store, records: ShadowRecords) -> ShadowScore:
    (score,) = score_live(store, records, "v1").scores
    return score


def test_without_any_word_of_people_everything_is_unknown(store: Store, records: ShadowRecords) -> None:
    live(store)
    score = only(store, records)
    assert (score.diagnosed, score.right, score.action, score.lead_s) == (Diagnosed.UNKNOWN, None, None, None)
    assert [cell.success for cell in score.cells] == [None]


def test_what_the_audit_log_says_is_paired_by_place_and_time(store: Store, records: ShadowRecords) -> None:
    live(store)
    actions = [cordon("node-9"), cordon("node-1"), cordon("node-1", 90000)]
    records.keep_actions(actions, MADE, by="import")
    score = only(store, records)
    assert (score.action, score.lead_s) == (True, 600.0)


def test_a_watched_night_in_which_nobody_acted_is_known(store: Store, records: ShadowRecords) -> None:
    live(store)
    span = Watched(start=ALERT - timedelta(hours=1), end=ALERT + timedelta(days=1), source="audit.log")
    records.keep_actions([cordon("node-9")], MADE, by="import", watched=span)
    assert only(store, records).action is False


def test_a_watch_that_ends_too_soon_says_nothing(store: Store, records: ShadowRecords) -> None:
    live(store)
    span = Watched(start=ALERT, end=ALERT + timedelta(minutes=5), source="audit.log")
    records.keep_actions([cordon("node-9")], MADE, by="import", watched=span)
    assert only(store, records).action is None


def test_a_label_makes_it_a_success_of_its_cell(store: Store, records: ShadowRecords) -> None:
    live(store)
    records.keep_actions([cordon("node-1")], MADE, by="import")
    said = Label(
        incident="i1",
        field=About.FAILURE_CLASS,
        value="gpu.fell_off_bus",
        author="ann",
        source="slack",
        at=MADE,
    )
    records.keep_labels([said], MADE)
    score = only(store, records)
    assert (score.diagnosed, [cell.success for cell in score.cells]) == (Diagnosed.HIT, [True])


def test_the_first_report_counts_not_a_later_wiser_one(store: Store, records: ShadowRecords) -> None:
    live(store)
    later = reports.report(diagnosis=reports.diagnosis("host.pcie_link"))
    wiser = later.model_copy(update={"incident": later.incident.model_copy(update={"id": "i1"})})
    store.reports.put(wiser, MADE + timedelta(hours=1))
    assert only(store, records).failure_class == "gpu.fell_off_bus"


def test_what_was_imported_under_the_same_id_is_believed_first(store: Store, records: ShadowRecords) -> None:
    live(store)
    imported = PastIncident(id="i1", alert_at=ALERT, is_false_alarm=True, actions=(), cluster="east")
    records.keep_incidents([imported], MADE, by="import")
    score = only(store, records)
    assert (score.cluster, score.is_false_fault, len(score.harm)) == ("east", True, 1)


def test_an_old_recording_that_was_looked_at_now_has_no_lead(store: Store, records: ShadowRecords) -> None:
    live(store)
    store.incidents.set_status("i1", Status.OPEN, MADE)
    store.incidents.set_status("i1", Status.CLOSED, ALERT + timedelta(days=30))
    records.keep_actions([cordon("node-1")], MADE, by="import")
    score = only(store, records)
    assert (score.action, score.lead_s) == (True, None)


def test_records_are_events_of_a_sound_chain_and_keep_no_secret(store: Store, records: ShadowRecords) -> None:
    incident = PastIncident(id="i1", resolution="logged in with hunter2 and rebooted")
    assert records.keep_incidents([incident], MADE, by="import") == 1
    assert records.keep_incidents([incident], MADE + timedelta(days=1), by="import") == 0
    assert records.incidents()[0].resolution == "logged in with ‹redacted:password› and rebooted"
    card = records.keep_scorecard(make_scorecard([], score_offset_s=0), "live", MADE, by="firstfault")
    assert records.scorecards() == (card,)
    assert card.scorecard.digest == card.digest
    assert store.audit.verify().sound


def test_the_newest_telling_of_an_incident_holds(records: ShadowRecords) -> None:
    records.keep_incidents([PastIncident(id="i1", cluster="east")], MADE, by="import")
    records.keep_incidents([PastIncident(id="i1", cluster="west")], MADE, by="import")
    assert [incident.cluster for incident in records.incidents()] == ["west"]
