"""The composition root of an investigation: sources, store, definitions and gate put together."""

import hashlib
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from firstfault.agent.classes.definitions import load_classes
from firstfault.agent.correlate.echoes import load_echo_rules
from firstfault.agent.facts.gate import Gatekeeper
from firstfault.agent.findings import Incident
from firstfault.agent.graph.checkpoints import open_checkpoints
from firstfault.agent.graph.run import investigate
from firstfault.agent.graph.workshop import Workshop
from firstfault.agent.report.contract import Report
from firstfault.agent.store import Status, Store, open_store, state_folder
from firstfault.cli.gatehouse import load_gate
from firstfault.cli.thinking import Thinking
from firstfault.tools.recording import Recording


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """What the user asked besides the path. now: aware UTC, read once."""

    now: datetime
    question: str | None = None
    as_of: datetime | None = None
    incident_id: str | None = None
    progress: Callable[[str], None] = lambda _stage: None
    thinking: Thinking = field(default_factory=Thinking)


def investigate_recording(
    recording: Recording, inquiry: Inquiry, *, gate: Gatekeeper | None = None, state: Path | None = None
) -> Report:
    """Return the report on a recording, everything kept in the store under `state` (the user's own by default).

    Raises StoreError with one line that names the remedy.
    """
    state = state or state_folder(os.environ)
    state.mkdir(parents=True, exist_ok=True)
    with open_store(state) as store, open_checkpoints(state, None) as checkpointer:
        incident = _opened(store, recording, inquiry)
        workshop = Workshop(
            store=store,
            sources=(recording,),
            incident=incident,
            context=recording.context,
            classes=load_classes(),
            echo_rules=load_echo_rules(),
            gate=gate or load_gate(state, inquiry.now),
            redact=_redactor(),
            now=inquiry.now,
            progress=inquiry.progress,
            model=inquiry.thinking.model,
            model_limits=inquiry.thinking.limits,
        )
        return investigate(workshop, checkpointer)


def _opened(store: Store, recording: Recording, inquiry: Inquiry) -> Incident:
    """Open the incident: an unfinished one under a given id is resumed, anything else starts a new run."""
    manifest = recording.manifest
    incident = Incident(
        id=inquiry.incident_id or _default_id(recording),
        question=inquiry.question or manifest.question,
        correlation_id=secrets.token_hex(16),
        opened_at=manifest.opened_at,
        as_of=inquiry.as_of or manifest.as_of,
        environment=dict(manifest.environment),
    )
    known = store.incidents.find(incident.id)
    if known is not None and (inquiry.incident_id is None or known.status is not Status.OPEN):
        return store.incidents.reopen(incident, inquiry.now)
    return store.incidents.open(incident, inquiry.now)


def _default_id(recording: Recording) -> str:
    """Return the case's own id, or one made from the content, so that the same files give the same id."""
    if recording.manifest.sources:
        return recording.manifest.id
    digest = hashlib.sha256("".join(f"{d.path}\0{d.body.sha256}\0" for d in recording.documents).encode())
    return f"inc-{digest.hexdigest()[:12]}"


def _redactor() -> Callable[[str], str]:
    from firstfault.tools.redaction import redact

    return redact
