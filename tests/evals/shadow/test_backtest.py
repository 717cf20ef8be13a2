"""Backtests: what is run, resumed, and never run twice."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from firstfault.evals.shadow.backtest import (
    OFFSETS_S,
    SCORE_OFFSET_S,
    Job,
    history_digest,
    load_history,
    plan_jobs,
    run_jobs,
)
from firstfault.evals.shadow.history import PastIncident
from firstfault.evals.shadow.imports import HistoryError
from firstfault.evals.shadow.journal import JournalError, Plan, open_journal, read_journal
from firstfault.evals.shadow.scores import ShadowScore, score_missing
from tests.evals.samples import write_case

AT = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
PLAN = Plan(version="v1", history="h", offsets_s=OFFSETS_S)


def examine(job: Job) -> ShadowScore:
    return score_missing(job.incident, "not run", offset_s=job.offset_s, version=job.version, seconds=0.5)


def incidents(number: int = 3) -> tuple[PastIncident, ...]:
    return tuple(
        PastIncident(id=f"i{n}", alert_at=AT + timedelta(hours=n), recording=f"i{n}") for n in range(number)
    )


def jobs(folder: Path, history: Sequence[PastIncident]) -> list[Job]:
    return list(plan_jobs(history, folder, OFFSETS_S, "v1"))


def test_every_incident_is_replayed_at_every_offset(tmp_path: Path) -> None:
    found = jobs(tmp_path, incidents(2))
    assert [(job.incident.id, job.offset_s) for job in found] == [
        (name, offset) for name in ("i0", "i1") for offset in OFFSETS_S
    ]
    assert found[1].as_of == AT + timedelta(minutes=5)
    assert found[0].recording == tmp_path / "i0"


def test_an_incident_without_a_time_is_looked_at_once_and_whole(tmp_path: Path) -> None:
    found = jobs(tmp_path, [PastIncident(id="i")])
    assert [(job.offset_s, job.as_of, job.recording) for job in found] == [(SCORE_OFFSET_S, None, None)]


@pytest.mark.parametrize("workers", [1, 2])
def test_all_scores_are_in_the_journal_and_progress_is_told(tmp_path: Path, workers: int) -> None:
    told: list[int] = []
    with open_journal(tmp_path / "j.jsonl", PLAN) as journal:
        run_jobs(jobs(tmp_path, incidents()), examine, journal, workers=workers, progress=told.append)
    assert len(read_journal(tmp_path / "j.jsonl")) == 12
    assert told == list(range(1, 13))


def test_a_broken_off_run_goes_on_and_scores_nothing_twice(tmp_path: Path) -> None:
    file = tmp_path / "j.jsonl"
    with open_journal(file, PLAN) as journal:
        run_jobs(jobs(tmp_path, incidents())[:5], examine, journal, workers=1, progress=lambda _: None)
    with file.open("ab") as stream:
        stream.write(b'{"incident": "i1", "offs')
    looked_at: list[tuple[str, int]] = []

    def noted(job: Job) -> ShadowScore:
        looked_at.append((job.incident.id, job.offset_s))
        return examine(job)

    with open_journal(file, PLAN) as journal:
        run_jobs(jobs(tmp_path, incidents()), noted, journal, workers=1, progress=lambda _: None)
    assert len(looked_at) == 7
    lines = file.read_text(encoding="ascii").splitlines()
    keys = [(line["incident"], line["offset_s"]) for line in map(json.loads, lines[1:])]
    assert len(keys) == len(set(keys)) == 12


def test_a_score_that_is_there_is_not_written_again(tmp_path: Path) -> None:
    with open_journal(tmp_path / "j.jsonl", PLAN) as journal:
        score = examine(jobs(tmp_path, incidents(1))[0])
        journal.add(score)
        journal.add(score.model_copy(update={"seconds": 9.0}))
    assert [each.seconds for each in read_journal(tmp_path / "j.jsonl")] == [0.5]


def test_a_journal_of_another_plan_is_refused(tmp_path: Path) -> None:
    with open_journal(tmp_path / "j.jsonl", PLAN):
        pass
    other = PLAN.model_copy(update={"version": "v2"})
    with (
        pytest.raises(JournalError, match=r"another backtest \(version v1\)"),
        open_journal(tmp_path / "j.jsonl", other),
    ):
        pass


def test_a_journal_in_use_is_refused(tmp_path: Path) -> None:
    with (
        open_journal(tmp_path / "j.jsonl", PLAN),
        pytest.raises(JournalError, match="another backtest writes"),
        open_journal(tmp_path / "j.jsonl", PLAN),
    ):
        pass


def test_a_file_that_is_no_journal_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("my notes\n", encoding="utf-8")
    with pytest.raises(JournalError, match="no journal"), open_journal(file, PLAN):
        pass
    with pytest.raises(JournalError, match="no journal"):
        read_journal(file)
    assert file.read_text(encoding="utf-8") == "my notes\n"


def test_a_history_file_comes_before_cases(tmp_path: Path) -> None:
    write_case(tmp_path / "a")
    (tmp_path / "history.csv").write_text("id\nx\n", encoding="utf-8")
    assert [incident.id for incident in load_history(tmp_path)] == ["x"]


def test_cases_are_a_history_with_their_truth(tmp_path: Path) -> None:
    write_case(tmp_path / "a")
    (incident,) = load_history(tmp_path)
    assert incident.truth is not None
    assert (incident.truth.failure_class, incident.recording, incident.alert_at) == (
        "gpu.fell_off_bus",
        "a",
        None,
    )
    assert incident.actions is None


def test_a_history_of_something_else_is_refused(tmp_path: Path) -> None:
    line = (
        '{"apiVersion": "audit.k8s.io/v1", "verb": "get", "requestReceivedTimestamp": "2026-03-02T08:00:00Z"}'
    )
    (tmp_path / "history.json").write_text(line, encoding="utf-8")
    with pytest.raises(HistoryError, match="holds no incidents"):
        load_history(tmp_path)


def test_another_history_has_another_digest() -> None:
    assert history_digest(incidents(2)) != history_digest(incidents(3))
    assert history_digest(incidents(2)) == history_digest(incidents(2))
