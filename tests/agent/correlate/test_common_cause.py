"""What affected machines share: real shared causes are found, skews and planned work are not."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from firstfault.agent.correlate.common_cause import as_signals, common_causes, shared_by_kind, upper_tail
from firstfault.tools.bodies import MemoryBody
from firstfault.tools.evidence import Document
from firstfault.tools.kinds import Kind
from firstfault.tools.topology.groups import Membership, expand_hostlist, memberships
from tests.signals import node, signal


def topology(
    rows: list[tuple[str, ...]], header: tuple[str, ...] = ("node", "switch", "rack")
) -> tuple[Membership, ...]:
    """Return the memberships of a plain topology.csv."""
    text = "\n".join(",".join(row) for row in (header, *rows)) + "\n"
    document = Document(
        path="topology.csv", kind=Kind.TOPOLOGY, body=MemoryBody(text.encode()), source="t", query="t"
    )
    return memberships((), (document,))


FLEET = topology([(f"n{i:02d}", f"leaf{i // 8}", f"r{i % 4}") for i in range(64)])


def test_eight_nodes_of_one_switch_inside_a_minute_share_it() -> None:
    hit = [signal("mlx5.link_down", entity=node(f"n{i:02d}"), at_s=i) for i in range(8)]
    found = common_causes(hit, FLEET)
    assert [(c.dimension, c.value, c.affected, c.total) for c in found] == [("switch", "leaf0", 8, 8)]
    assert found[0].p_value < 1e-6
    assert found[0].evidence[0].excerpt == "n00,leaf0,r0"


def test_two_of_many_is_chance() -> None:
    hit = [signal("xid.79", entity=node(f"n{i:02d}"), at_s=0) for i in (0, 1)]
    assert common_causes(hit, FLEET) == ()


def test_a_skew_over_weeks_is_no_event() -> None:
    week = 7 * 86_400
    hit = [signal("xid.48", entity=node(f"n{i:02d}"), at_s=i * week) for i in range(8)]
    assert common_causes(hit, FLEET) == ()


def test_what_every_node_has_says_nothing() -> None:
    everywhere = topology([(f"n{i}", "leaf0", f"r{i}") for i in range(8)])
    assert common_causes([signal("x", entity=node(f"n{i}"), at_s=0) for i in range(8)], everywhere) == ()


def test_kinds_of_signal_are_not_mixed_and_notes_do_not_count() -> None:
    mixed = [
        signal("a", entity=node(f"n{i:02d}"), at_s=0)
        if i % 2
        else signal("b", entity=node(f"n{i:02d}"), at_s=0)
        for i in range(4)
    ]
    assert shared_by_kind(mixed, FLEET) == ()
    said = [signal("a", entity=node(f"n{i:02d}"), at_s=0, kind=Kind.OPERATOR_NOTES) for i in range(8)]
    assert shared_by_kind(said, FLEET) == ()


def test_a_shared_cause_becomes_a_signal_with_its_numbers() -> None:
    hit = [signal("mlx5.link_down", entity=node(f"n{i:02d}"), at_s=i) for i in range(8)]
    made = as_signals(shared_by_kind(hit, FLEET))
    assert [(s.name, s.entity.name, s.attributes["affected"]) for s in made] == [
        ("common.switch", "leaf0", 8)
    ]


def test_slurm_topology_and_host_lists_are_read() -> None:
    text = "SwitchName=leaf1 Nodes=gpu[01-03,7],login1\nSwitchName=top Switches=leaf[1-2]\n"
    document = Document(
        path="topology.conf", kind=Kind.TOPOLOGY, body=MemoryBody(text.encode()), source="t", query="t"
    )
    assert {(m.node, m.value) for m in memberships((), (document,))} == {
        (name, "leaf1") for name in ("gpu01", "gpu02", "gpu03", "gpu7", "login1")
    }
    assert list(expand_hostlist("a[9-11]b")) == ["a9b", "a10b", "a11b"]


@given(st.integers(1, 40), st.data())
def test_the_tail_is_a_probability_and_falls_with_more_inside(total: int, data: st.DataObject) -> None:
    group = data.draw(st.integers(0, total))
    drawn = data.draw(st.integers(0, total))
    tails = [upper_tail(total, group, drawn, inside) for inside in range(min(group, drawn) + 1)]
    assert abs(tails[0] - 1.0) < 1e-9
    assert all(0.0 <= later <= earlier + 1e-12 for earlier, later in pairwise(tails))
