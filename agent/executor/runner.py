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
from firstfault.agent.executor.steps import Plan, Step
from firstfault.agent.store.ledger import StepRecord, StepState, Way
from firstfault.policies.history import Ending

UNDO_WITHIN_S = 300
"""How long taking back one step may go on."""


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
        states = self._journal.states()
        deadline = begun_at + timedelta(seconds=plan.deadline_s)
        if any(way is Way.UNDO for _, way in states):
            return self._take_back(plan, len(plan.steps) - 1, "an earlier run had begun to take it back")
        for position, step in enumerate(plan.steps):
            if states.get((position, Way.DO)) is StepState.DONE:
                continue
            try:
                self._do(position, step, deadline)
            except StepFailedError as failure:
                return self._give_up(plan, position, failure)
        return Outcome(ending=Ending.DONE, why=f"{len(plan.steps)} steps done and verified")

    def _do(self, position: int, step: Step, deadline: datetime) -> None:
        self._note(position, step, Way.DO, StepState.BEGUN, "")
        until = min(deadline, self._clock.now() + timedelta(seconds=step.within_s))
        answer = self._attempts.until_done(step, until)
        self._note(position, step, Way.DO, StepState.DONE, answer)

    def _give_up(self, plan: Plan, position: int, failure: StepFailedError) -> Outcome:
        state = StepState.AMBIGUOUS if failure.is_ambiguous else StepState.FAILED
        self._note(position, plan.steps[position], Way.DO, state, str(failure))
        outcome = self._take_back(
            plan, position, f"step {position + 1} ({plan.steps[position].name}): {failure}"
        )
        if failure.is_ambiguous and outcome.ending is not Ending.UNDONE:
            return Outcome(ending=Ending.AMBIGUOUS, why=outcome.why)
        return outcome

    def _take_back(self, plan: Plan, last: int, why: str) -> Outcome:
        taken = 0
        states = self._journal.states()
        for position in range(last, -1, -1):
            step = plan.steps[position]
            if step.undo is None or (position, Way.DO) not in states:
                continue
            result = self._undo(position, step, is_undone=states.get((position, Way.UNDO)) is StepState.DONE)
            if result is Result.UNKNOWN:
                return Outcome(ending=Ending.AMBIGUOUS, why=f"{why}; taking back `{step.name}` did not end")
            taken += result is Result.DONE
        ending = Ending.UNDONE if taken else Ending.FAILED
        return Outcome(ending=ending, why=f"{why}; {taken} steps taken back")

    def _undo(self, position: int, step: Step, *, is_undone: bool) -> Result:
        if is_undone:
            return Result.DONE
        self._note(position, step, Way.UNDO, StepState.BEGUN, "")
        until = self._clock.now() + timedelta(seconds=UNDO_WITHIN_S)
        result, answer = self._attempts.until_undone(step, until)
        state = StepState.AMBIGUOUS if result is Result.UNKNOWN else StepState.DONE
        self._note(position, step, Way.UNDO, state, answer)
        return result

    def _note(self, position: int, step: Step, way: Way, state: StepState, answer: str) -> None:
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
