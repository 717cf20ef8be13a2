"""While alerts are served: the record of promoted cells looked at again, and a cell that got worse sent back."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from firstfault.agent.ledger.reading import sound_rows
from firstfault.agent.ledger.rows import LedgerError, modes_of
from firstfault.agent.serve.work import Counters
from firstfault.agent.store import Store, StoreError
from firstfault.policies.modes import Mode


@dataclass(frozen=True, kw_only=True)
class Vigil:
    """Scores the incidents of this installation where any cell is above shadow. said: takes one line for the operator."""

    store: Store
    state: Path
    clock: Callable[[], datetime]
    counters: Counters
    said: Callable[[str], None]

    def take(self) -> None:
        """Send back what has to go back; never raises for what the store or the ledger hold."""
        try:
            self._take()
        except (StoreError, LedgerError) as error:
            self.counters.counts["scorings_failed"] += 1
            self.said(f"cells could not be scored: {error}; trying again at the next turn")

    def _take(self) -> None:
        from firstfault.cli.shadow_runs import score_everything
        from firstfault.evals.promotion.moves import demote_where_due
        from firstfault.evals.shadow.records import ShadowRecords
        from firstfault.tools.redaction import redact

        modes = modes_of(sound_rows(self.store, self.state))
        if all(mode is Mode.SHADOW for mode in modes.values()):
            return
        now = self.clock()
        result = score_everything(self.store, ShadowRecords(self.store, redact), now)
        self.counters.counts["scorings"] += 1
        for row in demote_where_due(self.store, self.state, result.scorecard, now, version=result.version):
            self.counters.counts["cells_sent_back"] += 1
            self.said(f"{row.move.name} went back to {row.move.mode} mode: {row.move.why}")
