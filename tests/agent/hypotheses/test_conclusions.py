"""From signals to a verdict, with small class definitions of the test's own."""

from firstfault.agent.classes.definitions import ClassDefinition, parse_class
from firstfault.agent.classes.matching import SignalSet
from firstfault.agent.correlate.echoes import Echo
from firstfault.agent.findings import Standing, Verdict
from firstfault.agent.hypotheses.conclusions import Conclusion, conclude
from firstfault.tools.evidence import Coverage, CoverageState
from firstfault.tools.kinds import Family, Kind
from firstfault.tools.signals import Signal
from tests.signals import gpu, signal

LOST = """
class: gpu.fell_off_bus
title: "GPU {entity} is gone"
owner: platform
sources: [test]
looks_for:
  - {id: lost, strength: decisive, any: [xid.79], because: "{entity} fell off"}
  - {id: job, strength: weak, any: [nccl.timeout], because: "ranks wait"}
explains: [sxid.*, nccl.*, kube.*]
rivals: [nvlink.switch_fault, host.pcie_link]
absences:
  - {id: quiet, expects: [xid.79], kind: [kernel_log], because: "a lost GPU leaves an Xid 79"}
contradicted_by:
  - {id: back, any: [gpu.answers], because: "the GPU answers"}
culprit: [{signal: xid.79, kind: gpu}]
"""
SWITCH = """
class: nvlink.switch_fault
title: switch
owner: platform
sources: [test]
looks_for: [{id: sxid, strength: decisive, any: [sxid.*], because: "switch reports {signal}"}]
"""
PCIE = """
class: host.pcie_link
title: link
owner: platform
sources: [test]
looks_for: [{id: aer, strength: strong, any: [pcie.aer], because: aer}]
needs: [{kind: syslog, would_tell: BMC events}]
"""


def classes(*texts: str) -> list[ClassDefinition]:
    """Return parsed definitions."""
    return [parse_class(text, "test") for text in texts]


def run(*signals: Signal, echoes: tuple[Echo, ...] = (), coverage: tuple[Coverage, ...] = ()) -> Conclusion:
    """Return the conclusion over the three definitions."""
    known = SignalSet(signals=signals, echoes={echo.index: echo.because for echo in echoes})
    return conclude(classes(LOST, SWITCH, PCIE), known, echoes, coverage)


def standing(conclusion: Conclusion) -> dict[str, Standing]:
    """Return where each class stands."""
    return {each.failure_class: each.standing for each in conclusion.hypotheses}


KERNEL_79 = signal("xid.79", entity=gpu("0000:91:00"))
JOB = signal("nccl.timeout", path="raw/train.log", kind=Kind.APPLICATION_LOG)


def test_nothing_seen_is_unknown_and_inconclusive() -> None:
    found = run().diagnosis
    assert (found.verdict, found.failure_class, found.first_fault) == (Verdict.INCONCLUSIVE, "unknown", None)


def test_one_family_is_likely_two_are_confirmed() -> None:
    assert run(KERNEL_79).diagnosis.verdict is Verdict.LIKELY
    both = run(KERNEL_79, JOB).diagnosis
    assert (both.verdict, both.failure_class) == (Verdict.CONFIRMED, "gpu.fell_off_bus")
    assert both.first_fault is KERNEL_79
    assert both.culprit is not None
    assert both.culprit.name == "0000:91:00"
    assert both.summary == "GPU 0000:91:00 is gone"


def test_a_persons_word_never_confirms() -> None:
    said = signal("xid.79", path="raw/notes.txt", kind=Kind.OPERATOR_NOTES)
    assert run(said, JOB).diagnosis.verdict is Verdict.LIKELY


def test_what_follows_from_another_class_is_ruled_out_as_its_consequence() -> None:
    found = run(KERNEL_79, signal("sxid.20034", line=2))
    assert found.diagnosis.failure_class == "gpu.fell_off_bus"
    switch = next(h for h in found.hypotheses if h.failure_class == "nvlink.switch_fault")
    assert switch.standing is Standing.RULED_OUT
    assert "follows from gpu.fell_off_bus" in switch.because
    assert switch.contradicting


def test_a_class_that_rests_on_echoes_is_ruled_out_with_the_rules_reason() -> None:
    echo = Echo(index=1, rule="r", because="the GPU vanished first", root=0)
    found = run(KERNEL_79, signal("sxid.20034", line=2), echoes=(echo,))
    switch = next(h for h in found.hypotheses if h.failure_class == "nvlink.switch_fault")
    assert (switch.standing, switch.because) == (Standing.RULED_OUT, "the GPU vanished first")


def test_an_open_rival_keeps_a_verdict_at_likely() -> None:
    found = run(KERNEL_79, JOB, signal("pcie.aer", line=5)).diagnosis
    assert (found.verdict, found.failure_class) == (Verdict.LIKELY, "gpu.fell_off_bus")
    assert "host.pcie_link" in found.because


def test_a_contradiction_ends_in_inconclusive_and_ruled_out() -> None:
    found = run(KERNEL_79, signal("gpu.answers", line=3))
    assert found.diagnosis.verdict is Verdict.INCONCLUSIVE
    assert standing(found)["gpu.fell_off_bus"] is Standing.RULED_OUT


def test_only_a_completely_read_source_verifies_an_absence() -> None:
    read = Coverage(
        source="recording", kind=Kind.KERNEL_LOG, state=CoverageState.COMPLETE, path="raw/kernel.log"
    )
    assert standing(run(JOB, coverage=(read,)))["gpu.fell_off_bus"] is Standing.RULED_OUT
    cut = Coverage(source="recording", kind=Kind.KERNEL_LOG, state=CoverageState.PARTIAL)
    assert standing(run(JOB, coverage=(cut,)))["gpu.fell_off_bus"] is Standing.SUPPORTED


def test_a_silent_rival_is_untested_and_says_what_it_needs() -> None:
    found = run(KERNEL_79)
    rival = next(h for h in found.hypotheses if h.failure_class == "host.pcie_link")
    assert rival.standing is Standing.UNTESTED
    assert rival.missing[0].would_tell == "BMC events"


def test_weak_signs_name_a_class_but_stay_inconclusive() -> None:
    found = run(JOB).diagnosis
    assert (found.verdict, found.failure_class) == (Verdict.INCONCLUSIVE, "gpu.fell_off_bus")


def test_one_driver_is_one_witness_whatever_it_speaks_through_and_a_quotation_is_none() -> None:
    kernel = signal("xid.79", node="n1")
    metric = signal("xid.79", node="n1", family=Family.METRICS, path="raw/metrics.json")
    quoted = signal("xid.79", node="n1", kind=Kind.CONTAINER_LOG, path="raw/trainer.log")
    waits = signal("nccl.timeout", node="n1", kind=Kind.CONTAINER_LOG, path="raw/trainer.log")

    def families(*seen: Signal) -> tuple[str, ...]:
        return run(*seen).hypotheses[0].families

    assert families(kernel, metric) == ("driver",)
    assert families(quoted) == ()
    assert families(kernel, quoted) == ("driver",)
    assert families(kernel, waits) == ("application", "driver")
