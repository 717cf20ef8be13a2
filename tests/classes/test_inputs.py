"""Every own input of every class comes out as its author said."""

from pathlib import Path

import pytest

from firstfault.agent.classes.definitions import load_classes
from firstfault.agent.classes.matching import SignalSet
from firstfault.agent.correlate.echoes import load_echo_rules
from firstfault.agent.explain.known import known_of_answer
from firstfault.agent.hypotheses.conclusions import Conclusion, conclude
from firstfault.agent.recommend.advice import recommend
from firstfault.evals.inputs import Input, input_paths, read_input, unpack
from firstfault.tools.recording import open_recording
from firstfault.tools.sources import Question
from firstfault.tools.times import Window

ROOT = Path(__file__).parent
FIRST_ACTIONS = 2


def _name(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def _conclusion(item: Input, folder: Path) -> tuple[Conclusion, SignalSet]:
    recording = open_recording(unpack(item, "input", folder))
    answer = recording.read(Question(), Window(start=None, end=None), recording.manifest.as_of)
    known = known_of_answer(answer, recording.context, load_echo_rules(), item.question, None)
    return conclude(load_classes(), known.signals, known.echoes, known.coverage, item.question), known.signals


@pytest.mark.parametrize("path", input_paths(ROOT), ids=_name)
def test_input_comes_out_as_its_author_said(path: Path, tmp_path: Path) -> None:
    item = read_input(path)
    expect = item.expect
    conclusion, known = _conclusion(item, tmp_path)
    diagnosis = conclusion.diagnosis
    wanted = {*expect.one_of, *([expect.failure_class] if expect.failure_class else [])}

    assert not wanted or diagnosis.failure_class in wanted
    assert diagnosis.failure_class not in expect.never
    for said, name in (
        (expect.verdict, diagnosis.verdict.value),
        (expect.owner, diagnosis.owner.value),
        (expect.mechanism, diagnosis.mechanism),
    ):
        assert said is None or said == name
    if expect.culprit is not None:
        assert diagnosis.culprit is not None
        assert expect.culprit in diagnosis.culprit.name or diagnosis.culprit.name in expect.culprit
    if expect.first_fault is not None:
        assert diagnosis.first_fault is not None
        place = diagnosis.first_fault.evidence
        assert expect.first_fault == f"{place.path}:{place.line_start}"
    if expect.action is not None:
        actions = [each.action.value for each in recommend(conclusion, known)]
        assert expect.action in actions[:FIRST_ACTIONS]


def test_every_class_has_three_inputs_for_it_and_two_against_it() -> None:
    for definition in load_classes():
        name = definition.failure_class
        items = [read_input(path) for path in sorted((ROOT / name).glob("*.yaml"))]
        against = [item for item in items if name in item.expect.never]
        assert len(items) - len(against) >= 3, name
        assert len(against) >= 2, name
