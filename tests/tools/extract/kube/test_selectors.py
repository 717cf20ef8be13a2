"""Selectors, affinity, taints and tolerations are judged as Kubernetes judges them, whatever an object holds instead."""

import pytest

from firstfault.tools.extract.kube.selectors import (
    affinity_fits,
    maps,
    mismatches,
    requirement_holds,
    selector_matches,
    text_map,
    texts,
    tolerates,
    untolerated,
)
from firstfault.tools.readings import Json

LABELS = {"zone": "a", "gpus": "8", "pool": "h100"}


@pytest.mark.parametrize(
    ("requirement", "holds"),
    [
        ({"key": "zone", "operator": "In", "values": ["a", "b"]}, True),
        ({"key": "zone", "operator": "In", "values": []}, False),
        ({"key": "zone", "operator": "NotIn", "values": ["a"]}, False),
        ({"key": "absent", "operator": "NotIn", "values": ["a"]}, True),
        ({"key": "absent", "operator": "Exists"}, False),
        ({"key": "absent", "operator": "DoesNotExist"}, True),
        ({"key": "gpus", "operator": "Gt", "values": ["4"]}, True),
        ({"key": "gpus", "operator": "Lt", "values": ["4"]}, False),
        ({"key": "zone", "operator": "Gt", "values": ["4"]}, False),
        ({"key": "gpus", "operator": "Gt", "values": ["many"]}, False),
        ({}, False),
    ],
)
def test_expressions(requirement: dict[str, Json], holds: bool) -> None:
    assert requirement_holds(requirement, LABELS) is holds


def test_terms_are_alternatives_and_expressions_in_one_add_up() -> None:
    here: Json = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}
    both: Json = {
        "matchExpressions": [
            {"key": "zone", "operator": "In", "values": ["a"]},
            {"key": "pool", "operator": "In", "values": ["a100"]},
        ]
    }
    named: Json = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
    assert affinity_fits([both, here], LABELS, "n9")
    assert not affinity_fits([both], LABELS, "n9")
    assert affinity_fits([named], {}, "n1")
    assert not affinity_fits([named], {}, "n2")
    assert affinity_fits(None, {}, "n1")


@pytest.mark.parametrize(
    ("toleration", "fits"),
    [
        ({"operator": "Exists"}, True),
        ({"key": "gpu", "operator": "Exists"}, True),
        ({"key": "gpu", "value": "yes", "effect": "NoSchedule"}, True),
        ({"key": "gpu", "value": "no"}, False),
        ({"key": "gpu", "operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "other", "operator": "Exists"}, False),
        ({}, False),
    ],
)
def test_tolerations(toleration: dict[str, Json], fits: bool) -> None:
    assert tolerates(toleration, {"key": "gpu", "value": "yes", "effect": "NoSchedule"}) is fits


def test_a_taint_that_only_prefers_keeps_nobody_away() -> None:
    taints: list[dict[str, Json]] = [
        {"key": "soft", "effect": "PreferNoSchedule"},
        {"key": "hard", "effect": "NoExecute"},
    ]
    assert untolerated(taints, []) == ["hard"]


def test_an_empty_selector_fits_everything_and_none_fits_nothing() -> None:
    assert selector_matches({}, LABELS)
    assert not selector_matches(None, LABELS)
    assert not selector_matches("zone=a", LABELS)
    assert selector_matches({"matchLabels": {"zone": "a"}}, LABELS)
    assert mismatches({"zone": "b", "pool": "h100"}, LABELS) == ["zone"]


@pytest.mark.parametrize("value", [None, "text", 3, [1, None], {"a": {"b": 1}}])
def test_what_is_malformed_is_empty(value: Json) -> None:
    assert text_map(value) == {}
    assert maps(value) == []
    assert texts(None) == []


def test_truth_values_are_written_as_labels_are() -> None:
    assert text_map({"on": True, "off": False, "n": 1}) == {"on": "true", "off": "false", "n": "1"}
