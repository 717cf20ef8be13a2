"""What the ledger holds: permits, executions and their steps."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from firstfault.policies.actions import Action
from firstfault.policies.history import Ending, PastAction


@dataclass(frozen=True, slots=True, kw_only=True)
class Permit:
    """The leave to run one decision once, until `expires_at`. holder: the executor that has it."""

    id: str
    decision_id: str
    binding: str
    holder: str
    issued_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One execution. plan: canonical JSON of the steps as they were when it began."""

    id: str
    decision_id: str
    incident_id: str
    correlation_id: str
    action: Action
    target: str
    scopes: tuple[str, ...]
    plan: str
    begun_at: datetime
    ended_at: datetime | None = None
    ending: Ending = Ending.RUNNING
    why: str = ""

    @property
    def as_past(self) -> PastAction:
        """Return the execution as the gate's history has it."""
        return PastAction(
            action=self.action, target=self.target, at=self.begun_at, ending=self.ending, scopes=self.scopes
        )


class Way(StrEnum):
    """Whether a step is done or undone."""

    DO = "do"
    UNDO = "undo"


class StepState(StrEnum):
    """Where a step stands. BEGUN is written before the cluster is asked."""

    BEGUN = "begun"
    DONE = "done"
    FAILED = "failed"
    AMBIGUOUS = "ambiguous"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRecord:
    """One step of an execution."""

    execution_id: str
    position: int
    way: Way
    state: StepState
    begun_at: datetime
    ended_at: datetime | None = None
    answer: str = ""
