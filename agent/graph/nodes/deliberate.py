"""Without a model there is nothing to deliberate: the deterministic findings stand as they are."""

from firstfault.agent.graph import codec
from firstfault.agent.graph.state import State
from firstfault.agent.graph.workshop import Workshop


def deliberate(workshop: Workshop, state: State) -> State:
    """Note that no model was asked."""
    return workshop.finish(
        state,
        "deliberate",
        codec.Deliberated(),
        why="no model is configured",
        payload={},
    )
