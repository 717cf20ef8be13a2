"""Runs one measurement in a process of its own, so that its memory and processor time are its own."""

import json
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time

MB = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one run took. megabytes: read. peak_mb: highest resident memory of the process, interpreter included."""

    name: str
    megabytes: float
    cpu_s: float
    peak_mb: float
    note: str = ""

    @property
    def speed(self) -> float:
        """Return megabytes per second of processor time."""
        return self.megabytes / self.cpu_s if self.cpu_s else 0.0


def in_process(module: str, *arguments: str) -> Measured:
    """Return what `python -m module arguments` measured and printed with `print_measured`."""
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 - our own module
    return Measured(**json.loads(done.stdout))


def print_measured(name: str, megabytes: float, work: Callable[[], str]) -> None:
    """Do `work`, which returns a note, and print what it took for `in_process` to read."""
    begin = process_time()
    note = work()
    cpu_s = process_time() - begin
    done = Measured(name=name, megabytes=megabytes, cpu_s=cpu_s, peak_mb=peak_mb(), note=note)
    sys.stdout.write(json.dumps(asdict(done)) + "\n")


def run_measured(
    name: str, megabytes: float, command: Sequence[str], note_of: Callable[[str], str]
) -> Measured:
    """Return what another program took. note_of: makes a note of what it printed, or of its error."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 - the caller's program
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Measured(
        name=name,
        megabytes=megabytes,
        cpu_s=after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        peak_mb=after.ru_maxrss / _RSS_PER_MB,
        note=note_of(done.stdout) if done.returncode == 0 else done.stderr.strip()[-80:],
    )


def table(found: Sequence[Measured]) -> str:
    """Return the measurements as a person reads them."""
    lines = [f"{'what':<48}{'MB/CPU-s':>10}{'CPU s':>9}{'peak MB':>9}  note"]
    lines += [
        f"{each.name:<48}{each.speed:>10.1f}{each.cpu_s:>9.2f}{each.peak_mb:>9.0f}  {each.note}"
        for each in found
    ]
    return "\n".join(lines)


_RSS_PER_MB = MB if sys.platform == "darwin" else MB / 1024
"""Resident sizes are bytes on macOS and KiB on Linux (getrusage(2))."""


def peak_mb() -> float:
    """Return the highest resident memory of this process so far.

    Linux counts what getrusage(2) tells from before exec on, so that a child has the peak of its parent; /proc does not.
    """
    try:
        status = Path("/proc/self/status").read_text("ascii")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _RSS_PER_MB
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024 / MB
