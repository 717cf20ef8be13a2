"""What `firstfault shadow backtest` and `score` do: history in, scores out, scorecards kept."""

import os
import shutil
import sys
import tempfile
import time
from atexit import register
from collections.abc import Callable, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from firstfault.agent.ledger.reading import read_ledger
from firstfault.agent.ledger.rows import LedgerError, modes_of
from firstfault.agent.store import Store, StoreError
from firstfault.agent.version import agent_version
from firstfault.cli.configuration import NothingUsable, opened_store, state
from firstfault.cli.inquiry import Inquiry, investigate_recording
from firstfault.evals.promotion.moves import decisive_classes, demote_where_due
from firstfault.evals.promotion.standings import standings
from firstfault.evals.shadow.backtest import (
    SCORE_OFFSET_S,
    Job,
    history_digest,
    load_history,
    plan_jobs,
    run_jobs,
)
from firstfault.evals.shadow.comparison import VersionComparison, compare_versions
from firstfault.evals.shadow.history import PastIncident
from firstfault.evals.shadow.journal import Plan, open_journal, read_journal
from firstfault.evals.shadow.live import LIVE, LIVE_OFFSET_S, score_live, settled_history
from firstfault.evals.shadow.records import ShadowRecords
from firstfault.evals.shadow.scorecard import ShadowScorecard, make_scorecard
from firstfault.evals.shadow.scores import ShadowScore, score_missing, score_shadow
from firstfault.evals.shadow.standing import CellStanding
from firstfault.tools.recording import Recording, RecordingError, open_recording
from firstfault.tools.redaction import redact

JOURNAL = "journal.jsonl"
NEEDED_MEMORY = 1 << 30
"""Bytes that must be free before stores are kept in memory."""
JOBS_PER_STATE = 50
"""After this many investigations a worker begins with an empty store, so that none is slower than the one before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a run gave. notes: what else the user should know."""

    scorecard: ShadowScorecard
    cells: Sequence[CellStanding]
    source: str
    version: str
    out: Path
    notes: tuple[str, ...] = ()


def parse_offsets(text: str) -> tuple[int, ...]:
    """Return minutes as seconds, ascending. Raises NothingUsable."""
    try:
        minutes = sorted({float(part) for part in text.split(",")})
    except ValueError as error:
        msg = f"`{text}` is no list of minutes: write `0,5,15,60`"
        raise NothingUsable(msg) from error
    return tuple(int(each * 60) for each in minutes)


def backtest_folder(
    folder: Path | None,
    span: tuple[datetime | None, datetime | None],
    offsets_s: tuple[int, ...],
    workers: int,
    out: Path | None,
) -> Result:
    """Return the scorecard of a backtest, kept in the store; promoted cells that this version loses go back."""
    version, now = agent_version(), datetime.now(UTC)
    with opened_store() as store:
        records = ShadowRecords(store, redact)
        history = load_history(folder) if folder else _imported(records, span)
        incidents, conflicts = settled_history(history, records.labels())
        if not incidents:
            msg = "there are no incidents in this time: import some with `firstfault shadow import FILE`"
            raise NothingUsable(msg)
        digest = history_digest(incidents)
        place = out or state() / "backtests" / f"{digest[:12]}-{version.partition('+')[2]}"
        jobs = list(plan_jobs(incidents, folder or Path.cwd(), offsets_s, version))
        plan = Plan(version=version, history=digest, offsets_s=offsets_s)
        with open_journal(place / JOURNAL, plan) as journal:
            _run(len(jobs), lambda told: run_jobs(jobs, examine, journal, workers=workers, progress=told))
            scores = journal.scores
        offset_s = SCORE_OFFSET_S if SCORE_OFFSET_S in offsets_s else offsets_s[-1]
        scorecard = make_scorecard(scores, score_offset_s=offset_s, conflicts=conflicts)
        source = folder.name if folder else "imported incidents"
        records.keep_scorecard(scorecard, f"backtest of {source}", now, by="firstfault")
        notes = _compared(store, scorecard, scores, place, version, now)
        cells = standing_of(store, scorecard)
    return Result(scorecard=scorecard, cells=cells, source=source, version=version, out=place, notes=notes)


def score_everything(store: Store, records: ShadowRecords, now: datetime) -> Result:
    """Return the scorecard of the incidents of this installation, kept in the store."""
    version = agent_version()
    live = score_live(store, records, version)
    scorecard = make_scorecard(live.scores, score_offset_s=LIVE_OFFSET_S, conflicts=live.conflicts)
    if live.scores:
        records.keep_scorecard(scorecard, LIVE, now, by="firstfault")
    return Result(scorecard=scorecard, cells=(), source=LIVE, version=version, out=state())


def standing_of(store: Store, scorecard: ShadowScorecard) -> Sequence[CellStanding]:
    """Return where the cells of a scorecard stand; a ledger that cannot be trusted has them all in shadow."""
    reading = read_ledger(store, state())
    return standings(scorecard, {} if reading.trouble else modes_of(reading.rows), decisive_classes())


