"""Reduces what all ranks said to suspects. One pass over signals that one pass over the lines has folded."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from firstfault.agent.correlate.collectives.failures import failures
from firstfault.agent.correlate.collectives.paths import Paths
from firstfault.agent.correlate.collectives.standings import groups_of, worlds
from firstfault.agent.correlate.collectives.suspects import suspects
from firstfault.tools.readings import Fact
from firstfault.tools.signals import Signal

_CRASHES = ("collective.crashed_rank", "collective.hardware")
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
    """Return the signals by run: a log in which several ranks speak is a run, logs of single ranks together are one.

    Numbers of ranks repeat from run to run: two logs of two attempts must not be read as one job.
    """
    ranks: dict[str, set[str]] = defaultdict(set)
    for signal in signals:
        if "rank" in signal.attributes:
            ranks[signal.evidence.path].add(str(signal.attributes["rank"]))
    shared: list[Signal] = []
    own: dict[str, list[Signal]] = defaultdict(list)
    for signal in signals:
        path = signal.evidence.path
        (own[path] if len(ranks[path]) > 1 else shared).append(signal)
    runs = [own[path] for path in sorted(own)]
    return [*runs, shared] if shared or not runs else runs
