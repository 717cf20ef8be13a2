"""The first screen: what is chosen, in which order, and what is said about order."""

from firstfault.agent.render.briefing import KEY_EVIDENCE, brief
from firstfault.agent.render.citations import citations, place, ranges
from firstfault.agent.render.sequence import steps
from tests import reports
from tests.agent.render import samples


def test_the_first_screen_of_the_demo_case() -> None:
    briefing = brief(samples.gpu_079())
    assert (briefing.first_what, briefing.first_where) == ("gpu 0000:91:00  xid.79", "raw/kernel.log:3")
    assert [place(part) for part in briefing.key_evidence] == [
        "raw/kernel.log:3",
        "raw/kernel.log:6",
        "raw/nvidia-smi.txt:1",
        "raw/runtime.log:1",
    ]
    assert [part.failure_class for part in briefing.ruled_out] == [
        "nvlink.switch_fault",
        "kubernetes.container_runtime",
    ]
    assert briefing.affected == "seen on 1 gpu, 3 nvswitches, 1 container"


def test_what_followed_is_folded_and_other_clocks_are_not_compared() -> None:
    report = samples.gpu_079()
    found = [
        (step.offset, step.signal, step.affected, step.role) for step in steps(report, citations(report))
    ]
    assert found == [
        ("+11.9 s", "sxid.20034", " on 3 nvswitches", "echo"),
        ("order unknown", "smi.device_lost", " on gpu 0000:91:00", "symptom"),
        ("order unknown", "oci.hook_failed", " on container 76866e1c", "symptom"),
    ]


def test_lines_of_one_file_keep_their_order_without_a_clock() -> None:
    gpu = reports.entity("gpu", "0")
    first, before, after = (reports.evidence("raw/a.log", line, f"line {line}") for line in (5, 2, 9))
    report = reports.report(
        first_fault=reports.first_fault("raw/a.log", 5, evidence=[first.id], entity=gpu, signal="xid.79"),
        timeline=[
            reports.entry("xid.79", gpu, first, role="cause"),
            reports.entry("early", gpu, before),
            reports.entry("late", gpu, after),
        ],
        evidence=[first, before, after],
    )
    assert [(step.offset, step.signal) for step in brief(report).steps] == [
        ("earlier", "early"),
        ("later", "late"),
    ]


def test_a_report_without_a_first_fault_says_so() -> None:
    briefing = brief(samples.undecided())
    assert (briefing.first_what, briefing.first_where, briefing.steps) == ("not placed", "", ())
    assert briefing.owner.startswith("not decided: tell both")


def test_numbers_are_stable_and_unknown_ids_have_none() -> None:
    cited = citations(samples.crowded())
    assert len(cited.ordered) == 500
    assert len({part.id for part in cited.ordered}) == 500
    assert cited.numbers(["ev-not-there", cited.ordered[4].id, cited.ordered[0].id]) == (1, 5)
    assert len(brief(samples.crowded()).key_evidence) == KEY_EVIDENCE


def test_number_ranges_are_scannable() -> None:
    assert ranges((1, 2, 3, 7)) == "1-3, 7"
    assert ranges(tuple(range(1, 40, 2)), limit=3) == "1, 3, 5 and 17 more"
    assert ranges(()) == ""
