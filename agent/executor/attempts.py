"""One step against a cluster that may be slow, busy, changing or gone: asked again until it is done or its time is over.

Errors
├── HaltedError             nothing more may be sent now
└── StepFailedError         the step cannot be done
    └── AmbiguousStepError  what became of it is not known
"""

from collections.abc import Callable
from datetime import datetime
from enum import Enum

from firstfault.agent.executor.checks import Object, fetched, first_unmet, value_at
from firstfault.agent.executor.clock import Clock
from firstfault.agent.executor.cluster import Cluster
from firstfault.agent.executor.steps import Call, Step, Verb, described
from firstfault.tools.kube.errors import (
    ConflictError,
    ForbiddenError,
    KubeError,
    NotFoundError,
    RefusedVerbError,
    RejectedError,
    StatusError,
    ThrottledError,
)
from firstfault.tools.kube.replies import refusal
from firstfault.tools.readings import Json

POLL_S = 2.0
BUSY_S = 5.0
"""Waits between looks, and after a 429 that names no time."""
_NOT_OURS = "nothing of ours is there"
_OK = range(200, 300)
_SERVER_FAULT = range(500, 600)


class HaltedError(Exception):
    """The run must not go on now; nothing more is sent."""


class StepFailedError(Exception):
    """The step cannot be done; the message says why, in one line. is_ambiguous: whether its effect is there is not known."""

    is_ambiguous = False


class AmbiguousStepError(StepFailedError):
    """What became of the step is not known."""

    is_ambiguous = True


class Result(Enum):
    """What became of taking a step back."""

    DONE = "done"
    NOTHING_TO_DO = "nothing_to_do"
    UNKNOWN = "unknown"


class Attempts:
    """Asks, looks, waits, asks again."""

    def __init__(self, cluster: Cluster, clock: Clock, stop_reason: Callable[[], str | None]) -> None:
        """Take the cluster, time, and what may stop us."""
        self._cluster = cluster
        self._clock = clock
        self._stop_reason = stop_reason

    def until_done(self, step: Step, until: datetime) -> str:
        """Return what was seen when the step was done; after `until` nothing is begun. Raises StepFailedError or HaltedError."""
        is_taken, problem = False, ""
        while True:
            self._require_going()
            is_over = self._clock.now() >= until
            try:
                if first_unmet(self._cluster, step.done) is None:
                    return "done and verified" if is_taken else "found done"
                self._require_not_given_up(step)
                is_taken = is_taken or self._is_accepted(step)
                if not is_taken and step.call is not None and not is_over:
                    is_taken = self._begin(step, step.call)
                    if is_taken:
                        continue
                pause, is_blind = POLL_S, False
                problem = (is_over and problem) or described(step.done[0])
            except (ForbiddenError, RefusedVerbError) as error:
                raise (AmbiguousStepError if is_taken else StepFailedError)(str(error)) from error
            except KubeError as error:
                pause, problem, is_blind = _pause(error), str(error), _is_blinding(error)
            if self._clock.now() >= until:
                why = f"not done in time: {problem}"
                raise (AmbiguousStepError if is_blind else StepFailedError)(why)
            self._clock.wait(pause)

    def until_undone(
        self, step: Step, until: datetime, begin: Callable[[], object], *, is_begun: bool
    ) -> tuple[Result, str]:
        """Return what became of taking the step back; only our own effect is taken back. Raises HaltedError.

        begin: called before anything is sent for it; is_begun: it was called by an earlier run, which may have sent it.
        """
        undo = step.undo
        if undo is None:
            return Result.NOTHING_TO_DO, "this step cannot be taken back"
        is_sent = False
        while True:
            self._require_going()
            try:
                found = fetched(self._cluster, undo.path)
                if first_unmet(self._cluster, step.done, {undo.path: found}) is not None:
                    return (Result.DONE, "taken back") if is_begun else (Result.NOTHING_TO_DO, _NOT_OURS)
                if not is_sent:
                    if not is_begun:
                        begin()
                        is_begun = True
                    self._send(undo, found)
                    is_sent = True
                    continue
                pause, problem = POLL_S, "the effect is still there"
            except (ForbiddenError, RefusedVerbError, StepFailedError) as error:
                return Result.UNKNOWN, str(error)
            except KubeError as error:
                pause, problem = _pause(error), str(error)
            if self._clock.now() >= until:
                return Result.UNKNOWN, problem
            self._clock.wait(pause)

    def _begin(self, step: Step, call: Call) -> bool:
        """Return whether the call was taken; what must hold before is looked at in the very object that is to change."""
        found = fetched(self._cluster, call.path) if call.is_guarded else None
        unmet = first_unmet(self._cluster, step.before, {call.path: found} if call.is_guarded else None)
        if unmet is not None:
            why = f"precondition: {described(unmet)}"
            raise StepFailedError(why)
        try:
            self._send(call, found)
        except ConflictError as error:
            if call.verb is Verb.CREATE and first_unmet(self._cluster, step.done) is not None:
                why = f"{error}; it is not ours"
                raise StepFailedError(why) from error
            raise
        except NotFoundError as error:
            if call.verb is not Verb.EVICT:
                raise StepFailedError(str(error)) from error
            return False
        return True

    def _send(self, call: Call, found: Object | None) -> None:
        body: dict[str, Json] = dict(call.body)
        if call.is_guarded:
            version = None if found is None else value_at(found, ("metadata", "resourceVersion"))
            metadata = body.get("metadata")
            guarded: dict[str, Json] = dict(metadata) if isinstance(metadata, dict) else {}
            body["metadata"] = {**guarded, "resourceVersion": version}
        self._require_going()
        reply = self._cluster.send(call, body)
        if reply.code in _OK:
            return
        error = refusal(reply, f"{call.verb} {call.path}")
        if isinstance(error, RejectedError) and reply.code not in _SERVER_FAULT:
            raise StepFailedError(str(error))
        raise error

    def _is_accepted(self, step: Step) -> bool:
        return bool(step.accepted) and first_unmet(self._cluster, step.accepted) is None

    def _require_not_given_up(self, step: Step) -> None:
        if step.failed and first_unmet(self._cluster, step.failed) is None:
            why = f"the controller gave up: {described(step.failed[0])}"
            raise StepFailedError(why)

    def _require_going(self) -> None:
        reason = self._stop_reason()
        if reason is not None:
            raise HaltedError(reason)


def _pause(error: KubeError) -> float:
    if isinstance(error, ThrottledError):
        return float(error.status.retry_after_s or BUSY_S)
    return POLL_S


def _is_blinding(error: KubeError) -> bool:
    """Return whether the error leaves it open what is there: no answer, or a server's own fault."""
    return not isinstance(error, StatusError) or error.status.code in _SERVER_FAULT
