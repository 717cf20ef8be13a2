import pytest

from firstfault.tools.catalogs.comparisons import Comparison, conditions_of
from firstfault.tools.catalogs.fact_rules import FactTest, fact_rules
from firstfault.tools.catalogs.fact_rules import rules_for as fact_rules_for
from firstfault.tools.catalogs.metric_rules import metric_rules
from firstfault.tools.catalogs.metric_rules import rules_for as metric_rules_for


@pytest.mark.parametrize(
    ("text", "value", "holds"),
    [
        ("> 0", 1, True),
        ("> 0", 0, False),
        ("<= 0.02", 0.02, True),
        ("!= 4", 4, False),
        ("has 0x80", 0x84, True),
        ("has 0x80", 0x44, False),
        ("has 0x80", -1, False),
    ],
)
def test_comparisons(text: str, value: float, *, holds: bool) -> None:
    assert Comparison.of(text).holds(value) is holds


@pytest.mark.parametrize("text", ["about 3", "> many", "", "has", ">"])
def test_what_is_no_comparison_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        Comparison.of(text)


@pytest.mark.parametrize(
    ("text", "labels", "holds"),
    [
        ("state=failed", {"state": "failed"}, True),
        ("state!=failed", {}, True),
        ("device!~lo|veth.*", {"device": "veth1a2b"}, False),
        ("device!~lo|veth.*", {"device": "eth0"}, True),
        ("a=~x|y;b=z", {"a": "y", "b": "z"}, True),
        ("a=~x|y;b=z", {"a": "y"}, False),
    ],
)
def test_conditions_read_as_in_prometheus(text: str, labels: dict[str, str], *, holds: bool) -> None:
    assert all(condition.holds(labels) for condition in conditions_of(text)) is holds


def test_what_is_no_condition_is_refused() -> None:
    with pytest.raises(ValueError, match="no such condition: `nonsense`"):
        conditions_of("nonsense")


def test_every_rule_has_a_meaning_and_a_source() -> None:
    assert all(rule.meaning and rule.source and rule.unit for rule in metric_rules())
    assert all(rule.meaning and rule.source for rule in fact_rules())


def test_ids_are_used_once() -> None:
    for rules in (metric_rules(), fact_rules()):
        ids = [rule.id for rule in rules]
        assert len(ids) == len(set(ids))


def test_rules_are_found_by_whole_names() -> None:
    assert [rule.id for rule in metric_rules_for("DCGM_FI_DEV_XID_ERRORS")] == ["dcgm_xid_latched"]
    assert metric_rules_for("my_DCGM_FI_DEV_XID_ERRORS") == ()
    assert [rule.id for rule in fact_rules_for("smi.remapped_rows.pending")] == ["remap_pending"]


def test_power_cap_and_idle_are_no_faults() -> None:
    masks = [rule.test.threshold for rule in metric_rules() if rule.how == "bits"]
    assert not {float(0x1), float(0x4)} & set(masks)


@pytest.mark.parametrize(
    "words", ["is yes", "not none", "> 0", "< 1 other", "> 0.5 absolute", "below others"]
)
def test_the_forms_of_a_test(words: str) -> None:
    assert FactTest.of(words).how in {"is", "not", "number", "share", "absolute", "below others"}
