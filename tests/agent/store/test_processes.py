"""Real processes: many at once, and killed at every step."""

import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from firstfault.agent.store import Store, open_store

STAGES = ("preserve", "collect", "extract", "correlate", "publish")
PLACES = (
    *("before preserve", "inside preserve", "appended preserve", "after preserve"),
    *("appended extract", "after extract", "inside publish", "after publish"),
)
PAUSES = 4 * len(STAGES)


@contextmanager
def worker(job: str, folder: Path, url: str, name: str) -> Generator[subprocess.Popen[str]]:
    """Give a running worker; it is gone afterwards."""
    command = (sys.executable, "-m", "tests.agent.store.worker", job, str(folder), url, name)
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def finished(process: subprocess.Popen[str]) -> str:
    """Return what the worker printed, once it ended well."""
    printed, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    return printed


def killed_at(place: str, process: subprocess.Popen[str]) -> None:
    """Let the worker run until it says `place`, then kill it."""
    assert process.stdin is not None
    assert process.stdout is not None
    for line in process.stdout:
        if line.strip() == place:
            process.kill()
            process.wait()
            return
        process.stdin.write("\n")
        process.stdin.flush()
    pytest.fail(f"the worker never came to `{place}`")


def test_processes_that_append_at_once_make_one_chain(store: Store, url: str, tmp_path: Path) -> None:
    with (
        worker("append", tmp_path, url, "a") as first,
        worker("append", tmp_path, url, "b") as second,
        worker("append", tmp_path, url, "c") as third,
    ):
        for process in (first, second, third):
            finished(process)
    check = store.audit.verify()
    assert (check.sound, check.events) == (True, 153)
    assert store.audit.trail("shared").events == 3


def test_processes_that_start_at_once_make_one_store(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    with (
        worker("open", folder, "", "a") as a,
        worker("open", folder, "", "b") as b,
        worker("open", folder, "", "c") as c,
    ):
        keys = {finished(process) for process in (a, b, c)}
    assert len(keys) == 1
    assert {each.name.split("-")[0] for each in folder.iterdir()} == {"firstfault.sqlite", "signing.key"}
    with open_store(folder) as store:
        assert (store.audit.verify().sound, store.audit.verify().events) == (True, 3)


@pytest.mark.parametrize("place", PLACES)
def test_killed_at_any_step_and_run_again_nothing_is_doubled_or_missing(tmp_path: Path, place: str) -> None:
    _killed_and_run_again(tmp_path, "", place)


@pytest.mark.parametrize("place", ["inside collect", "appended collect"])
def test_killed_inside_a_transaction_on_postgres(
    postgres_store: Store, migrated_postgres_url: str, tmp_path: Path, place: str
) -> None:
    assert postgres_store.audit.head() is None
    _killed_and_run_again(tmp_path, migrated_postgres_url, place)


def _killed_and_run_again(folder: Path, url: str, place: str) -> None:
    with worker("investigate", folder, url, "inc-1") as process:
        killed_at(place, process)
    where, stage = place.split()
    done = STAGES[: STAGES.index(stage) + (where == "after")]
    with open_store(folder, url=url or None) as store:
        assert [event.key for event in store.audit.events()] == list(done)
        assert set(store.stages.digests("inc-1")) == set(done)
        assert store.audit.verify().sound
    with worker("investigate", folder, url, "inc-1") as process:
        process.communicate("\n" * PAUSES, timeout=60)
    with open_store(folder, url=url or None) as store:
        assert [event.key for event in store.audit.events()] == list(STAGES)
        assert [each.text for each in store.evidence.documents("inc-1")] == list(STAGES)
        assert store.audit.verify().sound