def examine(job: Job) -> ShadowScore:
    """Investigate and score one job; this runs in a worker process with a store of its own."""
    started = time.perf_counter()
    if job.recording is None:
        return score_missing(
            job.incident, "nothing was recorded", offset_s=job.offset_s, version=job.version, seconds=0
        )
    now = job.as_of or datetime.now(UTC)
    inquiry = Inquiry(
        now=now,
        question=job.incident.question,
        as_of=job.as_of,
        incident_id=f"{job.incident.id}@{job.offset_s}",
    )
    try:
        recording = open_recording(job.recording)
        report = investigate_recording(recording, inquiry, state=_worker_state())
    except (RecordingError, StoreError) as error:
        seconds = time.perf_counter() - started
        return score_missing(
            job.incident, str(error), offset_s=job.offset_s, version=job.version, seconds=seconds
        )
    seconds = time.perf_counter() - started
    return score_shadow(
        job.incident,
        report,
        _lines_of(recording),
        offset_s=job.offset_s,
        version=job.version,
        made_at=job.as_of + timedelta(seconds=seconds) if job.as_of else None,
        seconds=seconds,
    )


def _lines_of(recording: Recording) -> Callable[[str], Sequence[str] | None]:
    documents = {document.path: document for document in recording.documents}
    return lambda path: documents[path].lines if path in documents else None


_state: list[tuple[Path, int]] = []


def _worker_state() -> Path:
    """Return the folder of this process's store, a new one from time to time."""
    folder, used = _state.pop() if _state else (None, 0)
    if folder is None or used >= JOBS_PER_STATE:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        folder, used = Path(tempfile.mkdtemp(prefix=f"firstfault-backtest-{os.getpid()}-", dir=_memory())), 0
        register(shutil.rmtree, folder, ignore_errors=True)
    _state.append((folder, used + 1))
    return folder


def _memory() -> Path | None:
    """Return a folder that lives in memory where there is room: what a backtest stores is thrown away anyway."""
    there = Path("/dev/shm")  # noqa: S108 - a folder with a name of its own is made in it, for this user only
    has_room = there.is_dir() and os.access(there, os.W_OK) and shutil.disk_usage(there).free >= NEEDED_MEMORY
    return there if has_room else None


def _run(number: int, run: Callable[[Callable[[int], None]], None]) -> None:
    """Run with a progress bar on a terminal; a worker that died is an error the user can act on."""
    try:
        if not sys.stderr.isatty():
            run(lambda _count: None)
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

        columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True)) as bar:
            task = bar.add_task("", total=number)
            run(lambda count: bar.update(task, completed=count))
    except BrokenProcessPool as error:
        msg = "a worker process died: run the same command again, it goes on where it was"
        raise click.ClickException(msg) from error


def _imported(
    records: ShadowRecords, span: tuple[datetime | None, datetime | None]
) -> tuple[PastIncident, ...]:
    start, end = span
    return tuple(
        incident
        for incident in records.incidents()
        if incident.alert_at is not None
        and (start is None or incident.alert_at >= start)
        and (end is None or incident.alert_at <= end)
    )


def _compared(
    store: Store,
    scorecard: ShadowScorecard,
    scores: Sequence[ShadowScore],
    place: Path,
    version: str,
    now: datetime,
) -> tuple[str, ...]:
    """Return what a comparison with the last version on the same history says; cells that it loses go back."""
    before = _other_journal(place)
    worse: dict[str, VersionComparison] = {}
    notes: list[str] = []
    if before is not None:
        old = read_journal(before)
        whole = compare_versions(old, scores)
        notes.append(
            f"beside {old[0].version if old else 'the last version'}: {len(whole.better)} better, {len(whole.worse)} worse "
            f"of {whole.pairs} (sign test p = {whole.p_value:.3g}), harm {whole.harm_before} before, {whole.harm_after} now"
        )
        for failure_class in {score.failure_class for score in (*old, *scores)}:
            worse[failure_class] = compare_versions(
                _of(old, scores, failure_class), _of(scores, old, failure_class)
            )
    try:
        rows = demote_where_due(store, state(), scorecard, now, version=version, worse=worse)
    except LedgerError as error:
        return (*notes, f"the ledger cannot be trusted ({error}): every cell is in shadow")
    return (*notes, *(f"{row.move.name} went back to {row.move.mode} mode: {row.move.why}" for row in rows))


def _of(mine: Sequence[ShadowScore], other: Sequence[ShadowScore], failure_class: str) -> list[ShadowScore]:
    """Return my scores of the incidents that either version called by this class."""
    keys = {(s.incident, s.offset_s) for s in (*mine, *other) if s.failure_class == failure_class}
    return [score for score in mine if (score.incident, score.offset_s) in keys]


def _other_journal(place: Path) -> Path | None:
    """Return the newest journal of the same history by another version, None when there is none."""
    history = place.name.partition("-")[0]
    found = [
        path
        for path in place.parent.glob(f"{history}-*/{JOURNAL}")
        if path.parent != place and path.is_file()
    ]
    return max(found, key=lambda path: path.stat().st_mtime, default=None)
