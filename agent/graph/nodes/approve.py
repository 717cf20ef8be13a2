"""Waits for people, in the checkpoint and nowhere else: a process may end while it waits, and another one goes on."""

from langgraph.types import interrupt

from firstfault.agent.graph.state import Change, State
from firstfault.agent.graph.workshop import Workshop
from firstfault.policies.approvals import ApprovalState

_OPEN = frozenset({ApprovalState.PENDING, ApprovalState.APPROVED})


def approve(workshop: Workshop, state: State) -> Change:
    """End when nothing of this incident waits for people or for the executor; interrupt the graph as long as something does.

    The graph runs an interrupted node again from its start, so that the store is asked anew each time; nothing is told twice.
    """
    del state
    waiting = [
        approval.id
        for approval in workshop.store.approvals.of_incident(workshop.incident.id)
        if approval.state(workshop.now) in _OPEN
    ]
    workshop.progress("approve")
    if waiting:
        interrupt({"incident": workshop.incident.id, "approvals": waiting})
    return {}
