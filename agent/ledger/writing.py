"""New rows of the ledger. Whether a move is deserved is decided elsewhere (evals); here it is only written down."""

from pathlib import Path

from firstfault.agent.ledger.reading import sound_rows
from firstfault.agent.ledger.rows import LedgerError, LedgerRow, Move, event_of, modes_of
from firstfault.agent.store import Store
from firstfault.agent.store.chain import GENESIS
from firstfault.policies.modes import Mode


def move_cell(store: Store, state: Path, move: Move) -> LedgerRow:
    """Return the new row, after the whole ledger was checked.

    Raises LedgerError when the ledger cannot be trusted, or the cell is no longer in the mode the move starts from.
    """
    with store.together():
        rows = sound_rows(store, state)
        now = modes_of(rows).get(move.cell, Mode.SHADOW)
        if now is not move.mode_before:
            msg = f"{move.name} is in {now} mode, not in {move.mode_before}: look again"
            raise LedgerError(msg)
        placed = move.model_copy(update={"row_before": rows[-1].digest if rows else GENESIS})
        event = store.audit.append(event_of(placed, len(rows) + 1, store.key))
    return LedgerRow(move=placed, seq=event.seq, digest=event.digest)
