"""The model as the graph uses it: what it is shown, what it may read, and a journal so that no answer is paid for twice."""

from collections.abc import Iterable
from dataclasses import dataclass

from firstfault.agent.deliberation.view import DeliberationView
from firstfault.agent.graph import codec
from firstfault.agent.graph.state import State
from firstfault.agent.graph.workshop import Workshop
from firstfault.agent.grounding.claims import ClosedSets
from firstfault.agent.model.budget import digest_of
from firstfault.agent.model.exchanges import Exchange, exchanged
from firstfault.agent.model.port import ModelPort, ModelReply, ModelRequest, Price
from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.evidence import Coverage, Document, Gap
from firstfault.tools.sources import Answer, Question
from firstfault.tools.times import Window

MAX_ROUNDS = 3
"""How often newly read documents may send the run back to extract."""

_LABELLED = {
    "node": EntityKind.NODE,
    "pod": EntityKind.POD,
    "job": EntityKind.JOB,
    "container": EntityKind.CONTAINER,
}


@dataclass(frozen=True, kw_only=True)
class JournaledModel:
    """Keeps every exchange of a run in the store; a node that runs again after a crash gets the same answers."""

    inner: ModelPort
    workshop: Workshop

    @property
    def name(self) -> str:
        """Return the name of the model."""
        return self.inner.name

    @property
    def price(self) -> Price | None:
        """Return its price."""
        return self.inner.price

    def complete(self, request: ModelRequest) -> ModelReply:
        """Return the answer, from the journal when this run has it. Raises ModelError."""
        workshop = self.workshop
        stage = f"model.{workshop.incident.correlation_id}.{digest_of(request.messages)}"
        known = workshop.store.stages.get(workshop.incident.id, stage)
        if known is not None:
            return Exchange.model_validate_json(known).played()
        exchange = exchanged(self.inner, request)
        kept = exchange.model_dump_json(exclude_none=True).encode()
        workshop.store.stages.put(workshop.incident.id, stage, kept, workshop.now)
        return exchange.played()


def view_of(workshop: Workshop, state: State, closed: ClosedSets) -> DeliberationView:
    """Return what the model is shown of this run."""
    concluded = workshop.load(state, "hypothesize", codec.Concluded)
    documents = workshop.documents(state)
    missing = [gap for hypothesis in concluded.hypotheses for gap in hypothesis.missing]
    return DeliberationView(
        incident=workshop.incident,
        timeline=concluded.timeline,
        hypotheses=concluded.hypotheses,
        diagnosis=concluded.diagnosis,
        gaps=(*missing, *_gaps(workshop, state)),
        coverage=coverage_of(workshop, state),
        documents=documents,
        entities=tuple(_entities(workshop, concluded, documents)),
        context=workshop.context,
        redact=workshop.redact,
        glosses=closed.glosses,
    )


def coverage_of(workshop: Workshop, state: State) -> tuple[Coverage, ...]:
    """Return how completely everything was read so far, the model's own reads included."""
    collected = [workshop.load(state, stage, codec.Collected) for stage in ("preserve", "collect")]
    own = (
        workshop.load(state, "deliberate", codec.Deliberated).coverage
        if "deliberate" in state["stages"]
        else ()
    )
    return (*(c for each in collected for c in each.coverage), *own)


def ask_sources(workshop: Workshop, question: Question) -> Answer:
    """Return what all sources have for one question of the model, in the incident's window."""
    incident = workshop.incident
    window = Window(start=incident.window_start, end=incident.window_end)
    answers = [source.read(question, window, incident.as_of) for source in workshop.sources]
    return Answer(
        documents=tuple(document for answer in answers for document in answer.documents),
        coverage=tuple(coverage for answer in answers for coverage in answer.coverage),
        gaps=tuple(gap for answer in answers for gap in answer.gaps),
    )


def no_more_reads(_question: Question) -> Answer:
    """Return that the rounds of reads are used up."""
    why = f"the model's {MAX_ROUNDS} rounds of reads are used up"
    return Answer(gaps=(Gap(source="model", why=why, would_tell="what a further read would have brought"),))


def _gaps(workshop: Workshop, state: State) -> Iterable[Gap]:
    for stage in ("preserve", "collect"):
        yield from workshop.load(state, stage, codec.Collected).gaps


def _entities(
    workshop: Workshop, concluded: codec.Concluded, documents: tuple[Document, ...]
) -> Iterable[EntityRef]:
    """Yield what this incident is about: entities of signals, of documents and their labels, and machines they are on."""
    seen: set[str] = set()
    for entity in _mentioned(workshop, concluded, documents):
        if entity.key not in seen:
            seen.add(entity.key)
            yield entity


def _mentioned(
    workshop: Workshop, concluded: codec.Concluded, documents: tuple[Document, ...]
) -> Iterable[EntityRef]:
    for entry in concluded.timeline:
        yield entry.signal.entity
        if entry.signal.entity.node:
            yield EntityRef(kind=EntityKind.NODE, name=entry.signal.entity.node)
    for document in documents:
        if document.entity is not None:
            yield document.entity
        namespace = document.labels.get("namespace")
        for label, kind in _LABELLED.items():
            if label in document.labels:
                scope = None if kind is EntityKind.NODE else namespace
                yield EntityRef(kind=kind, name=document.labels[label], namespace=scope)
    for item in workshop.reading(documents).objects:
        if item.kind == "Node":
            yield EntityRef(kind=EntityKind.NODE, name=item.name)
        elif item.kind == "Pod":
            yield EntityRef(kind=EntityKind.POD, name=item.name, namespace=item.namespace)
