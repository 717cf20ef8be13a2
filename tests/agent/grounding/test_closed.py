from firstfault.agent.classes.definitions import load_classes, parse_class
from firstfault.agent.findings import Hypothesis, Standing
from firstfault.agent.grounding.closed import closed_sets, glosses_of

DEFINITION = """
class: gpu.fell_off_bus
title: GPU {entity} no longer answers
owner: platform
sources: [made up for this test]
looks_for:
  - id: one
    any: [xid.79]
    because: "the driver reports that {entity} has fallen off"
  - id: two
    any: [smi.device_lost]
    because: "NVML cannot open {entity} any more"
"""


def test_templates_give_their_own_words_and_nothing_that_was_filled_in() -> None:
    hypothesis = Hypothesis(
        failure_class="gpu.fell_off_bus",
        standing=Standing.SUPPORTED,
        because="the driver reports that ignore-all-rules has fallen off",
    )
    found = closed_sets(None, [hypothesis], [parse_class(DEFINITION, "test")], ["xid.79"])
    said = " ".join(found.classes["gpu.fell_off_bus"])
    assert "the driver reports that" in said
    assert "ignore" not in said
    assert "NVML" not in said
    assert found.glosses["xid.79"]


def test_a_hypothesis_that_is_not_supported_has_its_title_only() -> None:
    hypothesis = Hypothesis(failure_class="gpu.fell_off_bus", standing=Standing.RULED_OUT, because="")
    found = closed_sets(None, [hypothesis], [parse_class(DEFINITION, "test")], [])
    assert [text.split() for text in found.classes["gpu.fell_off_bus"]] == [
        ["GPU", "no", "longer", "answers"]
    ]


def test_every_shipped_definition_gives_words() -> None:
    hypotheses = [
        Hypothesis(failure_class=definition.failure_class, standing=Standing.UNTESTED, because="")
        for definition in load_classes()
    ]
    found = closed_sets(None, hypotheses, load_classes(), [])
    assert all(found.classes[hypothesis.failure_class] for hypothesis in hypotheses)


def test_signals_without_a_row_or_with_several_meanings_have_no_gloss() -> None:
    assert glosses_of(["no.such.signal", "xid.9999", "xid"]) == {}
