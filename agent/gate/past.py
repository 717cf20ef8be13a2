"""The gate's history as the store has it: ledger rows, breakers, the time of the last audit event."""

from datetime import datetime

from firstfault.agent.store import Store
from firstfault.agent.store.errors import StoreError
from firstfault.policies import History
from firstfault.policies.breakers import holds_up

EXECUTION_BEGUN = "execution.begun"
"""The audit event of every ledger row: as many of one as of the other, or a row was taken away."""


def read_history(store: Store) -> History | None:
    """Return the history, or None when it cannot be trusted: a row that is not ours, one missing, the store unreachable."""
    try:
        rows = store.executions.ledger()
        if store.audit.count(EXECUTION_BEGUN) != len(rows):
            return None
        breakers = store.controls.breakers()
        last = store.audit.last()
    except StoreError:
        return None
    open_scopes = {breaker.scope for breaker in breakers if holds_up(breaker, rows)}
    return History.of(rows, open_scopes, None if last is None else datetime.fromisoformat(last.at))
