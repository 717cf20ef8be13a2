"""Signals out of documents."""

from datetime import datetime

from firstfault.agent.correlate.chorus import gathered
from firstfault.agent.correlate.collectives import collective_signals
from firstfault.agent.graph import codec
from firstfault.agent.graph.state import Change, State
from firstfault.agent.graph.workshop import Workshop
from firstfault.tools.evidence import Gap
from firstfault.tools.extract import extract as signals_from
from firstfault.tools.signals import Signal


def extract(workshop: Workshop, state: State) -> Change:
    """Turn every document into signals; what could not be parsed becomes a gap, what is later than as_of is dropped."""
    documents = workshop.documents(state)
    reading = workshop.reading(documents)
    found = signals_from(documents, reading, workshop.context)
    visible = tuple(signal for signal in found if _visible(signal, workshop.incident.as_of))
    visible = gathered((*visible, *collective_signals(visible, reading.facts)))
    gaps = tuple(
        Gap(
            source="reader",
            why=problem,
            would_tell="what this part of the document says",
        )
        for problem in dict.fromkeys(reading.problems)
    )
    names = sorted({signal.name for signal in visible})
    return workshop.finish(
        state,
        "extract",
        codec.Seen(signals=visible, gaps=gaps),
        why=f"{len(visible)} signals of {len(names)} kinds",
        payload={"signals": len(visible), "names": names},
    )


def _visible(signal: Signal, as_of: datetime | None) -> bool:
    return as_of is None or signal.stamp.at is None or signal.stamp.at <= as_of
