"""What a backtest costs per incident, at ten, a hundred and a thousand: `python -m firstfault.evals.bench.shadow [N …]`.

Generated histories, one replay an incident, two processes. The cost has to stay flat: nothing may grow with the history.
"""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from firstfault.evals.shadow.generator import generate

SIZES = (10, 100, 1000)
WORKERS = 2
_COMMAND = (
    "-m",
    "firstfault.cli",
    "shadow",
    "backtest",
    "history",
    "--offsets",
    "15",
    "--workers",
    str(WORKERS),
    "--json",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one backtest took. cpu_s: of all its processes; peak_mb: of the largest of them."""

    incidents: int
    wall_s: float
    cpu_s: float
    peak_mb: float


def measure(number: int) -> Cost:
    """Return what a backtest of `number` generated incidents takes, in processes of its own."""
    with tempfile.TemporaryDirectory(prefix="firstfault-bench-") as folder:
        history = Path(folder) / "history"
        history.mkdir()
        generate(history, number, seed=number)
        environment = os.environ | {"XDG_STATE_HOME": str(Path(folder) / "state")}
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
        subprocess.run(  # noqa: S603 - our own command
            [sys.executable, *_COMMAND], cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL
        )
        after, wall_s = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter() - started
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(incidents=number, wall_s=wall_s, cpu_s=cpu_s, peak_mb=after.ru_maxrss / 1024)


def report(costs: Sequence[Cost]) -> str:
    """Return the table."""
    lines = [
        f"backtest, one replay an incident, {WORKERS} processes",
        "incidents  CPU s each  wall s each  peak MB",
    ]
    lines += [
        f"{cost.incidents:9}  {cost.cpu_s / cost.incidents:10.3f}  {cost.wall_s / cost.incidents:11.3f}  {cost.peak_mb:7.0f}"
        for cost in costs
    ]
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """Print the table for the sizes given, or the usual three."""
    print(report([measure(number) for number in map(int, arguments or SIZES)]))  # noqa: T201 - a bench prints
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
