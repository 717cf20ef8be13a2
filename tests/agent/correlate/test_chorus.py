"""What thousands say is told by a few that count for all, and nothing that tells machines apart is lost."""

from firstfault.agent.correlate.chorus import HEARD_ON, KEPT, MOST_VOICES, gathered
from firstfault.agent.correlate.common_cause import shared_by_kind
from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.kinds import Kind
from firstfault.tools.signals import Signal
from firstfault.tools.topology.groups import Membership
from tests.signals import signal


def said(name: str, number: int, machine: str, kind: EntityKind = EntityKind.RANK) -> Signal:
    entity = EntityRef(kind=kind, name=str(number), node=machine)
    return signal(name, entity=entity, path=f"rank{number:05}.log", kind=Kind.APPLICATION_LOG, at_s=number)


def ranks(count: int, per_machine: int = 8) -> list[Signal]:
    return [said("nccl.watchdog_timeout", each, f"gpu-{each // per_machine:04}") for each in range(count)]


def test_few_voices_are_all_listed() -> None:
    few = ranks(MOST_VOICES)
    assert gathered(few) == tuple(few)


def test_many_are_told_by_the_earliest_which_count_for_all() -> None:
    kept = gathered(ranks(10_000))
    assert [each.entity.name for each in kept] == [str(number) for number in range(KEPT)]
    assert kept[0].others == 10_000 - KEPT
    assert sum(each.count for each in kept) == 10_000
    assert kept[0].attributes[HEARD_ON] == 1_250


def test_the_order_of_the_signals_decides_nothing() -> None:
    many = ranks(200)
    assert gathered(many[::-1])[::-1] == gathered(many)


def test_what_a_minority_of_machines_say_is_kept_for_each_of_them() -> None:
    crowd = ranks(1_600)
    lost = [
        said("mlx5.link_down", port, f"gpu-{machine:04}", EntityKind.ADAPTER)
        for machine in range(32)
        for port in range(2 * machine, 2 * machine + 2)
    ]
    kept = [each for each in gathered([*crowd, *lost]) if each.name == "mlx5.link_down"]
    assert [each.entity.node for each in kept] == [f"gpu-{machine:04}" for machine in range(32)]
    assert all((each.count, each.others) == (2, 1) for each in kept)


def test_the_few_are_no_sample_of_the_machines() -> None:
    evidence = signal("kube.node").evidence
    stated = [
        Membership(node=f"gpu-{each:04}", dimension="switch", value=f"leaf-{each // 32}", evidence=evidence)
        for each in range(128)
    ]
    assert shared_by_kind(gathered(ranks(1_024)), stated) == ()
