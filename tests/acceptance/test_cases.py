"""Every recorded case, as a user would run it: a valid report, quotes that stand where it says, nothing false or harmful."""

import json
from datetime import UTC, datetime
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from firstfault.agent.render.html import render as render_html
from firstfault.agent.report.contract import Report
from firstfault.agent.report.schema import report_schema
from firstfault.cli.inquiry import Inquiry, investigate_recording
from firstfault.evals.cases import Case, find_cases
from firstfault.evals.scoring import score_report
from firstfault.evals.truth import read_truth
from firstfault.tools.recording import open_recording

CASES = find_cases(Path(__file__).parents[2] / "evals" / "cases")
NOW = datetime(2026, 12, 1, tzinfo=UTC)
PARTS = 6
MAX_CPU_S = 5.0
DEMO = "gpu-079"
SCHEMA: Any = Draft202012Validator(report_schema())


def investigate(case: Case, state: Path) -> Report:
    return investigate_recording(open_recording(case.folder), Inquiry(now=NOW), state=state)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("part", range(PARTS))
def test_every_case_gives_a_valid_report_with_true_quotes_and_no_harm(part: int, tmp_path: Path) -> None:
    for case in CASES[part::PARTS]:
        started = process_time()
        report = investigate(case, tmp_path)
        cpu_s = process_time() - started
        document = json.loads(report.model_dump_json(by_alias=True))
        assert [error.message for error in SCHEMA.iter_errors(document)] == [], case.id
        score = score_report(case.id, report, read_truth(case.folder), case.lines)
        assert score.misquotes == (), case.id
        assert not score.false_confirmed, case.id
        assert score.harmful == (), case.id
        assert cpu_s < MAX_CPU_S, case.id
        render_html(report).encode("utf-8")


def test_the_demo_case_names_the_lost_gpu_and_rules_the_switches_out(tmp_path: Path) -> None:
    case = next(case for case in CASES if case.id == DEMO)
    report = investigate(case, tmp_path)
    assert report.first_fault is not None
    assert (report.first_fault.path, report.first_fault.line) == ("raw/kernel.log", 3)
    assert report.diagnosis.failure_class == "gpu.fell_off_bus"
    switches = next(part for part in report.hypotheses if part.failure_class == "nvlink.switch_fault")
    assert (switches.verdict, bool(switches.because), bool(switches.contradicting)) == (
        "ruled_out",
        True,
        True,
    )


def test_the_same_case_gives_the_same_report(tmp_path: Path) -> None:
    case = next(case for case in CASES if case.id == DEMO)
    volatile = {
        "audit": True,
        "model": {"seconds"},
        "incident": {"correlation_id"},
        "evidence": {"__all__": {"fetched_at"}},
    }
    first, second = (investigate(case, tmp_path / name).model_dump(exclude=volatile) for name in ("a", "b"))
    assert first == second
