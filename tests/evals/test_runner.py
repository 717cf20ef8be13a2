"""A whole run: order, time, missing reports, sums, page and document."""

import json
from itertools import count
from pathlib import Path

import pytest

from firstfault.agent.report.contract import Report
from firstfault.evals.cases import Case, find_cases
from firstfault.evals.export import scorecard_document
from firstfault.evals.runner import NoReport, run_cases, summarize_run
from firstfault.evals.scorecard import scorecard
from firstfault.evals.summary import Summary
from tests import reports
from tests.evals.samples import KERNEL, write_case


def investigate(folder: Path) -> Report | NoReport:
    """Return a hand-made answer per case: one perfect, one wrong in every way, one missing, one healthy."""
    if folder.name == "d-missing":
        return NoReport(why="nothing usable")
    good = reports.evidence("raw/kernel.log", 3, KERNEL.splitlines()[2])
    if folder.name == "a-good":
        cordon = reports.recommendation("cordon_node")
        return reports.report(verdict="CONFIRMED", evidence=[good], recommendations=[cordon])
    if folder.name == "b-bad":
        return reports.report(
            verdict="CONFIRMED",
            diagnosis=reports.diagnosis("gpu.thermal", culprit=None, owner="shared"),
            first_fault=None,
            evidence=[good, reports.evidence("raw/kernel.log", 1, "invented")],
            recommendations=[reports.recommendation("node_replace"), reports.recommendation("gpu_reset")],
        )
    quiet = reports.diagnosis("none.healthy", culprit=None, owner="application")
    return reports.report(verdict="NO_FAULT", diagnosis=quiet, first_fault=None)


@pytest.fixture
def cases(tmp_path: Path) -> tuple[Case, ...]:
    """Return four cases in a folder."""
    write_case(tmp_path / "a-good")
    write_case(tmp_path / "b-bad")
    write_case(tmp_path / "d-missing")
    write_case(
        tmp_path / "c-quiet",
        failure_class="none.healthy",
        layer="none",
        culprit=None,
        first_fault=None,
        actions={"expected": ["none_wait"]},
    )
    return find_cases(tmp_path)


@pytest.fixture
def summary(cases: tuple[Case, ...]) -> Summary:
    """Return the sums of a run over them."""
    ticks = count()
    return summarize_run(cases, list(run_cases(cases, investigate, clock=lambda: float(next(ticks)))))


def test_every_case_is_scored_with_its_time(summary: Summary) -> None:
    assert [(score.case, score.seconds) for score in summary.scores] == [
        ("a-good", 1.0),
        ("b-bad", 1.0),
        ("c-quiet", 1.0),
        ("d-missing", 1.0),
    ]


def test_rows_are_all_cases_and_each_layer(summary: Summary) -> None:
    assert [(row.name, row.cases) for row in summary.rows] == [("all", 4), ("gpu", 3), ("none", 1)]
    everything = {measure: (share.hits, share.total) for measure, share in summary.rows[0].shares.items()}
    assert everything == {
        "right": (2, 4),
        "failure_class": (2, 4),
        "layer": (3, 4),
        "owner": (1, 4),
        "culprit": (1, 3),
        "first_fault": (1, 3),
        "action": (1, 4),
    }


def test_guards_name_what_broke_them(summary: Summary) -> None:
    guards = summary.guards
    assert not guards.hold
    assert guards.false_confirmed == ("b-bad",)
    assert [(case, finding.rule) for case, finding in guards.harm] == [("b-bad", "node_replace")]
    assert [(case, finding.action) for case, finding in guards.unchecked] == [("b-bad", "gpu_reset")]
    assert (guards.evidence.hits, guards.evidence.total) == (2, 3)
    assert (guards.confirmed.hits, guards.confirmed.total) == (1, 4)
    assert guards.missing == (("d-missing", "nothing usable"),)


def test_verdict_words_are_calibrated(summary: Summary) -> None:
    counted = {word: (share.hits, share.total) for word, share in summary.calibration.items() if share.total}
    assert counted == {"CONFIRMED": (1, 2), "NO_FAULT": (1, 1), "MISSING": (0, 1)}


def test_baselines_are_scored_on_the_same_cases(summary: Summary) -> None:
    counted = {
        (name, measure): (share.hits, share.total)
        for name, shares in summary.baselines
        for measure, share in shares.items()
    }
    assert counted["first Xid decides", "right"] == (3, 4)
    assert counted["first Xid decides", "first_fault"] == (3, 3)
    assert counted["most common class", "failure_class"] == (3, 4)
    assert counted["always platform", "owner"] == (4, 4)
    assert counted["third line of the first file", "first_fault"] == (3, 3)
    assert counted["two most common actions", "action"] == (4, 4)


def test_the_page_lists_what_is_wrong_and_why_and_is_the_same_every_time(summary: Summary) -> None:
    page = scorecard(summary, {"b-bad right": "fans were never read | a gap"})
    assert page == scorecard(summary, {"b-bad right": "fans were never read | a gap"})
    assert "| b-bad | gpu.fell_off_bus | CONFIRMED gpu.thermal | fans were never read \\| a gap |" in page
    assert "| d-missing | gpu.fell_off_bus | MISSING | not looked into yet |" in page
    assert "| c-quiet | owner | platform | application |" in page
    assert "gpu_reset on node-1 (gpu_reset: while jobs use the node)" in page
    assert "seconds" not in page


def test_the_document_is_json_and_says_the_same(summary: Summary) -> None:
    document = json.loads(json.dumps(scorecard_document(summary)))
    assert document["schema"] == "firstfault.scorecard/v1"
    assert document["guards"]["hold"] is False
    assert [case["case"] for case in document["cases"] if not case["marks"]["right"]] == [
        "b-bad",
        "d-missing",
    ]
    assert document["layers"][0]["right"]["hits"] == 2
