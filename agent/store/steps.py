"""The steps of executions as signed rows, written before and after the cluster is asked."""

from sqlalchemy import select

from firstfault.agent.store.database import Database
from firstfault.agent.store.gate_tables import StepRow
from firstfault.agent.store.ledger import StepRecord, StepState, Way
from firstfault.agent.store.seals import require_sealed, seal
from firstfault.agent.store.signing import SigningKey

_STEP = "step"


class Steps:
    """Puts and gets steps."""

    def __init__(self, database: Database, key: SigningKey) -> None:
        """Take the database and the key that signs."""
        self._database = database
        self._key = key

    def note(self, step: StepRecord) -> None:
        """Write where a step stands, over what was written before."""
        values = seal(self._key, _STEP, _step_values(step))
        with self._database.writing() as session:
            session.merge(StepRow(**values))

    def of(self, execution_id: str) -> tuple[StepRecord, ...]:
        """Return the steps of an execution in order. Raises ForgedRowError."""
        query = (
            select(StepRow)
            .where(StepRow.execution_id == execution_id)
            .order_by(StepRow.position, StepRow.way)
        )
        with self._database.reading() as session:
            return tuple(self._step(row) for row in session.scalars(query))

    def _step(self, row: StepRow) -> StepRecord:
        step = StepRecord(
            execution_id=row.execution_id,
            position=row.position,
            way=Way(row.way),
            state=StepState(row.state),
            begun_at=row.begun_at,
            ended_at=row.ended_at,
            answer=row.answer,
        )
        require_sealed(self._key, _STEP, _step_values(step), row)
        return step


def _step_values(step: StepRecord) -> dict[str, object]:
    return {name: getattr(step, name) for name in StepRecord.__dataclass_fields__}
