"""Past incidents investigated as of their alert and a little later, and scored against what really happened.

Several processes investigate; this one writes the journal. Only a few jobs are handed out at a time, so memory and
cost per incident do not grow with the history.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path

from firstfault.evals.cases import CASE_FILE, find_cases
from firstfault.evals.shadow.history import KnownCause, PastIncident, in_order
from firstfault.evals.shadow.imports import HistoryError, read_history
from firstfault.evals.shadow.journal import Journal
from firstfault.evals.shadow.scores import ShadowScore
from firstfault.evals.truth import read_truth
from firstfault.tools.recording import open_recording

OFFSETS_S = (0, 300, 900, 3600)
"""Times after the alert that are replayed: at once, and after 5, 15 and 60 minutes."""
SCORE_OFFSET_S = 900
"""The time that cells are counted at: what an on-call would have had when they began to act."""
HISTORY_FILES = ("history.json", "history.csv", "history.jsonl")
_WAITING_PER_WORKER = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One investigation to make. as_of: nothing later is visible; None: the incident has no time."""

    incident: PastIncident
    recording: Path | None
    offset_s: int
    version: str

    @property
    def as_of(self) -> datetime | None:
        """Return the moment of the replay."""
        at = self.incident.alert_at
        return None if at is None else at + timedelta(seconds=self.offset_s)


Examine = Callable[[Job], ShadowScore]
"""Investigates and scores one job. It runs in another process, so it must be a function of a module."""


def load_history(folder: Path) -> tuple[PastIncident, ...]:
    """Return the incidents of a folder: its history file, or the cases with a truth in it.

    Raises HistoryError, CasesError or TruthError with the remedy.
    """
    files = [folder / name for name in HISTORY_FILES if (folder / name).is_file()]
    if files:
        imported = read_history(files[0].read_text(encoding="utf-8"), files[0].name)
        if not imported.incidents:
            msg = f"`{files[0]}` holds no incidents"
            raise HistoryError(msg)
        return imported.incidents
    return in_order(tuple(_from_case(case.folder, folder) for case in find_cases(folder)))


def _from_case(case: Path, folder: Path) -> PastIncident:
    truth = read_truth(case)
    manifest = open_recording(case).manifest if (case / CASE_FILE).is_file() else None
    cause = KnownCause(
        failure_class=truth.failure_class,
        acceptable_classes=truth.acceptable_classes,
        layer=truth.layer,
        owner=truth.owner,
        culprit=truth.culprit,
        first_fault=truth.first_fault,
        wanted=truth.verdict,
        certainty=truth.certainty,
        actions=truth.actions,
    )
    return PastIncident(
        id=case.name,
        alert_at=manifest.opened_at if manifest else None,
        question=manifest.question or None if manifest else None,
        recording=str(case.relative_to(folder)),
        cause=cause,
        source="case",
    )


def plan_jobs(
    incidents: Iterable[PastIncident], folder: Path, offsets_s: Sequence[int], version: str
) -> Iterator[Job]:
    """Yield the jobs. An incident without a time is looked at once, whole, at the offset that is scored."""
    for incident in incidents:
        recording = folder / incident.recording if incident.recording else None
        for offset_s in offsets_s if incident.alert_at else (SCORE_OFFSET_S,):
            yield Job(incident=incident, recording=recording, offset_s=offset_s, version=version)


def history_digest(incidents: Iterable[PastIncident]) -> str:
    """Return the digest of a history, so that a journal belongs to one."""
    text = json.dumps([each.model_dump(mode="json") for each in incidents], sort_keys=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def run_jobs(
    jobs: Iterable[Job], examine: Examine, journal: Journal, *, workers: int, progress: Callable[[int], None]
) -> None:
    """Make every investigation that the journal does not hold yet. progress: told how many are done."""
    todo = (job for job in jobs if (job.incident.id, job.offset_s) not in journal.done)
    if workers <= 1:
        for job in todo:
            journal.add(examine(job))
            progress(len(journal.done))
        return
    with ProcessPoolExecutor(max_workers=workers) as pool:
        running: set[Future[ShadowScore]] = set()
        while True:
            room = workers * _WAITING_PER_WORKER - len(running)
            running |= {pool.submit(examine, job) for job in islice(todo, room)}
            if not running:
                return
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                journal.add(future.result())
                progress(len(journal.done))
