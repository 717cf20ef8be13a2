"""Links that come up for the first time after a boot: their first "down" is part of it, and no fault. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from firstfault.tools.signals import Signal

BOOTING_S = 300.0
"""How long after a boot adapters still train their links.
Source: DOMAIN, metrics traps: links that train after boot print link-down for some polls."""
_DOWN = frozenset({"mlx5.link_down", "net.link_down", "mlx5.cable_unplugged"})
_UP = frozenset({"mlx5.link_up"})
TRAINED = "net.link_trained"


def trained(signals: Iterable[Signal]) -> Iterator[Signal]:
    """Yield the signals; a link that was down while the machine booted and came up then, for good, has `TRAINED`."""
    held = list(signals)
    ports: dict[tuple[str, str], list[Signal]] = defaultdict(list)
    for signal in held:
        if signal.name in _DOWN | _UP and signal.stamp.uptime_s is not None:
            ports[signal.entity.key, signal.stamp.series].append(signal)
    fine = {
        id(signal) for port in ports.values() if _came_up(port) for signal in port if signal.name in _DOWN
    }
    for signal in held:
        yield replace(signal, name=TRAINED) if id(signal) in fine else signal


def _came_up(port: Sequence[Signal]) -> bool:
    """Return whether every `down` of a port is of the boot, and the port is up at its end."""
    times = [(_last_s(signal), signal.name in _UP) for signal in port]
    return max(times)[1] and all(is_up or at <= BOOTING_S for at, is_up in times)


def _last_s(signal: Signal) -> float:
    last = signal.last or signal.stamp
    return last.uptime_s or 0.0
