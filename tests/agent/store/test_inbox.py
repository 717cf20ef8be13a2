"""The inbox on both databases: nothing lost, nothing doubled."""

from dataclasses import replace
from datetime import datetime, timedelta

from firstfault.agent.findings import Incident
from firstfault.agent.store import Store
from firstfault.agent.store.inbox import Received
from firstfault.tools.alerts.alert import Alert


def alert(now: datetime, name: str = "a") -> Alert:
    """Return a firing alert."""
    return Alert(
        fingerprint=name, starts_at=now, is_firing=True, labels={"alertname": name, "odd": "\x00\ud800"}
    )


def test_a_redelivery_is_known_and_a_resolution_ends_it(store: Store, now: datetime) -> None:
    first = alert(now)
    over = replace(first, is_firing=False, ends_at=now + timedelta(minutes=3))
    assert store.inbox.receive([first, alert(now, "b")], now) == Received(new=2)
    assert store.inbox.receive([first], now) == Received(known=1)
    assert store.inbox.receive([over], now) == Received(known=1, ended=1)
    assert [each.is_firing for each in store.inbox.unassigned(10)] == [False, True]
    assert store.inbox.count() == 2


def test_the_same_rule_firing_again_later_is_another_occurrence(store: Store, now: datetime) -> None:
    again = replace(alert(now), starts_at=now + timedelta(hours=1))
    assert store.inbox.receive([alert(now), again], now) == Received(new=2)


def test_an_alert_belongs_to_one_incident(store: Store, now: datetime) -> None:
    store.inbox.receive([alert(now), alert(now, "b")], now)
    for name in ("i1", "i2"):
        store.incidents.open(Incident(id=name, question="q", correlation_id=name), now)
        store.inbox.assign([alert(now).key], name)
    assert [each.fingerprint for each in store.inbox.of("i1")] == ["a"]
    assert store.inbox.of("i2") == ()
    assert [each.fingerprint for each in store.inbox.unassigned(10)] == ["b"]


def test_many_alerts_at_once_are_each_kept_once_and_in_order(store: Store, now: datetime) -> None:
    storm = [alert(now, f"a{number:04d}") for number in range(1203)]
    assert store.inbox.receive([*storm, *storm[:2]], now) == Received(new=1203, known=2)
    assert store.inbox.receive(storm, now) == Received(known=1203)
    assert [each.fingerprint for each in store.inbox.unassigned(2000)] == [each.fingerprint for each in storm]
