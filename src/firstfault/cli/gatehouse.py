"""Puts the gate together: policies, limits, switches and modes as this process finds them."""

import os
from datetime import datetime
from pathlib import Path

from firstfault.agent.facts.gate import Gatekeeper
from firstfault.agent.gate.files import load_limits, load_policies
from firstfault.agent.gate.switches import look_at_switches
from firstfault.policies import History


def load_gate(state: Path, now: datetime) -> Gatekeeper:
    """Return the gate over the shipped policies. Raises PolicyError or LimitError with the remedy."""
    return Gatekeeper(
        policies=load_policies(),
        limits=load_limits(environment=os.environ),
        history=History(rows=(), open_breakers=frozenset()),
        switches=lambda: look_at_switches(state, os.environ, at=now),
    )
