"""What must not change a diagnosis does not: every case in every disguise, and without its decisive file.

`make test` runs a sample; `make attacks` runs all of it. The counts stand under `figures` at the end of the run.
"""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from firstfault.agent.classes.definitions import load_classes
from firstfault.agent.classes.matching import SignalSet
from firstfault.agent.correlate.echoes import find_echoes, load_echo_rules
from firstfault.agent.findings import Verdict
from firstfault.agent.hypotheses.conclusions import conclude
from firstfault.evals.attacks.disguises import DISGUISES, Effect, without
from firstfault.evals.traces import signals_of
from firstfault.tools.recording import open_recording
from firstfault.tools.recording.errors import RecordingError

CASES = Path(__file__).parents[2] / "evals" / "cases"
SAMPLED_EVERY = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a law compares."""

    verdict: Verdict
    failure_class: str
    culprit: str | None
    path: str | None
    line: int | None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        step = 1 if metafunc.config.getoption("--attacks") else SAMPLED_EVERY
        cases = sorted(path.parent for path in CASES.glob("*/case.yaml"))[::step]
        metafunc.parametrize("case", cases, ids=[case.name for case in cases])


def _found(case: Path) -> Found:
    recording = open_recording(case)
    signals = signals_of(recording)
    echoes = find_echoes(signals, load_echo_rules())
    known = SignalSet(signals=signals, echoes={echo.index: echo.because for echo in echoes})
    question = recording.manifest.question or ""
    diagnosis = conclude(load_classes(), known, echoes, recording.coverage, question).diagnosis
    first = diagnosis.first_fault
    return Found(
        verdict=diagnosis.verdict,
        failure_class=diagnosis.failure_class,
        culprit=diagnosis.culprit.name if diagnosis.culprit else None,
        path=first.evidence.path if first else None,
        line=first.evidence.line_start if first else None,
    )


def _copy(case: Path, folder: Path) -> Path:
    target = folder / case.name
    shutil.copytree(case, target)
    return target


def _expected(found: Found, effect: Effect) -> tuple[str, str | None, str | None, int | None]:
    culprit, path, line = found.culprit, found.path, found.line
    for old, new in effect.renamed.items():
        culprit = culprit.replace(old, new) if culprit else culprit
    if line is not None:
        line += effect.lines.get(path or "", 0)
    for before, part in effect.moved.get(path or "", ()):
        if found.line is not None and found.line > before:
            path, line = part, found.line - before
    return found.failure_class, culprit, path, line


@pytest.mark.parametrize("name", DISGUISES)
def test_a_disguise_changes_neither_class_nor_culprit_nor_first_fault(
    case: Path, name: str, tmp_path: Path, figure: Callable[..., None]
) -> None:
    before = _found(case)
    target = _copy(case, tmp_path)
    effect = DISGUISES[name](target)
    after = _found(target)
    figure(f"disguises: {name}")
    found = (after.failure_class, after.culprit, after.path, after.line)
    compared = 2 if before.verdict is Verdict.NO_FAULT else len(found)
    assert _expected(before, effect)[:compared] == found[:compared]


def test_without_its_decisive_file_a_diagnosis_is_weaker_and_never_another_certainty(
    case: Path, tmp_path: Path, figure: Callable[..., None]
) -> None:
    before = _found(case)
    if before.path is None or before.verdict is Verdict.NO_FAULT:
        return
    target = _copy(case, tmp_path)
    without(target, before.path)
    try:
        after = _found(target)
    except RecordingError:
        return
    figure("decisive file removed")
    assert not (after.verdict is Verdict.CONFIRMED and after.failure_class != before.failure_class)
    assert not (after.verdict is Verdict.CONFIRMED and before.verdict is not Verdict.CONFIRMED)
