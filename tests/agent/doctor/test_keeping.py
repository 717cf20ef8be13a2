"""Rows for the database and the snapshots."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from firstfault.agent.doctor.finding import State
from firstfault.agent.doctor.keeping import FULL_BYTES, TIGHT_BYTES, database_rows, snapshot_row
from firstfault.agent.store.machines import Snapshots
from firstfault.agent.store.standing import Room, StoreStanding

NOW = datetime(2026, 11, 30, 6, 0, tzinfo=UTC)
WELL = StoreStanding(what="Postgres", schema="0013", events=7)
EVERY_S = 600


def taken(age: timedelta, machines: int = 12) -> Snapshots:
    """Return snapshots of which the newest is of that age."""
    return Snapshots(machines=machines, newest=NOW - age, oldest=NOW - timedelta(days=3))


@pytest.mark.parametrize(
    ("store", "states"),
    [
        (WELL, {"database": State.OK, "database audit": State.OK}),
        (StoreStanding(problem="cannot use the database"), {"database": State.FAIL}),
        (
            StoreStanding(what="Postgres", schema="0013", audit=("event 7 was changed",)),
            {"database": State.OK, "database audit": State.FAIL},
        ),
    ],
)
def test_the_database(store: StoreStanding, states: dict[str, State]) -> None:
    rows = tuple(database_rows(store))
    assert {row.part: row.state for row in rows} == states
    assert all(row.state is State.OK or (row.blind and row.remedy) for row in rows)


@pytest.mark.parametrize(
    ("free", "state"),
    [(TIGHT_BYTES, State.OK), (TIGHT_BYTES - 1, State.WARN), (FULL_BYTES - 1, State.FAIL), (0, State.FAIL)],
)
@pytest.mark.parametrize("problem", [None, "disk I/O error"])
def test_the_disk_is_told_also_when_the_database_cannot_be_used(
    free: int, state: State, problem: str | None
) -> None:
    room = Room(folder=Path("/var/lib/firstfault"), free_bytes=free, total_bytes=10 * TIGHT_BYTES)
    rows = {row.part: row for row in database_rows(StoreStanding(problem=problem, room=room))}
    assert rows["database disk"].state is state
    assert "/var/lib/firstfault" in rows["database disk"].said
    assert state is State.OK or "prune" in rows["database disk"].remedy


@pytest.mark.parametrize(
    ("kept", "every_s", "state", "said"),
    [
        (taken(timedelta(minutes=4)), EVERY_S, State.OK, "12 machines 4 min ago"),
        (taken(timedelta(minutes=29)), EVERY_S, State.OK, "since 2026-11-27"),
        (taken(timedelta(hours=5)), EVERY_S, State.WARN, "12 machines 5 h ago"),
        (taken(timedelta(hours=5)), 3 * 3600, State.OK, "5 h ago"),
        (taken(timedelta(minutes=4)), 0, State.WARN, "none is taken any more"),
        (taken(timedelta(minutes=4), machines=0), EVERY_S, State.WARN, "0 machines"),
        (None, EVERY_S, State.WARN, "none was taken yet"),
        (None, 0, State.WARN, "`kubernetes.snapshot_every_s` is 0"),
    ],
)
def test_snapshots(kept: Snapshots | None, every_s: int, state: State, said: str) -> None:
    row = snapshot_row(kept, every_s, NOW)
    assert row.state is state
    assert said in row.said
    assert state is State.OK or ("driver" in row.blind and row.remedy)
