"""One case taken to the point where a model is asked, then finished many times with different models."""

import dataclasses
import secrets
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from firstfault.agent.classes.definitions import load_classes
from firstfault.agent.correlate.echoes import load_echo_rules
from firstfault.agent.findings import Incident
from firstfault.agent.graph import codec
from firstfault.agent.graph.nodes.publish import sealed_report
from firstfault.agent.graph.state import Change, State
from firstfault.agent.graph.wiring import AFTER_THE_MODEL, BEFORE_THE_MODEL, Node
from firstfault.agent.graph.workshop import Workshop
from firstfault.agent.model.budget import BudgetLimits
from firstfault.agent.model.client import OpenAIModel
from firstfault.agent.model.port import ModelPort
from firstfault.agent.model.settings import ModelSettings
from firstfault.agent.report.contract import Report
from firstfault.agent.store import open_store
from firstfault.cli.gatehouse import load_gate
from firstfault.evals.sim.model_server import ModelServer
from firstfault.tools.context import ReadContext
from firstfault.tools.recording import open_recording
from firstfault.tools.redaction import redact
from firstfault.tools.sources import Source

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)


async def no_wait(_seconds: float) -> None:
    """Do not wait between attempts."""


def client(server: ModelServer, **changes: object) -> OpenAIModel:
    """Return a client for a scripted server that does not wait between attempts."""
    settings = ModelSettings(name="scripted", base_url=server.base_url).model_copy(update=changes)
    return OpenAIModel(
        settings=settings, redact=redact, clock=time.monotonic, chance=lambda: 0.5, wait=no_wait
    )


@dataclass(frozen=True, kw_only=True)
class Rehearsal:
    """A workshop and the state before the model is asked.

    same_run: each finish belongs to one run, as after a crash; else each is a run of its own.
    """

    workshop: Workshop
    before: State
    same_run: bool = False

    def finish(self, model: ModelPort | None, limits: BudgetLimits | None = None) -> Report:
        """Return the report with `model`; rounds of reads go back to extract as in the graph."""
        incident = self.workshop.incident
        if not self.same_run:
            incident = dataclasses.replace(incident, correlation_id=secrets.token_hex(16))
        workshop = dataclasses.replace(
            self.workshop, incident=incident, model=model, model_limits=limits or BudgetLimits()
        )
        state = _moved(workshop, self.before, BEFORE_THE_MODEL[-1:])
        while workshop.load(state, "deliberate", codec.Deliberated).wants_more:
            state = _moved(workshop, state, BEFORE_THE_MODEL[3:])
        state = _moved(workshop, state, AFTER_THE_MODEL)
        report = codec.decode(Report, workshop.store.stages.load(state["stages"]["publish"]))
        return sealed_report(workshop, report)


@contextmanager
def rehearsal(
    source: Source,
    context: ReadContext,
    incident: Incident,
    state: Path,
    *,
    clean: Callable[[str], str] = redact,
) -> Generator[Rehearsal]:
    """Give a rehearsal over one source."""
    state.mkdir(parents=True, exist_ok=True)
    with open_store(state) as store:
        store.incidents.open(incident, NOW)
        workshop = Workshop(
            store=store,
            sources=(source,),
            incident=incident,
            context=context,
            classes=load_classes(),
            echo_rules=load_echo_rules(),
            gate=load_gate(state, NOW),
            redact=clean,
            now=NOW,
        )
        yield Rehearsal(
            workshop=workshop, before=_moved(workshop, State(stages={}, rounds=0), BEFORE_THE_MODEL[:-1])
        )


@contextmanager
def rehearsal_of(folder: Path, state: Path) -> Generator[Rehearsal]:
    """Give a rehearsal of a recorded case."""
    recording = open_recording(folder)
    manifest = recording.manifest
    incident = Incident(
        id=manifest.id,
        question=manifest.question,
        correlation_id=secrets.token_hex(16),
        opened_at=manifest.opened_at,
        as_of=manifest.as_of,
        environment=dict(manifest.environment),
    )
    with rehearsal(recording, recording.context, incident, state) as found:
        yield found


def _moved(workshop: Workshop, state: State, nodes: tuple[Node, ...]) -> State:
    for node in nodes:
        change: Change = node(workshop, state)
        state = State(
            stages={**state["stages"], **change.get("stages", {})},
            rounds=change.get("rounds", state["rounds"]),
        )
    return state
