"""Reduces what all ranks said to suspects. One pass over signals that one pass over the lines has folded."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import inf

from firstfault.agent.correlate.collectives.failures import failures
from firstfault.agent.correlate.collectives.paths import Paths
from firstfault.agent.correlate.collectives.standings import groups_of, worlds
from firstfault.agent.correlate.collectives.suspects import suspects
from firstfault.tools.readings import Fact
from firstfault.tools.signals import Signal
from firstfault.tools.times import Stamp

_CRASHES = ("collective.crashed_rank", "collective.hardware")
_WAITING = ("nccl.watchdog_timeout", "torch.pg_status", "torch.heartbeat_stuck")
ONE_STALL_S = 1800.0
"""How far apart ranks of one job give up at most: their clocks, and the time-out of groups with their own. Ours."""
_PARTS = ("nccl.", "torch.", "torchrun.", "cuda.", "app.", "jax.", "storage.")


def collective_signals(signals: Iterable[Signal], facts: Iterable[Fact] = ()) -> tuple[Signal, ...]:
    """Return the suspects of every run, in a fixed order; nothing when no rank waits and no path is broken."""
    part = [signal for signal in signals if signal.name.startswith(_PARTS)]
    dumps = [fact for fact in facts if fact.name.startswith("flight.")]
    found: list[Signal] = []
    runs = _runs(part)
    for run in runs:
        paths = Paths.of(run)
        own_dumps = dumps if run is runs[-1] else []
        groups = worlds(groups_of(run, own_dumps), run, own_dumps)
        failed = list(failures(run, paths))
        crashed = {signal.entity.key for signal in failed if signal.name in _CRASHES}
        for name in sorted(groups):
            found.extend(each for each in suspects(groups[name], paths) if not _is_explained(each, crashed))
        found.extend(failed)
    return tuple(found)


def _is_explained(signal: Signal, crashed: set[str]) -> bool:
    """Return whether a rank is silent because it had failed."""
    return signal.name == "collective.silent_rank" and signal.entity.key in crashed


def _runs(signals: Sequence[Signal]) -> list[list[Signal]]:
    """Return the signals by run.

    Logs of single ranks together are one. Logs in which several ranks speak, as of pods with a rank for each GPU, are
    one where no rank speaks in two of them and they are of one time: numbers of ranks repeat from run to run, and two
    attempts must not be read as one job.
    """
    logs: dict[str, _Log] = defaultdict(_Log)
    for signal in signals:
        logs[signal.evidence.path].add(signal)
    several = sorted(
        (path for path in logs if len(logs[path].ranks) > 1), key=lambda path: (logs[path].first_s, path)
    )
    speakers = [rank for path in several for rank in logs[path].ranks]
    is_one_attempt = len(speakers) == len(set(speakers))
    runs: list[_Log] = []
    number_of: dict[str, int] = {}
    for path in several:
        number = next(
            (n for n, run in enumerate(runs) if run.takes(logs[path], is_one_attempt=is_one_attempt)),
            len(runs),
        )
        if number == len(runs):
            runs.append(_Log())
        runs[number].join(logs[path])
        number_of[path] = number
    found: list[list[Signal]] = [[] for _ in runs]
    rest: list[Signal] = []
    for signal in signals:
        home = number_of.get(signal.evidence.path)
        (rest if home is None else found[home]).append(signal)
    return [*found, rest] if rest or not found else found


@dataclass(slots=True)
class _Log:
    """Which ranks speak in a log, or in the logs of a run, and from when to when they wait.

    first_s, last_s: seconds since 1970 or, where no year is printed, since the year began; which of both, says `clock`.
    """

    ranks: set[str] = field(default_factory=set[str])
    clock: str | None = None
    first_s: float = inf
    last_s: float = -inf

    def add(self, signal: Signal) -> None:
        if "rank" in signal.attributes:
            self.ranks.add(str(signal.attributes["rank"]))
        if signal.name.startswith(_WAITING):
            clock, seconds = _moment(signal.stamp)
            self._span(clock, seconds, seconds)

    def takes(self, other: "_Log", *, is_one_attempt: bool) -> bool:
        """Return whether both are of one run; what has no common clock is only where no rank speaks twice at all."""
        if not self.ranks.isdisjoint(other.ranks):
            return False
        if self.clock is None or self.clock != other.clock:
            return is_one_attempt
        return other.first_s - ONE_STALL_S <= self.last_s and self.first_s - ONE_STALL_S <= other.last_s

    def join(self, other: "_Log") -> None:
        self.ranks |= other.ranks
        self._span(other.clock, other.first_s, other.last_s)

    def _span(self, clock: str | None, first_s: float, last_s: float) -> None:
        if self.clock is None:
            self.clock = clock
        if self.clock == clock:
            self.first_s, self.last_s = min(self.first_s, first_s), max(self.last_s, last_s)


def _moment(stamp: Stamp) -> tuple[str | None, float]:
    if stamp.at is not None:
        return "utc", stamp.at.timestamp()
    if stamp.uptime_s is not None and stamp.own_clock == "year":
        return "year", stamp.uptime_s
    return None, inf
