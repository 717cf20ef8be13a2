"""What was kept long enough is forgotten, what matters never; a backup holds everything."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select, text

from firstfault.agent.store import Status, Store, StoredBytesError, StoreError, open_store
from firstfault.agent.store.pruning import Retention
from firstfault.agent.store.tables import ChunkRow, Table
from tests import reports
from tests.agent.store.samples import answer, event, incident

SHORT = Retention(evidence_days=7, stages_days=7, reports_days=7)


@pytest.fixture
def filled(store: Store, now: datetime) -> Store:
    """Return a store with an open, a closed and a resolved incident, all with the same evidence."""
    for name in ("open", "closed", "resolved"):
        store.incidents.open(incident(name, f"c-{name}"), now)
        store.evidence.keep(name, answer(), now)
        store.stages.put(name, "collect", f"stage of {name}".encode(), now)
        store.reports.put(reports.report(incident={**_PART, "id": name}), now)
        store.audit.append(event(name))
    store.incidents.set_status("closed", Status.CLOSED, now)
    store.incidents.set_status("resolved", Status.RESOLVED, now)
    return store


_PART: dict[str, object] = {"question": "?", "opened_at": None, "window": {}, "correlation_id": "c"}


def test_only_what_closed_incidents_left_goes_and_never_the_audit(filled: Store, now: datetime) -> None:
    pruned = filled.pruning.prune(SHORT, now + timedelta(days=8))
    nothing = {"messages": 0, "requests": 0, "snapshots": 0}
    assert dict(pruned.rows) == nothing | {
        "evidence": 4,
        "looked_at": 4,
        "stages": 2,
        "reports": 2,
        "blobs": 4,
    }
    assert filled.evidence.documents("closed") == filled.evidence.documents("resolved") == ()
    assert [each.text for each in filled.evidence.documents("open")] == ["one\ntwo\n", "three\n"]
    assert filled.stages.get("open", "collect") == b"stage of open"
    assert filled.reports.get("open") is not None
    assert filled.audit.verify().events == 3
    assert len(filled.incidents.recent()) == 3


def test_nothing_goes_before_its_time(filled: Store, now: datetime) -> None:
    pruned = filled.pruning.prune(SHORT, now + timedelta(days=6))
    assert not any(pruned.rows.values())
    assert len(filled.evidence.documents("closed")) == 2


def test_each_kind_has_its_own_time_and_none_is_for_ever(filled: Store, now: datetime) -> None:
    filled.pruning.prune(Retention(stages_days=1), now + timedelta(days=1000))
    assert filled.stages.get("closed", "collect") is None
    assert filled.reports.get("closed") is not None
    assert len(filled.evidence.documents("closed")) == 2


def test_a_dry_run_removes_nothing(filled: Store, now: datetime) -> None:
    later = now + timedelta(days=8)
    would = filled.pruning.prune(SHORT, later, dry_run=True)
    assert len(filled.evidence.documents("closed")) == 2
    assert filled.pruning.prune(SHORT, later) == would


def test_an_incident_that_was_opened_again_keeps_its_evidence(filled: Store, now: datetime) -> None:
    filled.incidents.set_status("closed", Status.OPEN, now)
    filled.pruning.prune(SHORT, now + timedelta(days=8))
    assert len(filled.evidence.documents("closed")) == 2


def test_leftovers_of_a_crash_go_after_a_day_and_not_before(store: Store, now: datetime) -> None:
    orphan = store.blobs.put(b"stored, never named", now)
    with store.database.writing() as session:
        session.add(ChunkRow(upload="crashed", position=0, data=b"half", stored_at=now))
    store.pruning.prune(Retention(), now + timedelta(hours=23))
    assert store.blobs.get(orphan) == b"stored, never named"
    pruned = store.pruning.prune(Retention(), now + timedelta(hours=25))
    assert (pruned.rows["blobs"], pruned.stored_bytes > 4) == (1, True)
    with pytest.raises(StoredBytesError):
        store.blobs.get(orphan)
    with store.database.reading() as session:
        assert session.scalar(select(func.count()).select_from(ChunkRow)) == 0


def test_known_bytes_that_are_stored_again_are_fresh(store: Store, now: datetime) -> None:
    sha256 = store.blobs.put(b"again", now)
    store.blobs.put(b"again", now + timedelta(days=2))
    store.pruning.prune(Retention(), now + timedelta(days=2, hours=1))
    assert store.blobs.get(sha256) == b"again"


def test_a_backup_holds_everything_and_is_for_its_owner_only(filled: Store, tmp_path: Path) -> None:
    target = tmp_path / "copy.sqlite"
    check = filled.backups.write(target)
    assert (check.sound, check.events) == (True, 3)
    assert target.stat().st_mode & 0o777 == 0o600
    assert not [each for each in tmp_path.iterdir() if each.name.startswith(".copy")]
    with open_store(tmp_path, url=f"sqlite:///{target}") as copy:
        assert list(copy.audit.events()) == list(filled.audit.events())
        assert copy.incidents.recent() == filled.incidents.recent()
        assert [each.text for each in copy.evidence.documents("closed")] == ["one\ntwo\n", "three\n"]
        assert _counts(copy) == _counts(filled)
        assert copy.audit.append(event("next")).seq == 4


def test_a_backup_never_replaces_a_file(filled: Store, tmp_path: Path) -> None:
    target = tmp_path / "copy.sqlite"
    target.write_text("precious")
    with pytest.raises(StoreError, match="already there"):
        filled.backups.write(target)
    assert target.read_text() == "precious"


def test_a_backup_that_cannot_be_written_is_named(filled: Store, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="nowhere"):
        filled.backups.write(tmp_path / "nowhere" / "copy.sqlite")


def _counts(store: Store) -> dict[str, int]:
    with store.database.reading() as session:
        count = "SELECT count(*) FROM "
        return {
            table.name: int(session.execute(text(count + table.name)).scalar_one())
            for table in Table.metadata.sorted_tables
        }
