"""Incidents, their stages and their reports."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from firstfault.agent.store import Status, Store, StoreError, UnknownIncidentError
from tests import reports
from tests.agent.store.samples import HOSTILE, incident


def test_an_incident_comes_back_exactly(store: Store, now: datetime) -> None:
    assert store.incidents.open(incident(), now) == incident()
    record = store.incidents.get("inc-1")
    assert (record.incident, record.status, record.created_at, record.closed_at) == (
        incident(),
        Status.OPEN,
        now,
        None,
    )
    assert (record.reports, record.verdict) == (0, None)


def test_opening_again_goes_on_with_the_first_trail(store: Store, now: datetime) -> None:
    store.incidents.open(incident(), now)
    assert store.incidents.open(incident(correlation_id="c-2"), now).correlation_id == "c-1"


def test_reopening_starts_a_new_trail(store: Store, now: datetime) -> None:
    store.incidents.open(incident(), now)
    store.incidents.set_status("inc-1", Status.CLOSED, now)
    again = replace(incident(correlation_id="c-2"), question="again?")
    assert store.incidents.reopen(again, now) == again
    record = store.incidents.get("inc-1")
    assert (record.incident, record.status, record.closed_at) == (again, Status.OPEN, None)


def test_an_unknown_incident_is_named(store: Store, now: datetime) -> None:
    assert store.incidents.find("nobody") is None
    with pytest.raises(UnknownIncidentError, match="`nobody`"):
        store.incidents.get("nobody")
    with pytest.raises(UnknownIncidentError, match="`nobody`"):
        store.incidents.set_status("nobody", Status.CLOSED, now)


def test_the_newest_incidents_come_first(store: Store, now: datetime) -> None:
    for n in range(3):
        store.incidents.open(incident(f"inc-{n}"), now + timedelta(hours=n))
    store.incidents.set_status("inc-1", Status.CLOSED, now)
    assert [each.incident.id for each in store.incidents.recent()] == ["inc-2", "inc-1", "inc-0"]
    assert [each.incident.id for each in store.incidents.recent(limit=1)] == ["inc-2"]
    assert [each.incident.id for each in store.incidents.recent(status=Status.OPEN)] == ["inc-2", "inc-0"]


def test_closing_keeps_the_first_time_until_it_opens_again(store: Store, now: datetime) -> None:
    store.incidents.open(incident(), now)
    store.incidents.set_status("inc-1", Status.CLOSED, now)
    store.incidents.set_status("inc-1", Status.RESOLVED, now + timedelta(days=1))
    assert store.incidents.get("inc-1").closed_at == now
    store.incidents.set_status("inc-1", Status.OPEN, now)
    assert store.incidents.get("inc-1").closed_at is None


def test_hostile_questions_do_not_break_the_store(store: Store, now: datetime) -> None:
    stored = store.incidents.open(replace(incident(), question=HOSTILE, environment={HOSTILE: HOSTILE}), now)
    assert "\\x00" in stored.question
    assert store.incidents.get("inc-1").incident == stored


def test_a_stage_keeps_its_newest_output(store: Store, now: datetime) -> None:
    store.incidents.open(incident(), now)
    first = store.stages.put("inc-1", "collect", b"first", now)
    assert store.stages.get("inc-1", "collect") == b"first"
    second = store.stages.put("inc-1", "collect", b"second", now)
    assert store.stages.get("inc-1", "collect") == store.stages.load(second) == b"second"
    assert store.stages.load(first) == b"first"
    assert store.stages.digests("inc-1") == {"collect": second}
    assert store.stages.get("inc-1", "extract") is None


def test_a_stage_needs_its_incident(store: Store, now: datetime) -> None:
    with pytest.raises(StoreError, match="`nobody`"):
        store.stages.put("nobody", "collect", b"x", now)


def test_every_version_of_a_report_is_kept(store: Store, now: datetime) -> None:
    first = reports.report()
    store.incidents.open(incident(first.incident.id), now)
    second = first.model_copy(update={"verdict": "INCONCLUSIVE"})
    assert [store.reports.put(each, now) for each in (first, first, second)] == [1, 1, 2]
    assert store.reports.get(first.incident.id, 1) == first
    assert store.reports.get(first.incident.id) == second
    assert store.reports.json(first.incident.id) == second.model_dump_json().encode()
    assert store.reports.get("nobody") is None
    record = store.incidents.get(first.incident.id)
    assert (record.reports, record.verdict, record.summary) == (2, "INCONCLUSIVE", first.diagnosis.summary)
    assert store.incidents.recent()[0] == record
