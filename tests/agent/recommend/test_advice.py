"""What is recommended and warned of, from conclusions over small definitions."""

import pytest

from firstfault.agent.classes.definitions import parse_class
from firstfault.agent.classes.matching import SignalSet
from firstfault.agent.correlate.common_cause import as_signals, shared_by_kind
from firstfault.agent.findings import Verdict
from firstfault.agent.hypotheses.conclusions import conclude
from firstfault.agent.recommend.advice import recommend, warn
from firstfault.policies.actions import Action
from firstfault.tools.signals import Signal
from tests.agent.correlate.test_common_cause import FLEET
from tests.signals import gpu, node, signal

LINK = """
class: network.link_down
title: port of {entity} is down
owner: platform
sources: [test]
looks_for: [{id: down, strength: decisive, any: [mlx5.link_down], because: "{entity} lost its link"}]
culprit: [{signal: mlx5.link_down, take: node}]
actions:
  - {action: cordon_node, target: node, why: "jobs that cross it hang"}
  - {action: escalate_fabric_team, why: "look at cable and port"}
do_not: [{action: gpu_reset, why: "GPUs only wait"}]
"""


def advise(*signals: Signal) -> tuple[list[tuple[str, str]], list[str]]:
    """Return (action, target) in order, and the actions warned of."""
    known = SignalSet(signals=signals)
    found = conclude([parse_class(LINK, "test")], known, (), ())
    done = [(each.action.value, each.target.name) for each in recommend(found, known)]
    return done, [each.action for each in warn(found, known)]


def test_the_class_rules_come_first_and_the_owner_is_told_last() -> None:
    done, warned = advise(signal("mlx5.link_down", entity=node("n07")))
    assert done == [("cordon_node", "n07"), ("escalate_fabric_team", "n07"), ("notify_platform_owner", "n07")]
    assert warned == ["gpu_reset"]


def test_nothing_known_asks_for_data_and_tells_both() -> None:
    done, warned = advise(signal("something.else"))
    assert [action for action, _ in done] == [
        "collect_more_data",
        "notify_platform_owner",
        "notify_application_owner",
    ]
    assert warned == []


def test_an_unnamed_machine_is_named_unknown() -> None:
    done, _ = advise(signal("mlx5.link_down", entity=gpu("0000:41:00")))
    assert done[0] == ("cordon_node", "unknown")


def test_a_shared_cause_forbids_acting_node_by_node() -> None:
    hit = tuple(signal("mlx5.link_down", entity=node(f"n{i:02d}"), at_s=i) for i in range(8))
    done, warned = advise(*hit, *as_signals(shared_by_kind(hit, FLEET)))
    assert done[0] == ("escalate_fabric_team", "leaf0")
    assert not {Action.CORDON_NODE.value, Action.DRAIN_NODE.value} & {action for action, _ in done}
    assert warned[0] == "cordon_node"


MACHINE = """
class: network.link_down
title: a port is down
owner: platform
sources: [test]
looks_for: [{id: down, strength: %s, any: [mlx5.link_down], because: "a link is lost"}]
actions:
  - {action: cordon_node, target: node, why: "it may be the machine"}
  - {action: drain_node, target: node, why: "it may be the machine"}
  - {action: gpu_reset, target: node, why: "it may be the machine"}
  - {action: node_reboot, target: node, why: "it may be the machine"}
  - {action: node_replace, target: node, why: "it may be the machine"}
"""


@pytest.mark.parametrize(("strength", "is_open"), [("weak", True), ("strong", False), ("decisive", False)])
def test_no_machine_is_stopped_on_a_guess(strength: str, is_open: bool) -> None:
    definition = parse_class(MACHINE % strength, "test")
    known = SignalSet(signals=(signal("mlx5.link_down", entity=node("n07")),))
    found = conclude([definition], known, (), ())
    done = {each.action for each in recommend(found, known)}
    assert (found.diagnosis.verdict is Verdict.INCONCLUSIVE) is is_open
    stopping = {Action.DRAIN_NODE, Action.GPU_RESET, Action.NODE_REBOOT, Action.NODE_REPLACE}
    assert done & stopping == (set() if is_open else stopping)
    assert Action.CORDON_NODE in done
