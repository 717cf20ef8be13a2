"""deploy/collectors/fluent-bit.yaml as it is shipped, run by a real Fluent Bit over real journal files.

Needs `fluent-bit` (4 or newer) on PATH and Debian's systemd-journal-remote: `make test-collectors`. Nothing installs them,
so nothing but that target asks for these tests. `FIXTURE=write` keeps what was pushed for tests/deploy.
"""

import json
import os
import shutil
import signal
import subprocess
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.system.journal import ENTRIES, MACHINE, WRITER, Fields, at_ns, kernel, write
from tests.system.loki_sink import LokiSink

pytestmark = [pytest.mark.collector, pytest.mark.timeout(180)]
ROOT = Path(__file__).resolve().parents[2]
SNIPPET = ROOT / "deploy" / "collectors" / "fluent-bit.yaml"
PUSHED = ROOT / "tests" / "deploy" / "pushed" / "fluent_bit_5.json"
NODE = "gpu-00003"
MINUTE_US = 60_000_000


@dataclass(frozen=True, kw_only=True)
class Machine:
    """A node with its journal and what Fluent Bit keeps there."""

    folder: Path
    sink: LokiSink

    def write(self, entries: tuple[Fields, ...], *, minute: int = 0) -> None:
        """Have journald write entries to a file of their own."""
        file = self.folder / "journal" / MACHINE / f"system@{minute:04d}.journal"
        write(file, entries, after_us=minute * MINUTE_US)

    @contextmanager
    def collecting(self, *, ended_by: signal.Signals = signal.SIGTERM) -> Generator[None]:
        """Run Fluent Bit with the snippet: only what is mounted and the environment are ours."""
        text = SNIPPET.read_text().replace("/var/log/journal", str(self.folder / "journal"))
        config = self.folder / "fluent-bit.yaml"
        config.write_text(text.replace("/var/lib/fluent-bit", str(self.folder / "state")))
        around = {"NODE_NAME": NODE, "LOKI_HOST": "127.0.0.1", "LOKI_PORT": str(self.sink.port)}
        with (self.folder / "fluent-bit.log").open("ab") as log:
            process = subprocess.Popen(
                ["fluent-bit", "-c", config],  # noqa: S607 - the one that is installed
                env={**os.environ, **around},
                stdout=log,
                stderr=log,
            )
        try:
            yield
        finally:
            process.send_signal(ended_by)
            process.wait(timeout=30)


@pytest.fixture
def machine(tmp_path: Path) -> Generator[Machine]:
    assert shutil.which("fluent-bit"), "fluent-bit is not on PATH: install Fluent Bit 4 or newer"
    assert Path(WRITER).exists(), f"{WRITER} is not there: install systemd-journal-remote"
    (tmp_path / "state").mkdir()
    with LokiSink() as sink:
        yield Machine(folder=tmp_path, sink=sink)


def said(entries: tuple[Fields, ...]) -> list[str]:
    """Return the messages that are text."""
    return [each["MESSAGE"] for each in entries if isinstance(each.get("MESSAGE"), str)]  # pyright: ignore[reportReturnType] - as checked


def burst(minute: int, count: int = 200) -> tuple[Fields, ...]:
    """Return lines of the kernel that are told apart."""
    return tuple(kernel(f"mlx5_core 0000:1a:00.0: minute {minute} line {number}") for number in range(count))


def test_every_line_is_pushed_as_it_is_with_the_labels_that_are_looked_for(machine: Machine) -> None:
    machine.write(ENTRIES)
    with machine.collecting():
        machine.sink.wait_for(lambda: len(machine.sink.lines) >= len(ENTRIES) - 1)
    if os.environ.get("FIXTURE") == "write":
        PUSHED.write_text(json.dumps(machine.sink.bodies, indent=1) + "\n")
    streams = [(each["stream"], each["values"]) for body in machine.sink.bodies for each in body["streams"]]
    pushed = {(at, text): labels for labels, values in streams for at, text in values}
    assert len(machine.sink.lines) == len(ENTRIES) - 1, "the entry without a message is no line"
    for number, entry in enumerate(ENTRIES):
        if isinstance(message := entry.get("MESSAGE"), str):
            wanted = {"job": "systemd-journal", "node": NODE, "transport": str(entry["_TRANSPORT"])}
            if "_SYSTEMD_UNIT" in entry:
                wanted["unit"] = str(entry["_SYSTEMD_UNIT"])
            assert pushed[str(at_ns(number)), message] == wanted
    (kept,) = json.loads(PUSHED.read_text())
    by_line = {(at, text): each["stream"] for each in kept["streams"] for at, text in each["values"]}
    assert pushed == by_line, "what is kept in tests/deploy is what is pushed"


def test_after_a_restart_nothing_comes_twice_and_nothing_is_left_out(machine: Machine) -> None:
    for minute in range(3):
        machine.write(burst(minute), minute=minute)
        with machine.collecting():
            machine.sink.wait_for(lambda minute=minute: len(machine.sink.lines) >= 200 * (minute + 1))
    with machine.collecting():
        machine.write(burst(3), minute=3)
        machine.sink.wait_for(lambda: len(machine.sink.lines) >= 800)
    counts = Counter(text for _, text in machine.sink.lines)
    assert counts == Counter(line for minute in range(4) for line in said(burst(minute)))


@pytest.mark.parametrize("ended_by", [signal.SIGTERM, signal.SIGKILL])
def test_what_comes_while_loki_is_away_is_there_when_it_is_back(
    machine: Machine, ended_by: signal.Signals
) -> None:
    machine.sink.is_away = True
    machine.write(burst(0), minute=0)
    with machine.collecting(ended_by=ended_by):
        # The first push and two that are tried again: by default the line would be thrown away by now.
        machine.sink.wait_for(lambda: machine.sink.refused >= 3)
    with machine.collecting():
        machine.write(burst(1), minute=1)
        refused = machine.sink.refused
        machine.sink.wait_for(lambda: machine.sink.refused > refused)
        machine.sink.is_away = False
        machine.sink.wait_for(lambda: len({text for _, text in machine.sink.lines}) >= 400)
    counts = Counter(text for _, text in machine.sink.lines)
    assert set(counts) == set(said(burst(0)) + said(burst(1)))
    assert set(counts.values()) == {1}
