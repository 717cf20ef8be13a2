from firstfault.agent.grounding.speech import entity_names, name_numbers, spoken, unspeakable
from firstfault.tools.entities import EntityKind, EntityRef
from tests.agent.grounding.worlds import CLOSED


def test_a_pod_named_like_its_namespace_goes_by_both_kinds() -> None:
    pod = EntityRef(kind=EntityKind.POD, name="gpu-operator", namespace="gpu-operator", node="n-1")
    names = entity_names(pod)
    assert names["gpu-operator"] == {"pod", "namespac"}
    assert names["gpu-operator/gpu-operator"] == {"pod"}
    assert "host" in names["n-1"]


def test_names_with_blanks_go_by_the_form_they_are_shown_in() -> None:
    assert "a_long_title" in entity_names(EntityRef(kind=EntityKind.CHANGE, name="a long title"))


def test_a_signal_name_is_words_and_labelled_numbers() -> None:
    assert spoken("sxid.20034").split() == ["sxid"]
    assert [(n.value, n.label) for n in name_numbers("sxid.20034")] == [(20034, ("sxid",))]


def test_classes_that_are_not_supported_cannot_be_named() -> None:
    names = unspeakable(CLOSED, ["gpu.fell_off_bus"])
    assert ("switch", "fault") in names
    assert ("gpu", "slow") in names
    assert ("fall", "off", "bus") not in names
