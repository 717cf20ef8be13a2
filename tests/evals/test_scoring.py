"""Every branch of the scoring rules, on hand-made reports."""

from collections.abc import Sequence

import pytest

from firstfault.evals.scoring import MEASURES, answer_of, is_right, score_missing, score_report
from firstfault.evals.truth import Truth
from tests import reports

LOST_GPU = {
    "failure_class": "gpu.fell_off_bus",
    "acceptable_classes": ["host.pcie_link"],
    "layer": "gpu",
    "owner": "platform",
    "verdict": "name_cause",
    "certainty": "confirmed",
    "culprit": {"kind": "gpu", "name": "PCI:0000:91:00"},
    "first_fault": {"path": "raw/kernel.log", "line": 3},
    "actions": {"expected": ["cordon_node", "drain_node"], "must_not": []},
}


def truth(**parts: object) -> Truth:
    """Return the truth of a lost GPU with fields replaced."""
    return Truth.model_validate({**LOST_GPU, **parts})


def no_lines(_path: str) -> Sequence[str] | None:
    """Return that the case holds no file."""
    return None


def test_a_perfect_report_is_right_on_every_measure() -> None:
    report = reports.report(recommendations=[reports.recommendation("cordon_node")])
    score = score_report("gpu-079", report, truth(), no_lines, seconds=1.5)
    assert score.marks == dict.fromkeys(MEASURES, True)
    assert (score.false_confirmed, score.harmful, score.misquotes, score.seconds) == (False, (), (), 1.5)


def test_a_missing_report_is_wrong_wherever_there_is_something_to_compare() -> None:
    score = score_missing("gpu-079", truth(), "no usable input")
    assert score.marks == dict.fromkeys(MEASURES, False)
    assert (score.confirmed, score.confirmable, score.missing) == (False, True, "no usable input")


@pytest.mark.parametrize("wanted", ["name_cause", "narrow_to", "abstain"])
@pytest.mark.parametrize("failure_class", ["gpu.fell_off_bus", "none.healthy", "unknown"])
def test_a_missing_report_is_never_right(wanted: str, failure_class: str) -> None:
    assert not score_missing("c", truth(verdict=wanted, failure_class=failure_class), "").marks["right"]


@pytest.mark.parametrize(
    ("wanted", "said_class", "verdict", "expected"),
    [
        ("name_cause", "gpu.fell_off_bus", "LIKELY", True),
        ("name_cause", "host.pcie_link", "LIKELY", True),
        ("name_cause", "gpu.thermal", "LIKELY", False),
        ("name_cause", "unknown", "INCONCLUSIVE", False),
        ("narrow_to", "gpu.fell_off_bus", "CONFIRMED", True),
        ("narrow_to", "gpu.thermal", "LIKELY", True),
        ("narrow_to", "gpu.thermal", "CONFIRMED", False),
        ("narrow_to", "nvlink.link_fault", "LIKELY", False),
    ],
)
def test_right_follows_the_kind_of_answer_wanted(
    wanted: str, said_class: str, verdict: str, expected: bool
) -> None:
    report = reports.report(verdict=verdict, diagnosis=reports.diagnosis(said_class))
    assert is_right(answer_of(report), truth(verdict=wanted)) is expected


@pytest.mark.parametrize(
    ("said_class", "verdict", "expected"),
    [
        ("unknown", "INCONCLUSIVE", True),
        ("gpu.thermal", "INCONCLUSIVE", True),
        ("unknown", "LIKELY", True),
        ("driver.bug", "LIKELY", True),
        ("driver.bug", "CONFIRMED", False),
        ("gpu.thermal", "LIKELY", False),
    ],
)
def test_abstaining_is_right_where_the_evidence_allows_no_class(
    said_class: str, verdict: str, expected: bool
) -> None:
    undecidable = truth(
        failure_class="unknown", layer="unknown", verdict="abstain", acceptable_classes=["driver.bug"]
    )
    report = reports.report(verdict=verdict, diagnosis=reports.diagnosis(said_class))
    assert is_right(answer_of(report), undecidable) is expected


