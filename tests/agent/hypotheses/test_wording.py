"""Headlines: names from evidence where there are any, the kind of thing where there are none; names never altered."""

import pytest

from firstfault.agent.hypotheses.wording import fill
from firstfault.tools.entities import EntityKind, EntityRef
from tests.signals import signal

NAMELESS = EntityRef(kind=EntityKind.UNKNOWN, name="unknown")
HOST = EntityRef(kind=EntityKind.NODE, name="gpu-7")
FIFTH = EntityRef(kind=EntityKind.GPU, name="5")
POD = EntityRef(kind=EntityKind.POD, name="web-0")


@pytest.mark.parametrize(
    ("template", "layer", "expected"),
    [
        ("GPU {entity} is too hot", "gpu", "A GPU is too hot"),
        ("Memory error on GPU {entity}, contained", "gpu", "Memory error on a GPU, contained"),
        ("NVLink {link} of {entity} is down", "nvlink", "An NVLink of a GPU is down"),
        (
            "{entity} was killed at its memory limit",
            "application",
            "The program was killed at its memory limit",
        ),
        ("What {entity} calls limits it", "application", "What the program calls limits it"),
        (
            "Connections to {target} are used up",
            "application",
            "Connections to what the program calls are used up",
        ),
        ("The {probe} probe of {entity} is late", "kubernetes", "The probe of a workload is late"),
        ("A rank stops on its own ({entity})", "application", "A rank stops on its own"),
        (
            "No node has enough devices ({detail}) for {entity}",
            "kubernetes",
            "No node has enough devices for a workload",
        ),
        ("Network port {entity} is down", "network", "A network port is down"),
    ],
)
def test_what_has_no_name_is_called_by_its_kind(template: str, layer: str, expected: str) -> None:
    assert fill(template, [signal("a.b", entity=NAMELESS)], layer=layer) == expected


@pytest.mark.parametrize(
    ("template", "entity", "expected"),
    [
        ("GPU {entity} is too hot", FIFTH, "GPU 5 is too hot"),
        ("{entity} exceeds its limit", FIFTH, "GPU 5 exceeds its limit"),
        ("{entity} exceeds its limit", POD, "web-0 exceeds its limit"),
        ("Network port {entity} is down", HOST, "A network port of node gpu-7 is down"),
        ("PCIe link under GPU {entity} is slow", HOST, "PCIe link under a GPU of node gpu-7 is slow"),
        ("The disk of node {entity} is full", HOST, "The disk of node gpu-7 is full"),
        ("NVLink {link} of {entity} is down", FIFTH, "NVLink 14 of GPU 5 is down"),
    ],
)
def test_names_stay_as_they_were_printed(template: str, entity: EntityRef, expected: str) -> None:
    assert fill(template, [signal("a.b", entity=entity, attributes={"link": 14})], layer="gpu") == expected


def test_the_thing_at_fault_gives_its_name_where_the_signals_have_none() -> None:
    text = fill("GPU {entity} is too hot", [signal("a.b", entity=NAMELESS)], culprit=FIFTH, layer="gpu")
    assert text == "GPU 5 is too hot"


def test_of_two_things_of_a_kind_the_one_at_fault_is_named() -> None:
    text = fill(
        "{entity} is down", [signal("a.b", entity=POD)], culprit=EntityRef(kind=EntityKind.POD, name="db-0")
    )
    assert text == "db-0 is down"


def test_the_thing_at_fault_does_not_take_the_place_of_another_kind() -> None:
    assert fill("{entity} is down", [signal("a.b", entity=POD)], culprit=HOST) == "web-0 is down"


def test_an_attribute_of_any_signal_fills_a_blank() -> None:
    found = [signal("a.b", attributes={"user": "unknown"}), signal("a.c", attributes={"user": "ci-bot"})]
    assert fill("{user} deleted it", found) == "ci-bot deleted it"
