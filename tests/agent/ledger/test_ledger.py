"""The promotion ledger: what is written is read back, and what was forged puts every cell in shadow."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from firstfault.agent.ledger import reading as ledger_reading
from firstfault.agent.ledger.anchor import FILE
from firstfault.agent.ledger.reading import read_ledger
from firstfault.agent.ledger.rows import LedgerError, Move, event_of
from firstfault.agent.ledger.writing import move_cell
from firstfault.agent.store import NewEvent, Store, open_store
from firstfault.agent.store.signing import SigningKey
from firstfault.policies.actions import Action
from firstfault.policies.modes import Mode

AT = datetime(2026, 4, 1, 12, 0, tzinfo=UTC)
CLASS = "gpu.fell_off_bus"


@pytest.fixture(autouse=True)
def _an_early_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_reading, "KEEP_AFTER", 18)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    folder.mkdir()
    return folder


@pytest.fixture
def store(state: Path) -> Iterator[Store]:
    with open_store(state) as opened:
        yield opened


def move(
    before: Mode, after: Mode, *, action: Action = Action.CORDON_NODE, day: int = 0, **parts: object
) -> Move:
    return Move.model_validate(
        {
            "failure_class": CLASS,
            "action": action,
            "mode_before": before,
            "mode": after,
            "by": "ann",
            "why": "weeks of being right",
            "at": AT + timedelta(days=day),
            "scorecard": "ab" * 32,
            "source": "live",
            "scored": 60,
            "successes": 60,
            "low": 0.94,
            "version": "v1",
            **parts,
        }
    )


def noise(store: Store, number: int, start: int = 0) -> None:
    store.audit.append_all(
        NewEvent(correlation_id="run", kind="stage.x", key=str(n), at=AT, actor="a", subject="i", why="w")
        for n in range(start, start + number)
    )


def promoted(store: Store, state: Path) -> None:
    noise(store, 3)
    move_cell(store, state, move(Mode.SHADOW, Mode.RECOMMEND))
    noise(store, 3, start=10)
    move_cell(store, state, move(Mode.RECOMMEND, Mode.APPROVE, day=20))
    noise(store, 3, start=20)


def tamper(state: Path, *statements: str) -> None:
    """Change the database as somebody with write access could, triggers removed."""
    with closing(sqlite3.connect(state / "firstfault.sqlite")) as database, database:
        triggers = database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        for (name,) in triggers.fetchall():
            database.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            database.execute(statement)


def test_without_a_row_every_cell_is_in_shadow(store: Store, state: Path) -> None:
    noise(store, 5)
    reading = read_ledger(store, state)
    assert (reading.table.mode_of(CLASS, Action.CORDON_NODE), reading.trouble) == (Mode.SHADOW, None)


def test_the_newest_row_of_a_cell_holds(store: Store, state: Path) -> None:
    promoted(store, state)
    move_cell(store, state, move(Mode.SHADOW, Mode.RECOMMEND, action=Action.DRAIN_NODE, day=21))
    move_cell(store, state, move(Mode.APPROVE, Mode.SHADOW, day=22, by="firstfault", why="harm"))
    reading = read_ledger(store, state)
    assert reading.trouble is None
    assert reading.table.mode_of(CLASS, Action.CORDON_NODE) is Mode.SHADOW
    assert reading.table.mode_of(CLASS, Action.DRAIN_NODE) is Mode.RECOMMEND
    assert [row.move.mode for row in reading.rows] == [
        Mode.RECOMMEND,
        Mode.APPROVE,
        Mode.RECOMMEND,
        Mode.SHADOW,
    ]


def test_a_row_says_who_what_when_why_in_the_audit(store: Store, state: Path) -> None:
    row = move_cell(store, state, move(Mode.SHADOW, Mode.RECOMMEND))
    event = next(store.audit.events(correlation_id="promotion-ledger"))
    assert (event.kind, event.actor, event.why, event.subject) == (
        "ledger.promoted",
        "ann",
        "weeks of being right",
        f"{CLASS}:cordon_node",
    )
    assert event.digest == row.digest
    assert json.loads(event.payload)["move"]["scorecard"] == "ab" * 32


def test_a_move_from_a_mode_the_cell_is_not_in_is_refused(store: Store, state: Path) -> None:
    promoted(store, state)
    with pytest.raises(LedgerError, match="is in approve mode, not in shadow"):
        move_cell(store, state, move(Mode.SHADOW, Mode.RECOMMEND, day=30))


EDITS = {
    "a mode was raised": "UPDATE audit_events SET payload = replace(payload, '\"recommend\"', '\"auto\"') "
    "WHERE correlation_id = 'promotion-ledger'",
    "another row was edited": "UPDATE audit_events SET why = 'x' WHERE seq = 2",
    "the newest ledger row was dropped": "DELETE FROM audit_events WHERE seq = 8",
    "the first ledger row was dropped": "DELETE FROM audit_events WHERE seq = 4",
    "the end was cut off": "DELETE FROM audit_events WHERE seq > 7",
    "a row was hidden": "UPDATE audit_events SET correlation_id = 'x' WHERE seq = 8",
    "the head was forged": "UPDATE audit_head SET signature = 'ab'",
    "the head was moved back": "UPDATE audit_head SET count = 7, digest = (SELECT digest FROM audit_events WHERE seq = 7)",
    "the head was dropped": "DELETE FROM audit_head",
}


@pytest.mark.parametrize("statement", EDITS.values(), ids=EDITS.keys())
@pytest.mark.parametrize("has_anchor", [False, True])
def test_any_edit_puts_every_cell_in_shadow_and_says_so(
    store: Store, state: Path, statement: str, has_anchor: bool
) -> None:
    promoted(store, state)
    if has_anchor:
        noise(store, 9, start=100)
        assert read_ledger(store, state).trouble is None
        assert (state / FILE).exists()
        noise(store, 2, start=1000)
    tamper(state, statement)
    reading = read_ledger(store, state)
    if has_anchor and statement == EDITS["another row was edited"]:
        assert reading.table.mode_of(CLASS, Action.CORDON_NODE) is Mode.APPROVE
        assert not store.audit.verify().sound
        (state / FILE).unlink()
        reading = read_ledger(store, state)
    assert reading.trouble
    assert reading.table.mode_of(CLASS, Action.CORDON_NODE) is Mode.SHADOW


def test_a_row_signed_with_another_key_does_not_count(store: Store, state: Path) -> None:
    promoted(store, state)
    stranger = SigningKey(secret=b"x" * 32)
    last = read_ledger(store, state).rows[-1]
    forged = move(Mode.APPROVE, Mode.AUTO, day=30, row_before=last.digest)
    store.audit.append(event_of(forged, 3, stranger))
    reading = read_ledger(store, state)
    assert reading.trouble is not None
    assert "signed with key" in reading.trouble
    assert reading.table.mode_of(CLASS, Action.CORDON_NODE) is Mode.SHADOW


def test_an_old_row_cannot_be_put_in_again(store: Store, state: Path) -> None:
    promoted(store, state)
    move_cell(store, state, move(Mode.APPROVE, Mode.SHADOW, day=25))
    old = read_ledger(store, state).rows[1].move
    store.audit.append(event_of(old, 4, store.key))
    reading = read_ledger(store, state)
    assert reading.trouble is not None
    assert "does not follow the row before it" in reading.trouble
    assert reading.table.mode_of(CLASS, Action.CORDON_NODE) is Mode.SHADOW


def test_the_note_is_signed_and_a_forged_one_is_not_believed(store: Store, state: Path) -> None:
    promoted(store, state)
    noise(store, 9, start=100)
    read_ledger(store, state)
    note = json.loads((state / FILE).read_text(encoding="utf-8"))
    note["note"]["rows"][-1]["move"]["mode"] = "auto"
    (state / FILE).write_text(json.dumps(note), encoding="utf-8")
    assert read_ledger(store, state).table.mode_of(CLASS, Action.CORDON_NODE) is Mode.APPROVE


def test_nothing_may_be_promoted_on_a_broken_chain(store: Store, state: Path) -> None:
    promoted(store, state)
    tamper(state, EDITS["another row was edited"])
    with pytest.raises(LedgerError, match="was changed after it was written"):
        move_cell(store, state, move(Mode.APPROVE, Mode.AUTO, day=30))
