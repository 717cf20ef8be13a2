"""What machines looked like, on both databases."""

from datetime import datetime, timedelta

from firstfault.agent.store import Store
from firstfault.agent.store.pruning import Retention
from firstfault.tools.topology.machines import Machine

TICK = timedelta(minutes=10)


def machine(name: str, driver: str = "550") -> Machine:
    """Return a machine."""
    return Machine(name=name, body=f'{{"driver":"{driver}","odd":"\x00\ud800"}}')


def test_a_fleet_that_does_not_change_is_one_row_each(store: Store, now: datetime) -> None:
    fleet = [machine(f"n{number:04d}") for number in range(1200)]
    assert store.machines.record("lab", fleet, now) == 1200
    assert store.machines.record("lab", fleet, now + TICK) == 0
    (seen,) = store.machines.history("lab", ["n0007"], now, now + TICK)
    assert (seen.first_seen, seen.last_seen) == (now, now + TICK)


def test_what_it_was_before_and_since_when_it_is_otherwise(store: Store, now: datetime) -> None:
    store.machines.record("lab", [machine("a"), machine("b")], now)
    store.machines.record("lab", [machine("a", "570"), machine("b")], now + TICK)
    store.machines.record("lab", [machine("b")], now + 2 * TICK)
    before, after = store.machines.history("lab", ["a"], now, now + 2 * TICK)
    assert ("550" in before.machine.body, "570" in after.machine.body) == (True, True)
    assert (before.last_seen, after.first_seen, after.last_seen) == (now, now + TICK, now + TICK)
    assert store.machines.history("lab", ["a"], now, now) == (before,)
    assert store.machines.history("other", ["a"], now, now + TICK) == ()


def test_a_machine_that_came_back_as_it_was_is_told_in_order(store: Store, now: datetime) -> None:
    for step, driver in enumerate(("550", "570", "550")):
        store.machines.record("lab", [machine("a", driver)], now + step * TICK)
    found = store.machines.history("lab", ["a"], now, now + 2 * TICK)
    assert [each.machine.body.count("550") for each in found] == [1, 0, 1]
    late = store.machines.history("lab", ["a"], now + 2 * TICK, now + 2 * TICK)
    assert [each.first_seen for each in late] == [now + TICK, now + 2 * TICK]


def test_old_looks_are_pruned_and_the_newest_stays(store: Store, now: datetime) -> None:
    store.machines.record("lab", [machine("a"), machine("gone")], now)
    store.machines.record("lab", [machine("a", "570")], now + timedelta(days=40))
    pruned = store.pruning.prune(Retention(snapshots_days=30), now + timedelta(days=40))
    assert pruned.rows["snapshots"] == 2
    (left,) = store.machines.history("lab", ["a", "gone"], now, now + timedelta(days=41))
    assert "570" in left.machine.body
