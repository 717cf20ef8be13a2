"""Measures the headline: a job of 10,000 ranks died, which fault came first; beside reading and searching the same files.

`python -m firstfault.evals.bench.headline PHASE FOLDER` runs one phase on the incident in FOLDER, in a process of its own.
"""

import json
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter

from firstfault.agent.report.contract import Report
from firstfault.evals.bench.measure import MB, Measured, in_process, print_measured, run_measured, table
from firstfault.evals.sim.headline.faults import Story, answer_of
from firstfault.evals.sim.headline.folder import write_folder
from firstfault.evals.sim.headline.judging import mistakes
from firstfault.evals.sim.headline.site import Site

MODULE = "firstfault.evals.bench.headline"
MACHINES = 1_250
AIM_S, AIM_MB = 60.0, 2_000.0
SEED = 0


def story() -> Story:
    """Return what happened."""
    return Story.of(Site(seed=SEED, machines=MACHINES))


def investigate(folder: Path) -> Measured:
    """Return what `firstfault investigate` took for the whole folder, interpreter and imports included."""
    with tempfile.TemporaryDirectory(prefix="firstfault-bench-") as state:
        command = ["env", f"XDG_STATE_HOME={state}", sys.executable, "-m", "firstfault.cli", "investigate"]
        begin = perf_counter()
        took = run_measured("headline: 10,000 ranks", 0.0, [*command, str(folder), "--json"], _judged)
        seconds = perf_counter() - begin
    return replace(took, note=f"{seconds:.0f} s; {took.note}")


def _judged(printed: str) -> str:
    wrong = mistakes(Report.model_validate_json(printed), answer_of(story()))
    return "; ".join(wrong) or "first fault, owner and place are right"


def read(folder: Path) -> str:
    """Read every file once: the least that anything does."""
    size = sum(len(file.read_bytes()) for file in folder.rglob("*") if file.is_file())
    return f"{size / MB:.0f} MB"


def search(folder: Path) -> list[Measured]:
    """Return `rg -c` for two words in the same files, nothing where there is no ripgrep."""
    program = shutil.which("rg")
    if program is None:
        return []
    command = [program, "-c", "-e", "Xid", "-e", "Watchdog", str(folder)]
    return [run_measured("  rg -c of two words", 0.0, command, lambda text: f"{text.count(chr(10))} files")]


def run() -> Sequence[Measured]:
    """Return the measurements, on an incident that is made for them and removed again."""
    with tempfile.TemporaryDirectory(prefix="firstfault-bench-") as folder:
        written = write_folder(story(), Path(folder))
        sys.stderr.write(f"incident of {written.files} files, {written.size / MB:.0f} MB\n")
        ours = in_process(MODULE, "investigate", folder)
        least = in_process(MODULE, "read", folder)
        found = [ours, least, *search(Path(folder))]
    return [replace(each, megabytes=written.size / MB) for each in found]


def report(found: Sequence[Measured]) -> str:
    """Return the table, and the ratios to doing less with the same files."""
    ours, *others = found
    lines = [table(found)]
    lines += [
        f"{ours.cpu_s / each.cpu_s:.0f} times the processor time of `{each.name.strip()}`"
        for each in others
        if each.cpu_s
    ]
    lines.append(f"aim: {AIM_S:g} s and {AIM_MB:g} MB on two cores that nobody else uses")
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """Run the phase that `arguments` name."""
    phase, folder = arguments[0], Path(arguments[1])
    if phase == "investigate":
        took = investigate(folder)
        told = {
            "name": took.name,
            "megabytes": 0.0,
            "cpu_s": took.cpu_s,
            "peak_mb": took.peak_mb,
            "note": took.note,
        }
        sys.stdout.write(json.dumps(told) + "\n")
    else:
        print_measured("  plain reading of the same files", 0.0, lambda: read(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
