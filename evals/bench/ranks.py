"""Measures the collectives reducer: many ranks, many lines each, one of them silent.

`python -m firstfault.evals.bench.ranks RANKS LINES FOLDER` writes one log per rank into FOLDER, reads and reduces them.
"""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from firstfault.agent.correlate.collectives import collective_signals
from firstfault.evals.bench.measure import MB, Measured, in_process, print_measured, table
from firstfault.tools.bodies import FileBody
from firstfault.tools.context import NO_CONTEXT
from firstfault.tools.evidence import Document
from firstfault.tools.extract.lines import catalogue, line_signals
from firstfault.tools.kinds import Kind
from firstfault.tools.signals import Signal

MODULE = "firstfault.evals.bench.ranks"
RANKS = 200
LINES = 5_000
SILENT = 137
_KIND = Kind.APPLICATION_LOG


def write_rank(file: Path, rank: int, lines: int) -> int:
    """Write the log of one rank: steps, and at the end, but for the silent one, the time-out; return its size."""
    steps = "".join(
        f"[rank{rank}]: 2026-03-01 03:{step // 60 % 60:02}:{step % 60:02} step {step} loss 2.{step % 1000:03} lr 3e-4\n"
        for step in range(lines - 2)
    )
    head = f"[rank{rank}]:[E301 05:10:00.000000 ProcessGroupNCCL.cpp:"
    end = (
        f"{head}683] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=8127, OpType=ALLREDUCE, "
        "NumelIn=1048576, NumelOut=1048576, Timeout(ms)=600000) ran for 600033 milliseconds before timing out.\n"
        f"{head}2241] [PG ID 0 PG GUID 0(default_pg) Rank {rank}]  failure detected by watchdog at work sequence id: 8127 "
        "PG status: last enqueued work: 8129, last completed work: 8126\n"
    )
    return file.write_text(steps + ("" if rank == SILENT else end), encoding="utf-8")


def reduce_folder(folder: Path) -> str:
    """Read every log in `folder` once and reduce what was found; return who is suspected."""
    signals: list[Signal] = []
    for file in sorted(folder.glob("*.log")):
        document = Document(path=file.name, kind=_KIND, body=FileBody(file), source="bench", query="bench")
        signals.extend(line_signals(document, NO_CONTEXT))
    found = [each for each in collective_signals(signals) if each.name != "collective.hang_start"]
    return f"{len(signals)} signals; " + ", ".join(f"{each.name} {each.entity.name}" for each in found)


def run() -> Sequence[Measured]:
    """Return what the reduction took for a number of lines, and for four times as many."""
    found: list[Measured] = []
    for lines in (LINES, 4 * LINES):
        with tempfile.TemporaryDirectory(prefix="firstfault-bench-") as folder:
            found.append(in_process(MODULE, str(RANKS), str(lines), folder))
    return found


def report(found: Sequence[Measured]) -> str:
    """Return the table."""
    few, many = found
    growth = many.peak_mb - few.peak_mb
    return f"{table(found)}\npeak memory with four times the lines: {growth:+.1f} MB; silent rank: {SILENT}"


def main(arguments: Sequence[str]) -> int:
    """Write the logs, then measure their reduction."""
    ranks, lines, folder = int(arguments[0]), int(arguments[1]), Path(arguments[2])
    size = sum(write_rank(folder / f"rank{rank:05}.log", rank, lines) for rank in range(ranks))
    catalogue().of(_KIND)
    print_measured(f"{ranks} ranks, {lines} lines each", size / MB, lambda: reduce_folder(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
