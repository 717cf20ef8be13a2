"""How many decisions a second the gate makes with all its policies, how long the slowest take, and what a long ledger costs."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

from firstfault.agent.gate.files import load_limits, load_policies
from firstfault.evals.gate.world import NOW, known_facts, proposal_for
from firstfault.policies import Action, History, Limits, Mode, PastAction, Policies, decide
from firstfault.policies.actions import EXECUTABLE
from firstfault.policies.history import Ending

ROUNDS = 2_000
ROWS = 100_000
AIM_P99_MS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Decisions per second of processor time, and latencies in milliseconds: of the processor, and on the wall clock.

    On a machine that does other work as well, the wall clock tells of that work.
    """

    per_cpu_second: float
    median_ms: float
    p99_ms: float
    wall_p99_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What one run measured. ratio: median with the long ledger over median without one."""

    policies: int
    rows: int
    short: Pace
    long: Pace

    @property
    def ratio(self) -> float:
        """Return how much slower the long ledger makes a decision."""
        return self.long.median_ms / self.short.median_ms


def run(rounds: int = ROUNDS, rows: int = ROWS) -> Figures:
    """Return the figures of this machine, over all actions and modes in turn."""
    policies, limits = load_policies(), load_limits()
    short, long = History.of((), ()), History.of(_ledger(rows), ())
    return Figures(
        policies=len(policies.book.policies),
        rows=rows,
        short=_pace(policies, limits, short, rounds),
        long=_pace(policies, limits, long, rounds),
    )


def _pace(policies: Policies, limits: Limits, history: History, rounds: int) -> Pace:
    actions, modes = sorted(EXECUTABLE), list(Mode)
    for action in actions:
        decide(proposal_for(action), known_facts(Mode.APPROVE), history, limits, policies)
    cpu: list[float] = []
    wall: list[float] = []
    for number in range(rounds):
        action, mode = actions[number % len(actions)], modes[number % len(modes)]
        asked, known = proposal_for(action, incident_id=f"inc-{number}"), known_facts(mode)
        cpu_s, wall_s = _timed(lambda a=asked, k=known: decide(a, k, history, limits, policies))
        cpu.append(cpu_s)
        wall.append(wall_s)
    return Pace(
        per_cpu_second=len(cpu) / sum(cpu),
        median_ms=_at(cpu, 0.5) * 1e3,
        p99_ms=_at(cpu, 0.99) * 1e3,
        wall_p99_ms=_at(wall, 0.99) * 1e3,
    )


def _at(times: list[float], share: float) -> float:
    return sorted(times)[int(len(times) * share)]


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - cpu, time.perf_counter() - wall


def _ledger(rows: int) -> list[PastAction]:
    """Return a ledger over 2,000 nodes and three years, the same every time."""
    chance = random.Random(7)  # noqa: S311  # no secret depends on it
    actions = sorted(EXECUTABLE)
    row = PastAction(action=Action.CORDON_NODE, target="", at=NOW, ending=Ending.DONE)
    return [
        replace(
            row,
            action=chance.choice(actions),
            target=f"node//gpu-{chance.randrange(2_000):05d}",
            at=NOW - timedelta(seconds=chance.randrange(3_600, 3 * 365 * 86_400)),
        )
        for _ in range(rows)
    ]


def report(figures: Figures) -> str:
    """Return the figures as a small table."""
    lines = [
        f"gate: {figures.policies} policies, all actions and modes",
        f"  {'':<16} {'decisions/CPU-s':>16} {'median ms':>10} {'p99 ms':>8} {'wall p99 ms':>12}",
    ]
    for name, pace in (("empty ledger", figures.short), (f"{figures.rows:,} rows", figures.long)):
        lines.append(
            f"  {name:<16} {pace.per_cpu_second:>16,.0f} {pace.median_ms:>10.2f} {pace.p99_ms:>8.2f} {pace.wall_p99_ms:>12.2f}"
        )
    lines.append(f"  ratio {figures.ratio:.2f}, aim p99 < {AIM_P99_MS:g} ms")
    return "\n".join(lines)
