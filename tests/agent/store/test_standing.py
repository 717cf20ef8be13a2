"""How a store stands, on both databases."""

from datetime import datetime
from pathlib import Path

import pytest
from sqlalchemy import text

from firstfault.agent.store import Store, StoreError, UnreachableError, open_store
from firstfault.agent.store.schema import newest_revision
from firstfault.agent.store.standing import standing
from tests.agent.store.samples import event


def test_a_store_that_is_well(url: str, tmp_path: Path, now: datetime) -> None:
    with open_store(tmp_path, url=url) as store:
        store.audit.append(event("1"))
    found = standing(lambda: open_store(tmp_path, url=url), tmp_path, now)
    assert found.problem is None
    assert (found.schema, found.events, found.audit) == (newest_revision(), 1, ())
    assert found.room is not None
    assert 0 < found.room.free_bytes <= found.room.total_bytes
    assert "secret" not in found.what


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE audit_events SET why = 'other' WHERE seq = 2", "event 2 was changed"),
        ("DELETE FROM audit_events WHERE seq = 2", "the last 1 events are missing"),
        ("DELETE FROM audit_head", "the signed head is missing"),
        ("UPDATE audit_head SET signature = 'x'", "not ours"),
    ],
)
def test_an_end_that_was_tampered_with_is_seen(
    sqlite_store: Store, tmp_path: Path, now: datetime, statement: str, said: str
) -> None:
    sqlite_store.audit.append_all((event("1"), event("2")))
    with sqlite_store.database.writing() as session:
        for name in (
            "audit_events_no_update",
            "audit_events_no_delete",
            "audit_head_no_delete",
            "audit_head_no_retreat",
        ):
            session.execute(text(f"DROP TRIGGER {name}"))
        session.execute(text(statement))
    found = standing(lambda: open_store(tmp_path / "state"), tmp_path, now)
    assert any(said in each for each in found.audit)


def test_another_key_is_told_with_its_remedy(sqlite_store: Store, tmp_path: Path, now: datetime) -> None:
    sqlite_store.audit.append(event("1"))
    (tmp_path / "state" / "signing.key").unlink()
    found = standing(lambda: open_store(tmp_path / "state"), tmp_path, now)
    assert any("name the right key file" in each for each in found.audit)


def test_a_database_that_is_not_there_still_tells_the_room(tmp_path: Path, now: datetime) -> None:
    def opened() -> Store:
        msg = "no"
        raise UnreachableError(msg)

    found = standing(opened, tmp_path, now)
    assert found.problem == "no"
    assert found.room is not None


def test_a_file_that_is_no_database_is_told(tmp_path: Path, now: datetime) -> None:
    (tmp_path / "firstfault.sqlite").write_bytes(b"not a database" * 100)
    found = standing(lambda: open_store(tmp_path), tmp_path, now)
    assert found.problem is not None
    with pytest.raises(StoreError):
        open_store(tmp_path)
