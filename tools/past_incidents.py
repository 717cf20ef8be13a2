"""What past incidents can be asked: the port; the store implements it.

A past conclusion is a hypothesis to test again, never evidence: nothing here is a Signal or an Evidence.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol


class Outcome(StrEnum):
    """Whether what was done helped."""

    WORKED = "worked"
    DID_NOT_WORK = "did_not_work"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class PastIncident:
    """One incident with a known end.

    features: what it is found by, `kind:value` (`signal:xid.79`, `class:gpu.fell_off_bus`, `culprit:gpu`).
    content: digest of what it was concluded from, so that the same recording never resembles itself.
    author: who said how it ended. at: when it was resolved, aware UTC.
    """

    id: str
    summary: str
    features: frozenset[str]
    resolution: str
    outcome: Outcome
    author: str
    at: datetime
    content: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What is looked for. text: words that break ties. exclude_id, exclude_content: what is never returned."""

    features: frozenset[str]
    text: str = ""
    exclude_id: str | None = None
    exclude_content: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Resemblance:
    """A past incident, and why it came up.

    shared, only_then, only_now: features, the rarest first. score: weight of what is shared by weight of all, 0 to 1.
    """

    past: PastIncident
    shared: tuple[str, ...]
    only_then: tuple[str, ...]
    only_now: tuple[str, ...]
    score: float


class IncidentIndex(Protocol):
    """Past incidents that can be searched."""

    def similar(self, probe: Probe, *, limit: int) -> Sequence[Resemblance]:
        """Return past incidents that share structure with the probe, the most alike first; text breaks ties."""
        ...

    def search(self, words: str, *, limit: int) -> Sequence[PastIncident]:
        """Return past incidents that hold some of `words`, the best match first."""
        ...
