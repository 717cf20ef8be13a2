"""Which rules a recording sets off, and how hits are counted."""

from pathlib import Path

from firstfault.agent.classes.definitions import parse_class
from firstfault.agent.correlate.echoes import EchoRule
from firstfault.evals.rules import count_hits, rules_document, rules_table
from firstfault.evals.traces import Rule, RuleKind, RuleSet, shipped_rules, signal_row, trace_path
from tests.evals.samples import write_case
from tests.signals import signal

CLASS = """\
class: gpu.fell_off_bus
title: GPU gone
owner: platform
sources: [a document]
looks_for:
  - {id: xid-79, any: [xid.79], because: gone}
  - {id: smi, any: [smi.device_lost], because: gone}
contradicted_by:
  - {id: answers, any: [smi.healthy], because: it answers}
mechanisms:
  - {name: with_switches, any: [{signal: sxid.20034, echoes: true}]}
  - {name: alone}
"""
ECHO = {
    "id": "sxid-after-79",
    "echo": "sxid.20034",
    "of": "xid.79",
    "same": "any",
    "because": "the GPU went first",
    "source": "a document",
}
RULES = RuleSet(classes=[parse_class(CLASS, "test")], echoes=[EchoRule.model_validate(ECHO)])


def test_signals_set_off_criteria_mechanisms_and_echo_rules() -> None:
    traced = RULES.trace([signal("xid.79", line=1), signal("sxid.20034", line=2)])
    assert {(rule.kind.value, rule.id) for rule in traced} == {
        ("signal", signal_row("xid.79")),
        ("signal", signal_row("sxid.20034")),
        ("criterion", "gpu.fell_off_bus/xid-79"),
        ("mechanism", "gpu.fell_off_bus/with_switches"),
        ("echo", "sxid-after-79"),
    }


def test_every_rule_is_known_even_when_nothing_hits_it() -> None:
    rules = {(rule.kind.value, rule.id) for rule in RULES.all_rules()}
    assert {("criterion", "gpu.fell_off_bus/smi"), ("contradiction", "gpu.fell_off_bus/answers")} <= rules
    assert ("mechanism", "gpu.fell_off_bus/alone") not in rules


def test_a_signal_belongs_to_the_table_row_that_gives_it() -> None:
    assert signal_row("xid.79") == signal_row("xid.31") == "xid.*"
    assert signal_row("no.such.signal") == "no.such.signal"


def test_single_hits_and_untested_rules_are_pointed_out() -> None:
    one, two, none = (Rule(kind=RuleKind.ECHO, id=name) for name in ("one", "two", "none"))
    hits = count_hits([one, two, none], {"a": frozenset({one, two}), "b": frozenset({two})}, {})
    table = rules_table(hits)
    assert "## echo (3: 1 hit by one case only, 1 by nothing)" in table
    assert "| `one` | 1 | 0 | only a |" in table
    assert "| `two` | 2 | 0 |  |" in table
    assert "| `none` | 0 | 0 | nothing hits it |" in table


def test_the_short_page_lists_only_what_few_hit_and_says_what_that_means() -> None:
    one, two = (Rule(kind=RuleKind.ECHO, id=name) for name in ("one", "two"))
    hits = count_hits([one, two], {"a": frozenset({one, two}), "b": frozenset({two})}, {})
    page = rules_table(hits, {"one": "the format is rare"}, only_few=True)
    assert "| `one` | 1 | 0 | only a: the format is rare |" in page
    assert "`two`" not in page
    assert "alone it decides nothing" in page
    assert "## signal (0: 0 hit by one case only, 0 by nothing)\n\nNone." in page


def test_an_input_of_our_own_makes_a_single_hit_no_longer_single() -> None:
    rule = Rule(kind=RuleKind.CRITERION, id="x/y")
    hits = count_hits([rule], {"a": frozenset({rule})}, {"mine": frozenset({rule})})
    assert (hits[0].is_single, hits[0].is_untested) == (False, False)
    assert rules_document(hits)["rules"] == [
        {"kind": "criterion", "id": "x/y", "cases": ["a"], "inputs": ["mine"]}
    ]


def test_a_recorded_case_is_traced_through_the_shipped_rules(tmp_path: Path) -> None:
    traced = trace_path(write_case(tmp_path / "a"), shipped_rules())
    assert Rule(kind=RuleKind.SIGNAL, id="xid.*") in traced
    assert Rule(kind=RuleKind.CRITERION, id="gpu.fell_off_bus/xid-79") in traced
