"""The composition root of investigations: store, checkpoints, definitions, gate and model put together once."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from firstfault.agent.classes.definitions import load_classes
from firstfault.agent.correlate.echoes import load_echo_rules
from firstfault.agent.facts.gate import Gatekeeper
from firstfault.agent.findings import Incident
from firstfault.agent.graph.checkpoints import Checkpointer, open_checkpoints
from firstfault.agent.graph.run import investigate
from firstfault.agent.graph.workshop import Gate, Workshop
from firstfault.agent.recollection.recall import Recall
from firstfault.agent.report.contract import Report
from firstfault.agent.settings import Settings
from firstfault.agent.store import Store, open_store
from firstfault.cli.gatehouse import load_gate
from firstfault.cli.thinking import Thinking
from firstfault.tools.context import ReadContext
from firstfault.tools.redaction import redact, redactor_of, site_rules
from firstfault.tools.sources import Source


def quiet(stage: str) -> None:
    """Show nothing."""
    del stage


@dataclass(frozen=True, kw_only=True)
class Workbench:
    """Everything that investigations of one process share."""

    store: Store
    checkpointer: Checkpointer
    gate: Gatekeeper
    redact: Callable[[str], str]
    thinking: Thinking = field(default_factory=Thinking)

    def investigate(
        self,
        incident: Incident,
        sources: tuple[Source, ...],
        context: ReadContext,
        *,
        now: datetime,
        progress: Callable[[str], None] = quiet,
        gate: Gate | None = None,
    ) -> Report:
        """Return the report on an opened incident; a run that was left unfinished goes on where it was.

        gate: another than the one for recordings.
        """
        workshop = Workshop(
            store=self.store,
            sources=sources,
            incident=incident,
            context=context,
            classes=load_classes(),
            echo_rules=load_echo_rules(),
            gate=gate or self.gate,
            redact=self.redact,
            now=now,
            memory=Recall(index=self.store.memories, content=self.store.evidence.content),
            progress=progress,
            model=self.thinking.model,
            model_limits=self.thinking.limits,
        )
        return investigate(workshop, self.checkpointer)


@contextmanager
def open_workbench(
    settings: Settings,
    state: Path,
    now: datetime,
    *,
    thinking: Thinking | None = None,
    gate: Gatekeeper | None = None,
) -> Generator[Workbench]:
    """Give a workbench over the store that `settings` name.

    Raises StoreError, PolicyError or LimitError with one line that names the remedy.
    """
    with (
        open_store(state, url=settings.address, key_file=settings.signing_key_file) as store,
        open_checkpoints(state, settings.address) as checkpointer,
    ):
        yield Workbench(
            store=store,
            checkpointer=checkpointer,
            gate=gate or load_gate(state, now, store, settings),
            redact=redactor(settings),
            thinking=thinking or Thinking(),
        )


def redactor(settings: Settings) -> Callable[[str], str]:
    """Return the redactor of this site: the shipped rules and its own."""
    if not settings.redaction.patterns:
        return redact
    return redactor_of(site_rules(settings.redaction.patterns)).redact
