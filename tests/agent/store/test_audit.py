"""The audit log keeps every event once, in one unbroken chain, and refuses to change the past."""

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from firstfault.agent.store import ChainError, NewEvent, Store
from firstfault.agent.store.audit import AuditLog
from firstfault.agent.store.chain import GENESIS
from firstfault.agent.store.signing import SigningKey
from tests.agent.store.samples import AT, HOSTILE, event


def test_events_are_numbered_and_each_names_the_one_before(store: Store) -> None:
    first, second = store.audit.append(event("1")), store.audit.append(event("2"))
    assert (first.seq, first.prev_digest) == (1, GENESIS)
    assert (second.seq, second.prev_digest) == (2, first.digest)
    assert list(store.audit.events()) == [first, second]
    assert store.audit.verify().sound


def test_the_same_event_again_adds_nothing_and_gives_the_first(store: Store) -> None:
    first = store.audit.append(event("1", why="first run"))
    again = store.audit.append(event("1", why="second run, after a crash"))
    assert again == first
    assert [each.why for each in store.audit.events()] == ["first run"]


def test_the_same_key_of_another_kind_or_investigation_is_another_event(store: Store) -> None:
    written = store.audit.append_all((event("1"), event("1", kind="other"), event("1", correlation_id="c-2")))
    assert [each.seq for each in written] == [1, 2, 3]


def test_a_batch_may_hold_an_event_twice(store: Store) -> None:
    one, two = store.audit.append_all((event("1"), event("1")))
    assert one == two
    assert store.audit.verify().events == 1


def test_an_empty_batch_writes_nothing(store: Store) -> None:
    assert store.audit.append_all(()) == ()
    assert store.audit.head() is None


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_events SET why = 'other' WHERE seq = 1",
        "DELETE FROM audit_events WHERE seq = 1",
        "DELETE FROM audit_head",
        "UPDATE audit_head SET count = 1",
        "UPDATE audit_head SET count = 0",
    ],
)
def test_the_database_refuses_to_change_the_past(store: Store, statement: str) -> None:
    store.audit.append_all((event("1"), event("2")))
    with (
        pytest.raises(DBAPIError, match=r"append-only|never goes back"),
        store.database.writing() as session,
    ):
        session.execute(text(statement))
    assert store.audit.verify().sound


def test_sqlite_refuses_to_replace_an_event(sqlite_store: Store) -> None:
    sqlite_store.audit.append(event("1"))
    columns = (
        "seq, correlation_id, causation_id, at, actor, kind, key, subject, why, payload, digest, prev_digest"
    )
    forged = columns.replace("why", "'forged'")
    replacing = f"INSERT OR REPLACE INTO audit_events ({columns}) SELECT {forged} FROM audit_events"  # noqa: S608 - ours
    with pytest.raises(DBAPIError, match="append-only"), sqlite_store.database.writing() as session:
        session.execute(text(replacing))


@pytest.mark.parametrize("table", ["audit_events", "audit_head"])
def test_postgres_refuses_to_truncate(postgres_store: Store, table: str) -> None:
    postgres_store.audit.append(event("1"))
    with (
        pytest.raises(DBAPIError, match=r"append-only|never goes back"),
        postgres_store.database.writing() as session,
    ):
        session.execute(text(f"TRUNCATE {table}"))


def test_hostile_text_is_kept_in_a_form_that_every_database_holds(store: Store) -> None:
    hostile = NewEvent(
        correlation_id=HOSTILE,
        kind=HOSTILE,
        key=HOSTILE,
        at=AT,
        actor=HOSTILE,
        subject=HOSTILE,
        why=HOSTILE,
        payload={HOSTILE: [HOSTILE], "nan": float("nan"), "far": float("-inf")},
        causation_id=HOSTILE,
    )
    written = store.audit.append(hostile)
    assert store.audit.append(hostile) == written
    assert list(store.audit.events(correlation_id=HOSTILE, subject=HOSTILE)) == [written]
    assert store.audit.verify().sound


def test_times_are_kept_in_utc_whatever_zone_they_came_in(store: Store) -> None:
    local = AT.astimezone(timezone(timedelta(hours=9)))
    assert store.audit.append(replace(event("1"), at=local)).at == "2026-03-04T05:06:07.890123Z"


def test_a_time_without_a_zone_is_refused(sqlite_store: Store) -> None:
    with pytest.raises(ValueError, match="has no zone"):
        sqlite_store.audit.append(replace(event("1"), at=datetime(2026, 1, 1)))  # noqa: DTZ001 - the point of the test
    assert sqlite_store.audit.head() is None


def test_a_payload_that_json_cannot_hold_is_refused_by_name(sqlite_store: Store) -> None:
    with pytest.raises(TypeError, match="a `set` cannot be written"):
        sqlite_store.audit.append(replace(event("1"), payload={"x": {1, 2}}))


def test_a_trail_counts_one_investigation_only(store: Store) -> None:
    store.audit.append(event("1"))
    store.audit.append(event("1", correlation_id="c-2"))
    last = store.audit.append(event("2"))
    store.audit.append(event("2", correlation_id="c-2"))
    assert store.audit.trail("c-1").events == 2
    assert store.audit.trail("c-1").head_digest == last.digest
    assert store.audit.trail("nobody").head_digest == GENESIS


def test_events_are_filtered_and_limited(store: Store) -> None:
    store.audit.append_all(event(str(n), correlation_id=f"c-{n % 2}") for n in range(6))
    assert [each.key for each in store.audit.events(correlation_id="c-1")] == ["1", "3", "5"]
    assert [each.seq for each in store.audit.events(after=2, limit=3)] == [3, 4, 5]
    assert list(store.audit.events(subject="nothing")) == []


def test_a_long_chain_is_read_in_batches(sqlite_store: Store) -> None:
    sqlite_store.audit.append_all(event(str(n)) for n in range(1_203))
    assert [each.seq for each in sqlite_store.audit.events()] == list(range(1, 1_204))
    assert sqlite_store.audit.verify().events == 1_203


def test_another_key_cannot_extend_the_chain(store: Store) -> None:
    store.audit.append(event("1"))
    stranger = AuditLog(store.database, SigningKey(secret=b"s" * 32))
    with pytest.raises(ChainError, match="name the right key file"):
        stranger.append(event("2"))
    assert store.audit.verify().events == 1


def test_a_write_that_fails_leaves_no_event(store: Store) -> None:
    def fail() -> None:
        with store.together():
            store.audit.append(event("1"))
            msg = "stop"
            raise RuntimeError(msg)

    with pytest.raises(RuntimeError, match="stop"):
        fail()
    assert list(store.audit.events()) == []
    assert store.audit.append(event("2")).seq == 1
