"""Makes a large log of ordinary lines with lines of recorded incidents among them, the same one every time."""

from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import BinaryIO

from firstfault.tools.catalogs.patterns import all_patterns

ONE_IN = 500
"""One line in so many is a line of a recorded incident."""
_PIECE_LINES = 50_000

_ORDINARY = (
    '2026-03-0{d}T10:{m:02}:{s:02}.{n:06}Z stdout F {{"level":"info","step":{n},"lm_loss":2.{n:04},"tokens_per_s":{n}}}',
    " iteration {n:8}/  500000 | consumed samples: {n:12} | elapsed time per iteration (ms): 25{s}.4 | grad norm: 0.{n:03} |",
    'I030{d} 10:{m:02}:{s:02}.{n:06}  2313 kubelet_getters.go:187] "Pod status updated" pod="train/worker-{s}" status=Running',
    "[2026-03-0{d} 10:{m:02}:{s:02},{n:03}] [INFO] [trainer.py:412:log] rank 0 step {n} lr 3e-4 throughput 41{s}.2",
    "worker-{s}:4{n:04}:4{n:04} [{d}] NCCL INFO Channel {m:02}/0 : {s}[{d}] -> {m}[{d}] via P2P/CUMEM/read",
    "Mar  {d} 10:{m:02}:{s:02} gpu-{s} systemd[1]: Started Session {n} of user root.",
    'time="2026-03-0{d}T10:{m:02}:{s:02}Z" level=info msg="StopContainer for {n:x} returns successfully"',
    '10.1.{m}.{s} - - [0{d}/Mar/2026:10:{m:02}:{s:02} +0000] "GET /metrics HTTP/1.1" 200 {n} "-" "Prometheus/2.53.0"',
)
"""Lines of trainers, NCCL, kubelet, systemd, containerd and a web server on a good day."""


def incident_lines(cases: Path) -> list[str]:
    """Return the log lines of all recorded cases, the patterns' own examples where the cases are not there."""
    logs = (
        sorted(path for path in cases.glob("*/raw/*") if path.suffix in {".log", ".txt"})
        if cases.is_dir()
        else []
    )
    lines = [
        line
        for path in logs
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
        if line
    ]
    return lines or [pattern.example for pattern in all_patterns()]


def write_mixture(target: BinaryIO, size: int, cases: Path) -> tuple[int, int]:
    """Write at least `size` bytes of mixed lines; return (bytes, lines)."""
    written = lines = 0
    every = mixed_lines(cases)
    while written < size:
        piece = "".join(f"{line}\n" for line in islice(every, _PIECE_LINES)).encode()
        target.write(piece)
        written += len(piece)
        lines += _PIECE_LINES
    return written, lines


def mixed_lines(cases: Path) -> Iterator[str]:
    """Yield lines without end: ordinary ones, and one in `ONE_IN` of an incident, all of these in turn."""
    told = cycle(incident_lines(cases))
    for number, form in enumerate(cycle(_ORDINARY)):
        if number % ONE_IN == 0:
            yield next(told)
        else:
            yield form.format(n=number % 10_000, d=number % 9 + 1, m=number // 60 % 60, s=number % 60)
