"""How often Slack lets an app call: each method, or each method and channel, on its own."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """One call every `every_s`, after `burst` at once. is_per_channel: each channel on its own."""

    every_s: float
    burst: int = 1
    is_per_channel: bool = False


@dataclass(slots=True, kw_only=True)
class Gatekeeper:
    """Lets calls through or says how long to wait."""

    clock: Callable[[], float]
    rates: Mapping[str, Rate] = field(default_factory=dict[str, Rate])
    _due: dict[tuple[str, str], float] = field(default_factory=dict[tuple[str, str], float])

    def wait_s(self, method: str, channel: str) -> int | None:
        """Return whole seconds to wait, or None: the call counts. The caller holds the lock."""
        rate = self.rates.get(method)
        if rate is None:
            return None
        now = self.clock()
        key = (method, channel if rate.is_per_channel else "")
        due = max(self._due.get(key, 0.0), now - rate.every_s * (rate.burst - 1))
        if due > now:
            return max(1, math.ceil(due - now))
        self._due[key] = due + rate.every_s
        return None
