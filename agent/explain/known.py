"""What the classes are tested with, put together again for an explanation: the pure stages, or what a run stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from firstfault.agent.classes.matching import SignalSet
from firstfault.agent.correlate.collectives import collective_signals
from firstfault.agent.correlate.common_cause import as_signals, shared_by_kind
from firstfault.agent.correlate.echoes import Echo, EchoRule, find_echoes
from firstfault.agent.findings import CommonCause
from firstfault.agent.graph import codec
from firstfault.agent.store import Store
from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Coverage, Document
from firstfault.tools.extract import extract
from firstfault.tools.readers import read
from firstfault.tools.readings import joined
from firstfault.tools.signals import Signal
from firstfault.tools.sources import Answer
from firstfault.tools.topology.groups import memberships


class NoRunError(Exception):
    """Raised when an incident has no finished run to explain; the message names the remedy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Everything that the classes were tested with."""

    signals: SignalSet
    echoes: tuple[Echo, ...]
    coverage: tuple[Coverage, ...]
    documents: tuple[Document, ...]
    question: str


def known_of_answer(
    answer: Answer, context: ReadContext, rules: Sequence[EchoRule], question: str, as_of: datetime | None
) -> Known:
    """Return what the documents of `answer` hold."""
    reading = joined([read(document, context) for document in answer.documents])
    found = extract(answer.documents, reading, context)
    visible = tuple(s for s in found if as_of is None or s.stamp.at is None or s.stamp.at <= as_of)
    signals = (*visible, *collective_signals(visible, reading.facts))
    echoes = find_echoes(signals, rules)
    explained = {echo.index for echo in echoes}
    shared = shared_by_kind(
        [signal for index, signal in enumerate(signals) if index not in explained],
        memberships(reading.objects, answer.documents),
    )
    return Known(
        signals=_joined(signals, echoes, shared),
        echoes=tuple(echoes),
        coverage=answer.coverage,
        documents=answer.documents,
        question=question,
    )


def known_of_incident(store: Store, incident_id: str) -> Known:
    """Return what the newest run of a stored incident saw.

    Raises UnknownIncidentError, or NoRunError when the run did not get far enough.
    """
    incident = store.incidents.get(incident_id).incident
    found, stages = store.stages.digests(incident_id), store.stages
    if not {"preserve", "collect", "extract", "correlate"} <= set(found):
        msg = f"`{incident_id}` has no finished run: investigate it again"
        raise NoRunError(msg)
    seen = codec.decode(codec.Seen, stages.load(found["extract"]))
    correlated = codec.decode(codec.Correlated, stages.load(found["correlate"]))
    parts = [codec.decode(codec.Collected, stages.load(found[name])) for name in ("preserve", "collect")]
    coverage = [c for part in parts for c in part.coverage]
    if "deliberate" in found:
        coverage += codec.decode(codec.Deliberated, stages.load(found["deliberate"])).coverage
    return Known(
        signals=_joined(seen.signals, correlated.echoes, correlated.common_causes),
        echoes=correlated.echoes,
        coverage=tuple(coverage),
        documents=store.evidence.documents(incident_id),
        question=incident.question,
    )


def _joined(signals: Sequence[Signal], echoes: Sequence[Echo], shared: Sequence[CommonCause]) -> SignalSet:
    return SignalSet(
        signals=(*signals, *as_signals(shared)),
        echoes={echo.index: echo.because for echo in echoes},
    )
