"""What the runner notes: every step before and after the cluster is asked, in the ledger and in the audit together."""

from collections.abc import Mapping

from firstfault.agent.executor.steps import Step
from firstfault.agent.store import NewEvent, Store
from firstfault.agent.store.ledger import Execution, StepRecord, Way

ACTOR = "firstfault-executor"
Rows = Mapping[tuple[int, Way], StepRecord]


class Journal:
    """The journal of one execution."""

    def __init__(self, store: Store, execution: Execution) -> None:
        """Take the store and the execution whose steps are noted."""
        self._store = store
        self._execution = execution

    @property
    def execution_id(self) -> str:
        """Return the id of the execution."""
        return self._execution.id

    def rows(self) -> Rows:
        """Return where each step stands. Raises ForgedRowError."""
        return {(row.position, row.way): row for row in self._store.steps.of(self._execution.id)}

    def note(self, step: Step, record: StepRecord) -> None:
        """Write where a step stands, with an audit event; the same again adds nothing."""
        call = step.call if record.way is Way.DO else step.undo
        event = NewEvent(
            correlation_id=self._execution.correlation_id,
            kind=f"step.{record.way}.{record.state}",
            key=f"{self._execution.id}/{record.position}",
            at=record.ended_at or record.begun_at,
            actor=ACTOR,
            subject=self._execution.incident_id,
            why=record.answer or step.name,
            payload={
                "execution": self._execution.id,
                "position": record.position,
                "step": step.name,
                "verb": call.verb.value if call else "wait",
                "path": call.path if call else "",
            },
        )
        with self._store.together():
            self._store.steps.note(record)
            self._store.audit.append(event)
