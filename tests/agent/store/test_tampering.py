"""Whoever can write the database, but has not the key, cannot change the past unseen."""

from dataclasses import replace

import pytest
from sqlalchemy import text

from firstfault.agent.store import Anchor, ChainError, Finding, Store
from firstfault.agent.store.audit import AuditLog
from firstfault.agent.store.chain import AuditEvent, event_digest, sign_head
from firstfault.agent.store.signing import SigningKey
from tests.agent.store.samples import event

_UNGUARDED = {
    "sqlite": [
        "DROP TRIGGER audit_events_no_update",
        "DROP TRIGGER audit_events_no_delete",
        "DROP TRIGGER audit_head_no_delete",
        "DROP TRIGGER audit_head_no_retreat",
    ],
    "postgresql": [
        "ALTER TABLE audit_events DISABLE TRIGGER ALL",
        "ALTER TABLE audit_head DISABLE TRIGGER ALL",
    ],
}


def _attack(store: Store, *statements: str, **values: object) -> None:
    """Run statements as somebody with full rights on the database."""
    with store.database.writing() as session:
        for statement in (*_UNGUARDED[store.database.engine.dialect.name], *statements):
            session.execute(text(statement), values)


@pytest.fixture
def five(store: Store) -> list[AuditEvent]:
    """Return five events in the store."""
    return list(store.audit.append_all(event(str(n)) for n in range(1, 6)))


@pytest.mark.parametrize(
    ("statements", "finding", "seq"),
    [
        (["UPDATE audit_events SET why = 'other' WHERE seq = 3"], Finding.CHANGED, 3),
        (["UPDATE audit_events SET payload = '{}' WHERE seq = 5"], Finding.CHANGED, 5),
        (["UPDATE audit_events SET causation_id = 'x' WHERE seq = 1"], Finding.CHANGED, 1),
        (["DELETE FROM audit_events WHERE seq = 3"], Finding.MISSING, 3),
        (["DELETE FROM audit_events WHERE seq = 1"], Finding.MISSING, 1),
        (["DELETE FROM audit_events WHERE seq >= 4"], Finding.TAIL_MISSING, 4),
        (["DELETE FROM audit_events"], Finding.TAIL_MISSING, 1),
        (["DELETE FROM audit_head"], Finding.HEAD_MISSING, None),
        (["UPDATE audit_head SET count = 4"], Finding.HEAD_FORGED, None),
        (["UPDATE audit_head SET digest = 'x'"], Finding.HEAD_FORGED, None),
        (
            [
                "UPDATE audit_events SET seq = 99 WHERE seq = 2",
                "UPDATE audit_events SET seq = 2 WHERE seq = 3",
                "UPDATE audit_events SET seq = 3 WHERE seq = 99",
            ],
            Finding.CHANGED,
            2,
        ),
    ],
)
def test_tampering_is_found(
    store: Store, five: list[AuditEvent], statements: list[str], finding: Finding, seq: int | None
) -> None:
    assert len(five) == 5
    _attack(store, *statements)
    check = store.audit.verify()
    assert (finding, seq) in {(fault.finding, fault.seq) for fault in check.faults}


def test_a_chain_rebuilt_with_right_digests_is_found_by_the_signature(
    store: Store, five: list[AuditEvent]
) -> None:
    assert len(five) == 5
    _rebuild(store, seq=2, why="nobody was asked")
    found = {fault.finding for fault in store.audit.verify().faults}
    assert found == {Finding.HEAD_FORGED}


def test_a_rewritten_chain_is_never_signed_again(store: Store, five: list[AuditEvent]) -> None:
    assert len(five) == 5
    _rebuild(store, seq=2, why="nobody was asked")
    with pytest.raises(ChainError, match="run `firstfault audit verify`"):
        store.audit.append(event("6"))


def test_events_without_a_head_are_never_signed(store: Store, five: list[AuditEvent]) -> None:
    assert len(five) == 5
    _attack(store, "DELETE FROM audit_head")
    with pytest.raises(ChainError, match="no signed head"):
        store.audit.append(event("6"))


def test_an_event_put_in_behind_the_head_is_found(store: Store, five: list[AuditEvent]) -> None:
    head = store.audit.head()
    assert head is not None
    with store.database.writing():
        store.audit.append(event("6"))
        _attack(
            store,
            "UPDATE audit_head SET count = 5, digest = :digest, signature = :signature",
            digest=head.digest,
            signature=head.signature,
        )
    assert {fault.finding for fault in store.audit.verify().faults} == {Finding.TAIL_UNSIGNED}
    assert five[-1].digest == head.digest


def test_another_key_is_named_and_not_called_forgery(store: Store, five: list[AuditEvent]) -> None:
    assert len(five) == 5
    check = AuditLog(store.database, SigningKey(secret=b"s" * 32)).verify()
    assert [fault.finding for fault in check.faults] == [Finding.HEAD_OTHER_KEY]


def test_a_database_put_back_to_an_older_state_is_found_by_an_anchor(
    store: Store, five: list[AuditEvent]
) -> None:
    older = sign_head(store.key, 3, five[2].digest)
    _attack(
        store,
        "DELETE FROM audit_events WHERE seq > 3",
        "UPDATE audit_head SET count = 3, digest = :digest, signature = :signature",
        digest=older.digest,
        signature=older.signature,
    )
    assert store.audit.verify().sound
    noted = Anchor(seq=5, digest=five[4].digest)
    assert [fault.finding for fault in store.audit.verify((noted,)).faults] == [Finding.ANCHOR_MISMATCH]


def test_an_anchor_that_holds_is_no_fault(store: Store, five: list[AuditEvent]) -> None:
    assert store.audit.verify((Anchor(seq=2, digest=five[1].digest),)).sound
    assert not store.audit.verify((Anchor(seq=2, digest=five[2].digest),)).sound


def _rebuild(store: Store, *, seq: int, why: str) -> None:
    """Change one event and make all digests right again, as an attacker without the key can."""
    _attack(store, "UPDATE audit_events SET why = :why WHERE seq = :seq", why=why, seq=seq)
    prev = ""
    for each in list(store.audit.events()):
        fixed = each if each.seq < seq else _relinked(each, prev)
        prev = fixed.digest
        with store.database.writing() as session:
            session.execute(
                text("UPDATE audit_events SET digest = :digest, prev_digest = :prev WHERE seq = :seq"),
                {"digest": fixed.digest, "prev": fixed.prev_digest, "seq": fixed.seq},
            )
    with store.database.writing() as session:
        session.execute(text("UPDATE audit_head SET digest = :digest"), {"digest": prev})


def _relinked(event_: AuditEvent, prev: str) -> AuditEvent:
    linked = replace(event_, prev_digest=prev)
    return replace(linked, digest=event_digest(linked))
