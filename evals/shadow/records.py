"""What shadow mode keeps: imported incidents, what people did, labels, scorecards. Events of the audit chain, all of them.

Nothing is changed or deleted: a later record with the same id stands beside the earlier one, with its author.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from pydantic import AwareDatetime

from firstfault.agent.feedback.labels import HISTORY, Label, keep_labels, kept_labels
from firstfault.agent.store import NewEvent, Store
from firstfault.evals.shadow.history import HistoryRecord, HumanAction, PastIncident, in_order
from firstfault.evals.shadow.scorecard import ShadowScorecard

_INCIDENT, _ACTION, _WATCHED, _SCORECARD = (
    f"shadow.{name}" for name in ("incident", "human_action", "watched", "scorecard")
)
WRITTEN_BY_PEOPLE = frozenset({"question", "resolution", "outcome"})
"""Fields with free text, in which a secret may stand."""

Record = TypeVar("Record", bound=HistoryRecord)


class Watched(HistoryRecord):
    """A span of time in which it is known what people did: what an imported audit log covers."""

    start: AwareDatetime
    end: AwareDatetime
    source: str

    def covers(self, at: datetime) -> bool:
        """Return whether what happened at `at` would be known."""
        return self.start <= at <= self.end


class KeptScorecard(HistoryRecord):
    """A scorecard as it was shown. source: `live`, or the history that was backtested."""

    scorecard: ShadowScorecard
    digest: str
    source: str


@dataclass(frozen=True, slots=True)
class ShadowRecords:
    """Keeps and gives back what shadow mode knows. redact: takes secrets out of what people wrote."""

    store: Store
    redact: Callable[[str], str]

    def keep_incidents(self, incidents: Sequence[PastIncident], now: datetime, *, by: str) -> int:
        """Return how many of the incidents are new."""
        return self._keep(_INCIDENT, [(each.id, each) for each in incidents], now, by, "imported")

    def keep_actions(
        self, actions: Sequence[HumanAction], now: datetime, *, by: str, watched: Watched | None = None
    ) -> int:
        """Return how many of the actions are new; `watched` says in which time nothing else was done."""
        found = [(action.target.name, action) for action in actions]
        added = self._keep(_ACTION, found, now, by, "read from what people did")
        if watched is not None:
            self._keep(_WATCHED, [(watched.source, watched)], now, by, "what people did is known here")
        return added

    def keep_labels(self, labels: Sequence[Label], now: datetime) -> int:
        """Return how many of the labels are new; each is its author's own statement."""
        return keep_labels(self.store, tuple(labels), now, self.redact)

    def keep_scorecard(
        self, scorecard: ShadowScorecard, source: str, now: datetime, *, by: str
    ) -> KeptScorecard:
        """Return the scorecard as it is kept, with its digest."""
        kept = KeptScorecard(scorecard=scorecard, digest=scorecard.digest, source=source)
        self._keep(_SCORECARD, [(kept.digest, kept)], now, by, f"scored {source}")
        return kept

    def incidents(self) -> tuple[PastIncident, ...]:
        """Return the imported incidents, each as it was last told."""
        newest = {incident.id: incident for incident in self._read(_INCIDENT, PastIncident)}
        return in_order(tuple(newest.values()))

    def actions(self) -> tuple[HumanAction, ...]:
        """Return everything people are known to have done, oldest first."""
        return tuple(sorted(self._read(_ACTION, HumanAction), key=lambda action: action.at))

    def watched(self) -> tuple[Watched, ...]:
        """Return the spans of time in which it is known what people did."""
        return tuple(self._read(_WATCHED, Watched))

    def labels(self) -> tuple[Label, ...]:
        """Return all labels, oldest first."""
        return kept_labels(self.store)

    def scorecards(self) -> tuple[KeptScorecard, ...]:
        """Return the scorecards that were kept, oldest first."""
        return tuple(self._read(_SCORECARD, KeptScorecard))

    def _keep(
        self, kind: str, found: Iterable[tuple[str, HistoryRecord]], now: datetime, by: str, why: str
    ) -> int:
        events: list[NewEvent] = []
        for subject, record in found:
            content = self._clean(record)
            key = hashlib.sha256(json.dumps(content, sort_keys=True).encode("ascii")).hexdigest()
            events.append(
                NewEvent(
                    correlation_id=HISTORY,
                    kind=kind,
                    key=key,
                    at=now,
                    actor=by,
                    subject=subject,
                    why=why,
                    payload={"record": content},
                )
            )
        before = self._count()
        self.store.audit.append_all(events)
        return self._count() - before

    def _clean(self, record: HistoryRecord) -> Mapping[str, object]:
        """Return the record as JSON values, secrets taken out of what people wrote."""
        content = record.model_dump(mode="json")
        written = {name: value for name, value in content.items() if name in WRITTEN_BY_PEOPLE and value}
        return content | {name: self.redact(str(value)) for name, value in written.items()}

    def _read(self, kind: str, model: type[Record]) -> Iterator[Record]:
        for event in self.store.audit.events(correlation_id=HISTORY):
            if event.kind == kind:
                yield model.model_validate(json.loads(event.payload)["record"])

    def _count(self) -> int:
        head = self.store.audit.head()
        return head.count if head else 0