@pytest.mark.parametrize(
    ("said_class", "verdict", "expected"),
    [
        ("none.healthy", "NO_FAULT", True),
        ("none.monitoring", "LIKELY", True),
        ("unknown", "NO_FAULT", True),
        ("gpu.thermal", "LIKELY", False),
        ("unknown", "INCONCLUSIVE", False),
    ],
)
def test_no_fault_is_right_in_either_form(said_class: str, verdict: str, expected: bool) -> None:
    quiet = truth(failure_class="none.healthy", layer="none", acceptable_classes=[])
    report = reports.report(verdict=verdict, diagnosis=reports.diagnosis(said_class))
    assert is_right(answer_of(report), quiet) is expected


@pytest.mark.parametrize(
    ("said_class", "parts", "expected"),
    [
        ("gpu.fell_off_bus", {}, False),
        ("host.pcie_link", {}, False),
        ("gpu.thermal", {}, True),
        ("gpu.thermal", {"verdict": "narrow_to"}, True),
        ("none.monitoring", {"failure_class": "none.healthy"}, False),
        ("host.pcie_link", {"failure_class": "unknown", "verdict": "abstain"}, True),
    ],
)
def test_confirmed_with_a_wrong_class_is_false(
    said_class: str, parts: dict[str, object], expected: bool
) -> None:
    report = reports.report(verdict="CONFIRMED", diagnosis=reports.diagnosis(said_class))
    assert score_report("c", report, truth(**parts), no_lines).false_confirmed is expected


@pytest.mark.parametrize(
    ("certainty", "wanted", "expected"),
    [
        ("confirmed", "name_cause", True),
        ("fix_worked", "name_cause", True),
        ("plausible", "name_cause", False),
        ("undetermined", "name_cause", False),
        ("confirmed", "narrow_to", False),
    ],
)
def test_only_certain_name_the_cause_cases_can_be_confirmed(
    certainty: str, wanted: str, expected: bool
) -> None:
    assert score_missing("c", truth(certainty=certainty, verdict=wanted), "").confirmable is expected


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ({"kind": "gpu", "name": "0000:91:00"}, True),
        ({"kind": "gpu", "name": "node-1 PCI:0000:91:00.0"}, True),
        ({"kind": "gpu", "name": "0000:92:00"}, False),
        ({"kind": "gpu", "name": ""}, False),
        (None, False),
    ],
)
def test_a_culprit_matches_when_one_name_holds_the_other(
    named: dict[str, str] | None, expected: bool
) -> None:
    report = reports.report(diagnosis=reports.diagnosis(culprit=named))
    assert score_report("c", report, truth(), no_lines).marks["culprit"] is expected


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (reports.first_fault("raw/kernel.log", 3), True),
        (reports.first_fault("raw/kernel.log", 4), False),
        (reports.first_fault("raw/other.log", 3), False),
        (None, False),
    ],
)
def test_the_first_fault_is_the_same_file_and_line(part: dict[str, object] | None, expected: bool) -> None:
    report = reports.report(first_fault=part)
    assert score_report("c", report, truth(), no_lines).marks["first_fault"] is expected


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        (("cordon_node",), True),
        (("notify_platform_owner", "drain_node"), True),
        (("notify_platform_owner", "collect_more_data", "drain_node"), False),
        ((), False),
    ],
)
def test_one_of_the_first_two_actions_must_be_expected(actions: tuple[str, ...], expected: bool) -> None:
    report = reports.report(recommendations=[reports.recommendation(action) for action in actions])
    assert score_report("c", report, truth(), no_lines).marks["action"] is expected


def test_what_the_truth_does_not_say_is_not_compared() -> None:
    silent = truth(culprit=None, first_fault=None, actions={"expected": []})
    marks = score_report("c", reports.report(), silent, no_lines).marks
    assert (marks["culprit"], marks["first_fault"], marks["action"]) == (None, None, None)


@pytest.mark.parametrize(
    ("field", "value", "measure"),
    [
        ("owner", "shared", "owner"),
        ("layer", "host", "layer"),
        ("failure_class", "host.pcie_link", "failure_class"),
    ],
)
def test_class_layer_and_owner_are_exact(field: str, value: str, measure: str) -> None:
    marks = score_report(
        "c", reports.report(diagnosis=reports.diagnosis(**{"layer": "gpu", field: value})), truth(), no_lines
    ).marks
    assert {name for name, mark in marks.items() if mark is False} - {"action"} == {measure}
