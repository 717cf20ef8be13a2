"""Puts the gate together: policies, limits, switches and modes as this process finds them."""

import os
from datetime import datetime
from pathlib import Path

from firstfault.agent.facts.gate import Gatekeeper
from firstfault.agent.gate.files import load_limits, load_policies
from firstfault.agent.gate.switches import look_at_switches
from firstfault.agent.ledger.reading import LedgerReading, read_ledger
from firstfault.agent.store import Store
from firstfault.policies import History, ModeTable


def load_gate(state: Path, now: datetime, store: Store | None = None) -> Gatekeeper:
    """Return the gate over the shipped policies; without a store every cell is in shadow.

    Raises PolicyError or LimitError with the remedy.
    """
    ledger = LedgerReading(table=ModeTable()) if store is None else read_ledger(store, state)
    return Gatekeeper(
        modes=ledger.table,
        mode_trouble=ledger.trouble,
        policies=load_policies(),
        limits=load_limits(environment=os.environ),
        history=History(rows=(), open_breakers=frozenset()),
        switches=lambda: look_at_switches(state, os.environ, at=now),
    )
