"""Open the incident and say so in the audit."""

from firstfault.agent.graph.state import Change, State
from firstfault.agent.graph.workshop import Workshop


def intake(workshop: Workshop, state: State) -> Change:
    """Note what is investigated; the incident row itself was opened by the caller."""
    incident = workshop.incident
    workshop.note(
        "incident.opened",
        incident.id,
        why=incident.question,
        payload={
            "opened_at": incident.opened_at.isoformat() if incident.opened_at else None,
            "as_of": incident.as_of.isoformat() if incident.as_of else None,
            "sources": [source.name for source in workshop.sources],
        },
    )
    workshop.progress("intake")
    return {"rounds": state["rounds"]}
