"""Dry runs of what was approved, where nothing is run for real: on SQLite the executor sends nothing.

What people said yes to is worked out once more on the cluster as it is then, and kept in the audit: once, also after a crash.
"""

from dataclasses import dataclass
from datetime import datetime

from firstfault.agent.executor.steps import NoPlanError, Plan
from firstfault.agent.slack.desk import Planner
from firstfault.agent.slack.standing import REHEARSED, Asked, standing_of
from firstfault.agent.store import NewEvent, Store
from firstfault.policies.approvals import ApprovalState
from firstfault.tools.kube.errors import KubeError

_CALLS = 3


@dataclass(frozen=True, kw_only=True)
class Rehearsals:
    """Makes dry runs. planner: works out the exact calls."""

    store: Store
    planner: Planner

    def rehearse(self, incident_id: str, now: datetime) -> None:
        """Note what would be sent for every approval of an incident that is given and was not rehearsed yet."""
        for each in standing_of(self.store, incident_id, now).asked:
            if each.state is ApprovalState.APPROVED and not each.is_settled:
                self._note(incident_id, each, self._told(each), now)

    def _told(self, asked: Asked) -> str:
        try:
            return told(self.planner(asked.decision))
        except (NoPlanError, KubeError) as error:
            return f"nothing can be done now: {error}"

    def _note(self, incident_id: str, asked: Asked, why: str, now: datetime) -> None:
        self.store.audit.append(
            NewEvent(
                correlation_id=asked.decision.correlation_id,
                kind=REHEARSED,
                key=asked.approval.id,
                at=now,
                actor="firstfault",
                subject=incident_id,
                why=why,
                payload={"decision": asked.decision.id},
            )
        )


def told(plan: Plan) -> str:
    """Return what a plan would send, in one line."""
    calls = [f"`{step.call.verb.upper()} {step.call.path}`" for step in plan.steps if step.call is not None]
    more = f" and {len(calls) - _CALLS} more" if len(calls) > _CALLS else ""
    return f"would send {', '.join(calls[:_CALLS]) or 'nothing'}{more}; nothing was sent"
