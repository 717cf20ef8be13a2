"""One display order for signals whose order is only partly known. Pure.

`arrange` never claims more than `tools.times.order` knows: it is a stable topological order in which a signal known
to be earlier never comes after one known to be later; where nothing is known, source and line decide.
"""

from collections.abc import Iterable, Sequence

from firstfault.tools.kinds import Family, Kind
from firstfault.tools.signals import Signal
from firstfault.tools.times import Order, order


def arrange(signals: Iterable[Signal]) -> tuple[Signal, ...]:
    """Return the signals, wall clock first, then uptimes and positions within their own document."""
    return tuple(sorted(signals, key=_key))


_COLLECTED = frozenset({Kind.APPLICATION_LOG, Kind.ALERTS, Kind.PROMETHEUS_RESPONSE, Kind.JOB_STATUS})
"""Kinds that gather what others printed: at the same instant the original goes first."""


def _key(signal: Signal) -> tuple[int, float, bool, str, float, int, str, str]:
    stamp = signal.stamp
    wall = stamp.at.timestamp() if stamp.at is not None else 0.0
    uptime = stamp.uptime_s if stamp.uptime_s is not None else 0.0
    evidence = signal.evidence
    return (
        0 if stamp.at is not None else 1,
        wall,
        evidence.kind in _COLLECTED,
        evidence.path,
        uptime,
        stamp.position or evidence.line_start,
        signal.name,
        signal.entity.key,
    )


def earliest(signals: Sequence[Signal]) -> Signal | None:
    """Return the signal that no other is known to precede.

    Of several, whoever prints faults first-hand (the kernel) goes before those who read it from there; further ties
    go to the one that `arrange` puts first.
    """
    shown = arrange(signals)
    leading = [
        candidate
        for candidate in shown
        if not any(
            order(other.stamp, candidate.stamp) is Order.BEFORE for other in signals if other is not candidate
        )
    ]
    return min(leading or shown, key=lambda each: each.family is not Family.KERNEL, default=None)
