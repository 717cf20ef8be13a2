"""Echoes told from causes, and what affected nodes share."""

from firstfault.agent.correlate.common_cause import shared_by_kind
from firstfault.agent.correlate.echoes import find_echoes
from firstfault.agent.graph import codec
from firstfault.agent.graph.state import Change, State
from firstfault.agent.graph.workshop import Workshop
from firstfault.tools.topology.groups import memberships


def correlate(workshop: Workshop, state: State) -> Change:
    """Apply the echo rules to the signals, and test what the machines of each kind of signal have in common."""
    signals = workshop.load(state, "extract", codec.Seen).signals
    echoes = find_echoes(signals, workshop.echo_rules)
    rules = sorted({echo.rule for echo in echoes})
    explained = {echo.index for echo in echoes}
    documents = workshop.documents(state)
    shared = shared_by_kind(
        [signal for index, signal in enumerate(signals) if index not in explained],
        memberships(workshop.reading(documents).objects, documents),
    )
    return workshop.finish(
        state,
        "correlate",
        codec.Correlated(echoes=echoes, common_causes=shared),
        why=f"{len(echoes)} of {len(signals)} signals are echoes",
        payload={
            "echoes": len(echoes),
            "rules": rules,
            "shared": [f"{c.dimension} {c.value}" for c in shared],
        },
    )
