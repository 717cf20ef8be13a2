"""The results of a backtest as they come in: one line each, so that a run that was killed goes on where it was.

The first line says what was run; a run with other settings refuses the file. A line that was cut off by a kill is
dropped, so its incident is looked at again, and no incident is ever counted twice.
"""

import fcntl
import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from pydantic import ValidationError

from firstfault.evals.shadow.history import HistoryRecord
from firstfault.evals.shadow.scores import ShadowScore

SCHEMA = "firstfault.backtest/v1"


class JournalError(Exception):
    """A journal that cannot be used; the message names the remedy."""


class Plan(HistoryRecord):
    """What a backtest runs. history: digest of the incidents; version: of the agent."""

    journal: str = SCHEMA
    version: str
    history: str
    offsets_s: tuple[int, ...]


@dataclass(slots=True, kw_only=True)
class Journal:
    """An open journal: what is done so far, and where more is written."""

    stream: BinaryIO
    done: dict[tuple[str, int], ShadowScore] = field(default_factory=dict[tuple[str, int], ShadowScore])

    def add(self, score: ShadowScore) -> None:
        """Write one score down, on disk before this returns; a second score of the same thing is left out."""
        if (score.incident, score.offset_s) in self.done:
            return
        self.stream.write(_line(score))
        self.stream.flush()
        os.fsync(self.stream.fileno())
        self.done[score.incident, score.offset_s] = score

    @property
    def scores(self) -> tuple[ShadowScore, ...]:
        """Return every score, by incident and offset."""
        return tuple(self.done[key] for key in sorted(self.done))


@contextmanager
def open_journal(file: Path, plan: Plan) -> Generator[Journal]:
    """Open a journal for a plan, new or to go on with.

    Raises:
        JournalError: another run holds it, it belongs to another plan, or it is no journal.

    """
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a+b") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            msg = f"another backtest writes to `{file}`: wait for it, or give another `--out`"
            raise JournalError(msg) from error
        yield Journal(stream=stream, done=_resume(stream, file, plan))


def read_journal(file: Path) -> tuple[ShadowScore, ...]:
    """Return the scores in a finished or broken-off journal. Raises JournalError when it is none."""
    try:
        with file.open("rb") as stream:
            head, *lines = _whole_lines(stream.read()) or [b""]
    except OSError as error:
        msg = f"cannot read `{file}`: {error.strerror}"
        raise JournalError(msg) from error
    _plan(head, file)
    return tuple(_score(line, file) for line in lines)


def _resume(stream: BinaryIO, file: Path, plan: Plan) -> dict[tuple[str, int], ShadowScore]:
    stream.seek(0)
    lines = _whole_lines(stream.read())
    stream.seek(0)
    stream.truncate(sum(len(line) for line in lines))
    stream.seek(0, os.SEEK_END)
    if not lines:
        stream.write(_line(plan))
        stream.flush()
        return {}
    found = _plan(lines[0], file)
    if found != plan:
        msg = f"`{file}` holds another backtest (version {found.version}): give another `--out`, or delete it"
        raise JournalError(msg)
    scores = [_score(line, file) for line in lines[1:]]
    return {(score.incident, score.offset_s): score for score in scores}


def _whole_lines(content: bytes) -> list[bytes]:
    return [line for line in content.splitlines(keepends=True) if line.endswith(b"\n")]


def _line(record: HistoryRecord) -> bytes:
    return json.dumps(record.model_dump(mode="json"), sort_keys=True).encode("ascii") + b"\n"


def _plan(line: bytes, file: Path) -> Plan:
    try:
        return Plan.model_validate_json(line)
    except ValidationError as error:
        msg = f"`{file}` is no journal of a backtest: give another `--out`"
        raise JournalError(msg) from error


def _score(line: bytes, file: Path) -> ShadowScore:
    try:
        return ShadowScore.model_validate_json(line)
    except ValidationError as error:
        msg = f"`{file}` holds a line that is no score: give another `--out`, or delete it"
        raise JournalError(msg) from error
