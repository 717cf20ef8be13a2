"""Why a criterion does not hold."""

from collections.abc import Mapping

import pytest

from firstfault.agent.classes.definitions import Criterion
from firstfault.agent.classes.matching import SignalSet
from firstfault.agent.explain.probes import Weighed, weighed
from firstfault.tools.kinds import Kind
from firstfault.tools.signals import Signal
from tests.signals import gpu, node, pod, signal


def probe(rule: Mapping[str, object], *signals: Signal, echoes: Mapping[int, str] | None = None) -> Weighed:
    """Return the criterion made of `rule`, tested."""
    criterion = Criterion.model_validate({"id": "rule", "because": "it was seen", **rule})
    return weighed(criterion, SignalSet(signals=signals, echoes=dict(echoes or {})))


def test_a_criterion_that_holds_gives_its_signals_and_no_reason() -> None:
    found = probe({"any": ["xid.79"]}, signal("xid.79"))
    assert ([s.name for s in found.signals or ()], found.why_not, found.near) == (["xid.79"], "", ())


def test_what_was_not_seen_is_named_and_long_lists_are_counted() -> None:
    assert probe({"any": ["a", "b"]}).why_not == "none of these seen: a, b"
    assert probe({"any": list("abcdef")}).why_not == "none of these seen: a, b, c, d and 2 more"
    assert probe({"all": ["a", "b"]}, signal("a")).why_not == "not seen: b"


def test_the_attributes_asked_for_are_told() -> None:
    rule = {"all": [{"signal": "kube.event", "where": {"reason": {"one_of": ["Failed", "BackOff"]}}}]}
    assert probe(rule).why_not == "not seen: kube.event (reason one_of Failed, BackOff)"


@pytest.mark.parametrize(
    ("matcher", "seen", "reason"),
    [
        (
            {"where": {"reason": "Failed"}},
            signal("s", attributes={"reason": "Pulled"}),
            "reason is Pulled, asked for: eq Failed",
        ),
        ({"where": {"size": {"gt": 3}}}, signal("s"), "size is not known, asked for: gt 3.0"),
        ({"entity": ["pod"]}, signal("s"), "about a gpu, asked for: pod"),
        (
            {"not_family": ["note"]},
            signal("s", kind=Kind.OPERATOR_NOTES),
            "from the family note, which does not count here",
        ),
        ({"min_count": 3}, signal("s", count=2), "seen 2 times, asked for: 3"),
        ({"min_entities": 2}, signal("s"), "on 1 things, asked for: 2"),
        ({"min_nodes": 1}, signal("s"), "on fewer than 1 machines"),
    ],
)
def test_a_signal_that_does_not_count_is_shown_with_the_reason(
    matcher: dict[str, object], seen: Signal, reason: str
) -> None:
    found = probe({"any": [{"signal": "s", **matcher}]}, seen)
    assert found.signals is None
    assert [text for _, text in found.near] == [reason]


def test_too_many_things_are_a_reason_too() -> None:
    both = (signal("s", entity=gpu("a")), signal("s", line=2, entity=gpu("b")))
    (_, reason), _ = probe({"any": [{"signal": "s", "max_entities": 1}]}, *both).near
    assert reason == "on 2 things, asked for at most 1"


def test_an_echo_is_shown_with_the_rule_that_explained_it_away() -> None:
    found = probe({"any": ["sxid.1"]}, signal("sxid.1"), echoes={0: "the GPU was lost before"})
    assert [(s.name, text) for s, text in found.near] == [("sxid.1", "an echo: the GPU was lost before")]


def test_what_bars_it_is_named() -> None:
    found = probe({"all": ["a"], "none": ["b"]}, signal("a"), signal("b", line=2, entity=node("n1")))
    assert found.why_not == "ruled out by b on n1"


def test_parts_on_different_things_are_told_apart() -> None:
    rule = {"all": ["a", "b"], "same": "pod"}
    apart = (signal("a", entity=pod("p")), signal("b", line=2, entity=pod("q")))
    assert probe(rule, *apart).why_not == "seen, but not on one pod: a, b"
    barred = {**rule, "none": ["c"]}
    together = [signal(name, line=at, entity=pod("p")) for at, name in enumerate("abc", start=1)]
    assert probe(barred, *together).why_not == "seen, but not on one pod: a, b, or there c was seen too"


def test_the_wrong_order_and_a_gap_that_is_too_long_are_told() -> None:
    rule = {"all": ["a", "b"], "in_order": True, "within_s": 60}
    assert probe(rule, signal("a", at_s=9), signal("b", line=2, at_s=1)).why_not == (
        "seen, but in another order: a, b"
    )
    assert probe(rule, signal("a", at_s=1), signal("b", line=2, at_s=100)).why_not == (
        "seen, but more than 60 s apart: a, b"
    )


def test_a_choice_that_is_missing_beside_what_is_required() -> None:
    assert probe({"all": ["a"], "any": ["b", "c"]}, signal("a")).why_not == "none of these seen: b, c"
