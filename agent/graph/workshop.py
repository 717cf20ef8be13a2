"""What the nodes work with: sources, store, definitions, the gate, and the one moment that counts as now."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, TypeVar, cast

from firstfault.agent.classes.definitions import ClassDefinition
from firstfault.agent.correlate.echoes import EchoRule
from firstfault.agent.findings import (
    CommonCause,
    Diagnosis,
    Hypothesis,
    Incident,
    Recommendation,
)
from firstfault.agent.graph import codec
from firstfault.agent.graph.keepsakes import Keepsakes
from firstfault.agent.graph.state import Change, State
from firstfault.agent.model.budget import BudgetLimits
from firstfault.agent.model.port import ModelPort
from firstfault.agent.report import contract
from firstfault.agent.store import NewEvent, Store
from firstfault.agent.store.blobs import StoredBody
from firstfault.agent.store.shapes import described, document
from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.readings import Reading, joined
from firstfault.tools.signals import Signal
from firstfault.tools.sources import Source

Output = TypeVar("Output")
AGENT = "firstfault"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRequest:
    """What the gate is asked about one incident: everything that facts can be computed from."""

    incident: Incident
    diagnosis: Diagnosis
    best: Hypothesis | None
    recommendations: tuple[Recommendation, ...]
    common_causes: tuple[CommonCause, ...]
    reading: Reading
    signals: tuple[Signal, ...]
    now: datetime


class Gate(Protocol):
    """Decides on recommendations; the implementation joins facts to `policies.decide`."""

    def __call__(self, request: GateRequest) -> tuple[contract.PolicyPart, ...]:
        """Return one decision for each recommendation, in order."""
        ...


class Memory(Protocol):
    """Finds past incidents."""

    def __call__(
        self, diagnosis: Diagnosis, signals: Sequence[Signal], incident_id: str
    ) -> tuple[contract.SimilarPart, ...]:
        """Return past incidents that resemble this one, the most alike first."""
        ...


@dataclass(frozen=True, kw_only=True)
class Workshop:
    """Everything a node may use. The graph never constructs any of it."""

    store: Store
    sources: tuple[Source, ...]
    incident: Incident
    context: ReadContext
    classes: tuple[ClassDefinition, ...]
    echo_rules: tuple[EchoRule, ...]
    gate: Gate
    redact: Callable[[str], str]
    now: datetime
    memory: Memory | None = None
    model: ModelPort | None = None
    model_limits: BudgetLimits = field(default_factory=BudgetLimits)
    progress: Callable[[str], None] = lambda _stage: None
    _kept: Keepsakes = field(default_factory=Keepsakes, repr=False)

    def finish(
        self,
        state: State,
        stage: str,
        value: object,
        *,
        why: str,
        payload: Mapping[str, object],
    ) -> Change:
        """Store a stage's output and its audit event together; return the change to the graph's state."""
        with self.store.together():
            digest = self.store.stages.put(self.incident.id, stage, codec.encode(value), self.now)
            self.note(
                f"stage.{stage}",
                str(state["rounds"]),
                why=why,
                payload={**payload, "output": digest},
            )
        self.progress(stage)
        return {"stages": {stage: digest}}

    def finished(self, state: State, stage: str) -> Change | None:
        """Return the change of a stage whose output is stored and whose checkpoint is not: a process died in between."""
        for event in self.store.audit.events(correlation_id=self.incident.correlation_id):
            if (event.kind, event.key) == (f"stage.{stage}", str(state["rounds"])):
                return {"stages": {stage: str(json.loads(event.payload)["output"])}}
        return None

    def note(
        self,
        kind: str,
        key: str,
        *,
        why: str,
        payload: Mapping[str, object],
    ) -> None:
        """Append one audit event, redacted; the same kind and key again in one run adds nothing."""
        self.store.audit.append(
            NewEvent(
                correlation_id=self.incident.correlation_id,
                kind=kind,
                key=key,
                at=self.now,
                actor=AGENT,
                subject=self.incident.id,
                why=self.redact(why),
                payload={name: self._clean(value) for name, value in payload.items()},
            )
        )

    def load(self, state: State, stage: str, kind: type[Output]) -> Output:
        """Return the output of an earlier stage of this run; it is read back once per process."""
        digest = state["stages"][stage]
        return self._kept.output(digest, lambda: codec.decode(kind, self.store.stages.load(digest)))

    def keep(self, found: Iterable[Document]) -> tuple[codec.Kept, ...]:
        """Return the documents' places in the store, their bytes preserved."""
        stored = self.store.evidence.put_all(self.incident.id, found, self.now)
        self._kept.hold(stored)
        return tuple(
            codec.Kept(description=described(each), sha256=each.body.sha256, size=each.body.size)
            for each in stored
        )

    def documents(self, state: State) -> tuple[Document, ...]:
        """Return all documents collected in this run, bodies in the store."""
        stages = [stage for stage in ("preserve", "collect", "deliberate") if stage in state["stages"]]
        key = tuple(state["stages"][stage] for stage in stages)
        return self._kept.documents(
            key,
            lambda: (
                document(
                    each.description,
                    StoredBody(self.store.blobs, each.sha256, each.size, self._kept.bytes_of(each.sha256)),
                )
                for stage in stages
                for each in self._stored(state, stage)
            ),
        )

    def _stored(self, state: State, stage: str) -> tuple[codec.Kept, ...]:
        if stage == "deliberate":
            return self.load(state, stage, codec.Deliberated).documents
        return self.load(state, stage, codec.Collected).documents

    def reading(self, documents: Sequence[Document]) -> Reading:
        """Return the structure in all documents as one reading; each is parsed once per process."""
        return joined(self._kept.reading(each, self.context) for each in documents)

    def _clean(self, value: object) -> object:
        if isinstance(value, str):
            return self.redact(value)
        if isinstance(value, list | tuple):
            return [self._clean(item) for item in cast("list[object]", value)]
        return value
