"""Past incidents that resemble this one. A past conclusion is never evidence: recall comes after the verdict."""

from firstfault.agent.graph import codec
from firstfault.agent.graph.state import Change, State
from firstfault.agent.graph.workshop import Workshop


def recall(workshop: Workshop, state: State) -> Change:
    """Look up similar incidents, if there is a memory."""
    similar = ()
    if workshop.memory is not None:
        diagnosis = workshop.load(state, "hypothesize", codec.Concluded).diagnosis
        signals = workshop.load(state, "extract", codec.Seen).signals
        similar = workshop.memory(diagnosis, signals, workshop.incident.id)
    ids = [each.id for each in similar]
    return workshop.finish(
        state,
        "recall",
        codec.Recalled(similar=similar),
        why=f"{len(ids)} similar incidents",
        payload={"ids": ids},
    )
