"""The same incident without its `case.yaml`, and with its files renamed: the same class, the same first fault."""

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from firstfault.agent.report.contract import Report
from firstfault.cli.inquiry import Inquiry, investigate_recording
from firstfault.evals.cases import find_cases
from firstfault.tools.recording import open_recording

CASES = find_cases(Path(__file__).parents[2] / "evals" / "cases")
NOW = datetime(2026, 12, 1, tzinfo=UTC)
SAMPLE_EVERY = 11
LEAST_SHARE_STRIPPED, LEAST_SHARE_RENAMED = 0.90, 0.80

Outcome = tuple[str, str | None, int | None]


def outcome(folder: Path, state: Path, names: dict[str, str]) -> Outcome:
    report: Report = investigate_recording(open_recording(folder), Inquiry(now=NOW), state=state)
    first = report.first_fault
    path = None if first is None else names.get(first.path, first.path)
    return report.diagnosis.failure_class, path, None if first is None else first.line


@pytest.mark.timeout(1800)
def test_kinds_that_are_recognised_lead_to_the_same_first_fault(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    cases = CASES if request.config.getoption("--attacks") else CASES[::SAMPLE_EVERY]
    stripped: list[str] = []
    renamed: list[str] = []
    for case in cases:
        expected = outcome(case.folder, tmp_path / "state", {})
        bare, other = tmp_path / f"{case.id}-bare", tmp_path / f"{case.id}-renamed"
        shutil.copytree(case.folder / "raw", bare / "raw")
        other.mkdir()
        names: dict[str, str] = {}
        for index, held in enumerate(open_recording(case.folder).documents, start=1):
            shutil.copy(case.folder / held.path, other / f"{index}.txt")
            names[f"{index}.txt"] = held.path
        stripped += [case.id] if outcome(bare, tmp_path / "state", {}) != expected else []
        renamed += [case.id] if outcome(other, tmp_path / "state", names) != expected else []
    assert len(stripped) <= len(cases) * (1 - LEAST_SHARE_STRIPPED), stripped
    assert len(renamed) <= len(cases) * (1 - LEAST_SHARE_RENAMED), renamed
