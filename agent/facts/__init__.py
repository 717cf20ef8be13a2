"""Joins what tools saw to what policies must know: API objects in, the gate's facts out. Unknown stays None."""

from firstfault.agent.facts.recording import CauseFinding, Surroundings, facts_from_recording
from firstfault.agent.facts.settings import FactSettings, Switches
from firstfault.agent.facts.snapshot import ApiObject, Snapshot

__all__ = [
    "ApiObject",
    "CauseFinding",
    "FactSettings",
    "Snapshot",
    "Surroundings",
    "Switches",
    "facts_from_recording",
]
