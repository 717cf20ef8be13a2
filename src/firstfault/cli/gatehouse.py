"""Puts the gate together: policy and limit files, kill switches, modes and history of this installation."""

import os
from collections.abc import Mapping
from pathlib import Path

from firstfault.agent.facts.gate import Gatekeeper
from firstfault.agent.facts.settings import Switches
from firstfault.agent.gate.files import load_limits, load_policies
from firstfault.agent.gate.switches import look_at_switches
from firstfault.agent.store import state_folder
from firstfault.policies import History


def load_gate(environment: Mapping[str, str] | None = None, site_policies: Path | None = None) -> Gatekeeper:
    """Return the gate of this installation. Raises PolicyError, LimitError, CellError with one line."""
    found = os.environ if environment is None else environment
    folder = state_folder(found)

    def switches() -> Switches:
        return look_at_switches(folder, found)

    return Gatekeeper(
        policies=load_policies(site_policies),
        limits=load_limits(None, found),
        history=History(rows=(), open_breakers=frozenset()),
        switches=switches,
    )
