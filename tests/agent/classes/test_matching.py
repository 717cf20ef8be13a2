"""Predicates of class definitions over signals."""

from collections.abc import Mapping

import pytest

from firstfault.agent.classes.definitions import ClassError, Predicate, load_classes, parse_class
from firstfault.agent.classes.matching import SignalSet, holds
from firstfault.tools.kinds import Kind
from firstfault.tools.signals import Signal
from tests.signals import gpu, node, pod, signal


def check(
    text: Mapping[str, object], *signals: Signal, echoes: dict[int, str] | None = None
) -> list[str] | None:
    """Return the names of what made the predicate hold, or None."""
    found = holds(Predicate.model_validate(text), SignalSet(signals=signals, echoes=echoes or {}))
    return None if found is None else [each.name for each in found]


def test_any_takes_every_signal_that_fits_one_of_the_patterns() -> None:
    assert check(
        {"any": ["xid.79", "smi.*"]}, signal("xid.79"), signal("smi.lost", line=2), signal("xid.13", line=3)
    ) == ["xid.79", "smi.lost"]


def test_any_without_a_fit_is_false() -> None:
    assert check({"any": ["xid.79"]}, signal("xid.13")) is None


def test_a_predicate_without_conditions_holds_with_nothing() -> None:
    assert check({}, signal("xid.13")) == []


def test_none_alone_holds_only_when_nothing_of_it_was_seen() -> None:
    assert check({"none": ["xid.79"]}, signal("xid.13")) == []
    assert check({"none": ["xid.79"]}, signal("xid.79")) is None


def test_echoes_do_not_count_unless_asked_for() -> None:
    assert check({"any": ["sxid.*"]}, signal("sxid.20034"), echoes={0: "lost gpu"}) is None
    assert check(
        {"any": [{"signal": "sxid.*", "echoes": True}]}, signal("sxid.20034"), echoes={0: "lost gpu"}
    ) == ["sxid.20034"]


def test_all_joined_by_node_needs_one_node_that_has_both() -> None:
    rule: dict[str, object] = {"all": ["xid.48", "xid.63"], "same": "node"}
    apart = (
        signal("xid.48", entity=gpu("0000:01:00", "a")),
        signal("xid.63", line=2, entity=gpu("0000:01:00", "b")),
    )
    together = (*apart, signal("xid.63", line=3, entity=gpu("0000:02:00", "a")))
    assert check(rule, *apart) is None
    assert check(rule, *together) == ["xid.48", "xid.63"]


def test_none_is_looked_for_on_the_joined_thing_only() -> None:
    rule: dict[str, object] = {"all": ["kube.pod.pending"], "none": ["kube.pod.scheduled"], "same": "pod"}
    stuck, fine = (
        signal("kube.pod.pending", entity=pod("a")),
        signal("kube.pod.pending", line=2, entity=pod("b")),
    )
    scheduled = signal("kube.pod.scheduled", line=3, entity=pod("b"))
    assert check(rule, stuck, fine, scheduled) == ["kube.pod.pending"]
    assert check(rule, fine, scheduled) is None


def test_in_order_refuses_a_known_wrong_order_and_a_gap_too_long() -> None:
    rule: dict[str, object] = {"all": ["xid.79", "sxid.20034"], "in_order": True, "within_s": 60}
    assert check(rule, signal("xid.79", uptime_s=10), signal("sxid.20034", line=2, uptime_s=20)) is not None
    assert check(rule, signal("sxid.20034", uptime_s=10), signal("xid.79", line=2, uptime_s=20)) is None
    assert check(rule, signal("xid.79", uptime_s=10), signal("sxid.20034", line=2, uptime_s=100)) is None


@pytest.mark.parametrize(
    ("condition", "value", "expected"),
    [
        ("nvidia.com/gpu", "NVIDIA.com/gpu", True),
        (8, 8, True),
        ({"gt": 3}, 3, False),
        ({"ge": 3, "lt": 5}, "4.5", True),
        ({"gt": 3}, "many", False),
        ({"one_of": ["a", "b"]}, "b", True),
        ({"matches": "^wor"}, "worker", True),
        ({"absent": True}, None, True),
        ({"absent": False}, "x", True),
        ({"eq": True}, None, False),
    ],
)
def test_conditions_on_attributes(condition: object, value: str | int | None, expected: bool) -> None:
    attributes = {} if value is None else {"key": value}
    rule = {"any": [{"signal": "s", "where": {"key": condition}}]}
    assert (check(rule, signal("s", attributes=attributes)) is not None) is expected


def test_counts_are_taken_over_folded_repeats_entities_and_nodes() -> None:
    many = signal("xid.45", count=5)
    assert check({"any": [{"signal": "xid.45", "min_count": 5}]}, many) is not None
    assert check({"any": [{"signal": "xid.45", "min_count": 6}]}, many) is None
    two = (signal("x", entity=node("a")), signal("x", line=2, entity=node("b")))
    assert check({"any": [{"signal": "x", "min_nodes": 2}]}, *two) is not None
    assert check({"any": [{"signal": "x", "min_entities": 3}]}, *two) is None
    assert check({"any": [{"signal": "x", "max_entities": 1}]}, *two) is None


def test_family_decides_whether_a_persons_word_counts() -> None:
    said = signal("xid.79", kind=Kind.OPERATOR_NOTES, path="raw/notes.txt")
    assert check({"any": [{"signal": "xid.79", "not_family": ["note"]}]}, said) is None
    assert check({"any": [{"signal": "xid.79", "family": ["note"]}]}, said) is not None


def test_a_broken_definition_names_file_and_field() -> None:
    with pytest.raises(ClassError, match=r"`x.yaml`, field `owner`"):
        parse_class("class: gpu.x\ntitle: t\nowner: nobody\nsources: []\nlooks_for: []\n", "x.yaml")
    with pytest.raises(ClassError, match="names no signal"):
        parse_class(
            "class: gpu.x\ntitle: t\nowner: platform\nsources: []\nlooks_for: [{id: a, because: b}]\n",
            "x.yaml",
        )


def test_every_shipped_definition_loads_and_names_known_rivals_only() -> None:
    definitions = load_classes()
    names = {definition.failure_class for definition in definitions}
    assert len(names) == len(definitions) > 0


WELL = signal("kube.node.ready", kind=Kind.KUBE_OBJECTS, path="raw/nodes.json", entity=node("n-1"))


def test_a_machine_that_only_is_well_speaks_for_nothing() -> None:
    assert check({"any": ["kube.node.*"]}, WELL, signal("xid.79", node="n-2", line=2)) is None
    known = SignalSet(signals=(WELL,))
    assert not known.named(("kube.node.*",))
    assert not [*known.names]


@pytest.mark.parametrize(
    "beside",
    [
        signal("xid.79", node="n-1", line=2),
        signal("kube.node.cordoned", entity=node("n-1"), line=2),
        signal("alert.firing", entity=pod("p"), attributes={"node": "n-1"}, line=2),
    ],
    ids=["a device of it", "itself", "a pod on it"],
)
def test_that_a_machine_is_well_counts_where_more_is_said_of_it(beside: Signal) -> None:
    assert check({"any": ["kube.node.ready"]}, WELL, beside) == ["kube.node.ready"]
