"""Echo rules in both directions: what is an echo, and the exception."""

import pytest

from firstfault.agent.classes.definitions import Matcher
from firstfault.agent.correlate.echoes import EchoRule, find_echoes, load_echo_rules
from firstfault.tools.kinds import Kind
from firstfault.tools.signals import Signal, Value
from tests.signals import gpu, signal


def rule(**fields: object) -> EchoRule:
    """Return a rule with the given fields."""
    return EchoRule.model_validate(
        {"id": "r", "echo": "sxid.*", "of": "xid.79", "because": "b", "source": "s", **fields}
    )


def echoed(given: EchoRule, *signals: Signal) -> list[int]:
    """Return the indices that the rule explains away."""
    return [echo.index for echo in find_echoes(signals, (given,))]


def test_a_later_signal_on_the_same_node_is_an_echo_of_the_root() -> None:
    assert echoed(rule(), signal("xid.79", uptime_s=1), signal("sxid.20034", line=2, uptime_s=5)) == [1]


def test_what_is_known_to_come_first_is_no_echo() -> None:
    assert echoed(rule(), signal("sxid.20034", uptime_s=1), signal("xid.79", line=2, uptime_s=5)) == []


def test_another_node_is_no_root_but_an_unknown_node_may_be() -> None:
    root = signal("xid.79", entity=gpu("0000:01:00", "a"))
    elsewhere = signal("sxid.20034", line=2, entity=gpu("0000:02:00", "b"))
    unnamed = signal("sxid.20034", line=3)
    assert echoed(rule(), root, elsewhere, unnamed) == [2]


def test_too_late_is_no_echo() -> None:
    late = signal("sxid.20034", line=2, uptime_s=500)
    assert echoed(rule(within_s=120), signal("xid.79", uptime_s=1), late) == []


def test_the_exception_keeps_a_signal_from_being_an_echo() -> None:
    given = rule(unless="nvlink.planned_reboot")
    signals = (signal("nvlink.planned_reboot"), signal("xid.79", line=2), signal("sxid.20034", line=3))
    assert echoed(given, *signals) == []
    assert echoed(given, *signals[1:]) == [1]


def test_without_a_root_in_the_rule_a_signal_is_always_an_echo() -> None:
    assert echoed(rule(echo="xid.154", of=None), signal("xid.154")) == [0]


def test_the_same_thing_is_compared_by_canonical_address() -> None:
    given = rule(echo="xid.63", of="xid.48", same="entity")
    root = signal("xid.48", entity=gpu("PCI:0000:91:00"))
    assert echoed(given, root, signal("xid.63", line=2, entity=gpu("00000000:91:00.0"))) == [1]
    assert echoed(given, root, signal("xid.63", line=2, entity=gpu("0000:92:00"))) == []


def test_shipped_rules_have_unique_ids_reasons_and_sources() -> None:
    rules = load_echo_rules()
    assert len({each.id for each in rules}) == len(rules) > 0
    assert all(each.because and each.source for each in rules)


SAYS = {"what": "CUDA error: an error", "exc": "torch.distributed.DistBackendError"}
"""Texts that fit the rules with a pattern for an attribute."""


def attributes_of(matcher: Matcher) -> dict[str, Value]:
    """Return attributes that fit the matcher."""
    return {key: SAYS[key] if test.eq is None else test.eq for key, test in matcher.where.items()}


def example(pattern: str) -> str:
    """Return a signal name that fits the pattern."""
    return pattern.replace("*", "4")


ROOTED = [each for each in load_echo_rules() if each.of is not None and each.older_by_s is None]


@pytest.mark.parametrize(
    ("given", "root"),
    [(each, example(pattern)) for each in ROOTED if each.of for pattern in each.of.signal],
    ids=lambda each: each.id if isinstance(each, EchoRule) else each,
)
def test_a_shipped_rule_holds_after_its_root_and_not_before_it(given: EchoRule, root: str) -> None:
    assert given.of is not None
    echo = example(given.echo.signal[0])
    attributes = attributes_of(given.echo)
    one = gpu("0000:01:00", "a")
    first = signal(root, entity=one, uptime_s=1, attributes=attributes_of(given.of))
    line = 1 if given.same == "line" else 2
    later = signal(echo, line=line, entity=one, uptime_s=2, attributes=attributes)
    assert echoed(given, first, later) == [1]
    assert echoed(given, later) == []
    if given.after:
        earlier = signal(echo, line=2, entity=one, uptime_s=0, attributes=attributes)
        assert echoed(given, first, earlier) == []
    if given.same == "line":
        assert echoed(given, first, signal(echo, line=2, entity=one, uptime_s=2, attributes=attributes)) == []
    if given.same == "node":
        assert echoed(given, first, signal(echo, line=2, entity=gpu("0000:01:00", "b"), uptime_s=2)) == []


def test_where_words_do_not_count_what_a_machine_shows_is_no_echo_of_them() -> None:
    words = signal("xid.79", kind=Kind.OPERATOR_NOTES, path="raw/notes.txt")
    shown = signal("sxid.20034", line=2)
    assert echoed(rule(same="any"), words, shown) == [1]
    assert echoed(rule(same="any", told=False), words, shown) == []
    assert echoed(rule(same="any", told=False), signal("xid.79"), shown) == [1]


def test_what_is_much_older_than_the_root_is_beside_it_and_no_echo() -> None:
    given = rule(echo="xid.31", of="collective.hang_start", same="any", older_by_s=900)
    hang = signal("collective.hang_start", at_s=0)
    (old,) = find_echoes((hang, signal("xid.31", line=2, at_s=-86_400)), (given,))
    assert old.is_beside
    assert echoed(given, hang, signal("xid.31", line=2, at_s=-60)) == []
    assert echoed(given, hang, signal("xid.31", line=2)) == []
