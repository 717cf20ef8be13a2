"""Puts the gate together: policies, limits, switches and modes as this process finds them."""

import os
from datetime import datetime
from pathlib import Path

from firstfault.agent.facts.gate import Gatekeeper
from firstfault.agent.gate.files import ENV_PREFIX, load_limits, load_policies
from firstfault.agent.gate.switches import KILL_VARIABLE, look_at_switches
from firstfault.agent.ledger.reading import LedgerReading, read_ledger
from firstfault.agent.settings import Settings
from firstfault.agent.store import Store
from firstfault.policies import History, ModeTable


def load_gate(
    state: Path, now: datetime, store: Store | None = None, settings: Settings | None = None
) -> Gatekeeper:
    """Return the gate over the shipped policies; without a store every cell is in shadow.

    Raises PolicyError or LimitError with the remedy.
    """
    environment = gate_environment(settings)
    ledger = LedgerReading(table=ModeTable()) if store is None else read_ledger(store, state)
    return Gatekeeper(
        modes=ledger.table,
        mode_trouble=ledger.trouble,
        policies=load_policies(),
        limits=load_limits(environment=environment),
        history=History(rows=(), open_breakers=frozenset()),
        switches=lambda: look_at_switches(state, environment, at=now),
    )


def gate_environment(settings: Settings | None) -> dict[str, str]:
    """Return the environment as the gate reads it, with the limits and the kill switch of the settings file in it."""
    environment = dict(os.environ)
    if settings is not None:
        environment |= {f"{ENV_PREFIX}{name.upper()}": str(value) for name, value in settings.limits.items()}
        if settings.kill_switch:
            environment[KILL_VARIABLE] = "on"
    return environment
