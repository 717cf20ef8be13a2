"""Runs a plan: every step looked at before it is done, done once, looked at again, and taken back when a later one fails.

What is already so is not done again: that is how a run goes on after a crash. An answer that was lost is not an answer: the
object is read again. What can neither be read nor finished in time is ambiguous, and counts as failed.

Errors
└── HaltedError      the run must not go on now (kill switch, turn lost); the execution stays as it is
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from firstfault.agent.executor.attempts import Attempts, Result, StepFailedError
from firstfault.agent.executor.clock import Clock
from firstfault.agent.executor.cluster import Cluster
from firstfault.agent.executor.journal import Journal
from firstfault.agent.executor.steps import Plan, Step, steps_in_words
from firstfault.agent.store.ledger import StepRecord, StepState, Way
from firstfault.policies.history import Ending

UNDO_WITHIN_S = 300
"""How long taking back one step may go on."""

_ENDED_BADLY = frozenset({StepState.FAILED, StepState.AMBIGUOUS})


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a run ended."""

    ending: Ending
    why: str


class Runner:
    """Runs one plan against one cluster."""

    def __init__(
        self, cluster: Cluster, journal: Journal, clock: Clock, stop_reason: Callable[[], str | None]
    ) -> None:
        """Take what to run with. stop_reason: why the run must not go on now, asked before every request."""
        self._journal = journal
        self._clock = clock
        self._attempts = Attempts(cluster, clock, stop_reason)

    def run(self, plan: Plan, begun_at: datetime) -> Outcome:
        """Return how the plan ended. Raises HaltedError when it must not go on now."""
        rows = self._journal.rows()
        deadline = begun_at + timedelta(seconds=plan.deadline_s)
        for position, step in enumerate(plan.steps):
            row = rows.get((position, Way.DO))
            if row is not None and row.state is StepState.DONE:
                continue
            if row is not None and row.state in _ENDED_BADLY:
                return self._take_back(plan, position, row)
            try:
                self._do(position, step, deadline)
            except StepFailedError as failure:
                state = StepState.AMBIGUOUS if failure.is_ambiguous else StepState.FAILED
                return self._take_back(
                    plan, position, self._note(position, step, Way.DO, state, str(failure))
                )
        return Outcome(ending=Ending.DONE, why=f"{steps_in_words(len(plan.steps))} done and verified")

    def _do(self, position: int, step: Step, deadline: datetime) -> None:
        self._note(position, step, Way.DO, StepState.BEGUN, "")
        until = min(deadline, self._clock.now() + timedelta(seconds=step.within_s))
        answer = self._attempts.until_done(step, until)
        self._note(position, step, Way.DO, StepState.DONE, answer)

    def _take_back(self, plan: Plan, last: int, failed: StepRecord) -> Outcome:
        """Take back what was done up to the step `last`, which ended badly: the last first."""
        why = f"step {last + 1} ({plan.steps[last].name}): {failed.answer}"
        rows, taken = self._journal.rows(), 0
        for position in range(last, -1, -1):
            step = plan.steps[position]
            result = self._undo(position, step, rows.get((position, Way.UNDO)))
            if result is Result.UNKNOWN:
                return Outcome(ending=Ending.AMBIGUOUS, why=f"{why}; taking back `{step.name}` did not end")
            taken += result is Result.DONE
        is_known = taken or failed.state is StepState.FAILED
        ending = Ending.UNDONE if taken else Ending.FAILED if is_known else Ending.AMBIGUOUS
        return Outcome(ending=ending, why=f"{why}; {steps_in_words(taken)} taken back")

    def _undo(self, position: int, step: Step, row: StepRecord | None) -> Result:
        if row is not None and row.state is StepState.DONE:
            return Result.DONE
        until = self._clock.now() + timedelta(seconds=UNDO_WITHIN_S)
        result, answer = self._attempts.until_undone(
            step,
            until,
            lambda: self._note(position, step, Way.UNDO, StepState.BEGUN, ""),
            is_begun=row is not None,
        )
        if result is not Result.NOTHING_TO_DO:
            state = StepState.AMBIGUOUS if result is Result.UNKNOWN else StepState.DONE
            self._note(position, step, Way.UNDO, state, answer)
        return result

    def _note(self, position: int, step: Step, way: Way, state: StepState, answer: str) -> StepRecord:
        now = self._clock.now()
        record = StepRecord(
            execution_id=self._journal.execution_id,
            position=position,
            way=way,
            state=state,
            begun_at=now,
            ended_at=None if state is StepState.BEGUN else now,
            answer=answer,
        )
        self._journal.note(step, record)
        return record
