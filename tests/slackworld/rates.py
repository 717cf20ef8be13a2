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


SLACK_RATES: Mapping[str, Rate] = {
    "chat.postMessage": Rate(every_s=1.0, burst=3, is_per_channel=True),
    "chat.update": Rate(every_s=1.2, burst=10),
    "chat.delete": Rate(every_s=1.2, burst=10),
    "chat.postEphemeral": Rate(every_s=0.6, burst=20),
    "reactions.add": Rate(every_s=1.2, burst=10),
    "reactions.remove": Rate(every_s=1.2, burst=10),
    "conversations.history": Rate(every_s=1.2, burst=10),
    "conversations.replies": Rate(every_s=1.2, burst=10),
    "conversations.info": Rate(every_s=1.2, burst=10),
    "conversations.list": Rate(every_s=3.0, burst=5),
    "users.info": Rate(every_s=0.6, burst=20),
    "views.open": Rate(every_s=0.6, burst=20),
    "views.update": Rate(every_s=0.6, burst=20),
    "usergroups.users.list": Rate(every_s=3.0, burst=5),
}
"""Units: seconds between calls. Source: docs.slack.dev, "Rate limits": tier 2 is 20 a minute, tier 3 is 50, tier 4 is 100;
one post a second in each channel. How many may come at once is not documented; these bursts are small on purpose."""


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
