"""Echoes told from causes, and what affected nodes share."""

from firstfault.agent.correlate.echoes import find_echoes
from firstfault.agent.graph import codec
from firstfault.agent.graph.state import Change, State
from firstfault.agent.graph.workshop import Workshop


def correlate(workshop: Workshop, state: State) -> Change:
    """Apply the echo rules to the signals."""
    signals = workshop.load(state, "extract", codec.Seen).signals
    echoes = find_echoes(signals, workshop.echo_rules)
    rules = sorted({echo.rule for echo in echoes})
    return workshop.finish(
        state,
        "correlate",
        codec.Correlated(echoes=echoes),
        why=f"{len(echoes)} of {len(signals)} signals are echoes",
        payload={"echoes": len(echoes), "rules": rules},
    )
