"""One question about one recording, from the user's words to a report."""

import dataclasses
import hashlib
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from firstfault.agent.facts.gate import Gatekeeper
from firstfault.agent.findings import Incident
from firstfault.agent.report.contract import Report
from firstfault.agent.settings import Settings
from firstfault.agent.store import Status, Store, state_folder
from firstfault.cli.thinking import Thinking
from firstfault.cli.workbench import open_workbench, quiet
from firstfault.tools.recording import Recording


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """What the user asked besides the path. now: aware UTC, read once."""

    now: datetime
    question: str | None = None
    as_of: datetime | None = None
    incident_id: str | None = None
    progress: Callable[[str], None] = quiet
    thinking: Thinking = field(default_factory=Thinking)
    settings: Settings = field(default_factory=Settings)


def investigate_recording(
    recording: Recording, inquiry: Inquiry, *, gate: Gatekeeper | None = None, state: Path | None = None
) -> Report:
    """Return the report on a recording, everything kept in the store under `state` (the user's own by default).

    Raises StoreError with one line that names the remedy.
    """
    folder = state or state_folder(os.environ)
    with open_workbench(inquiry.settings, folder, inquiry.now, thinking=inquiry.thinking, gate=gate) as bench:
        incident = _opened(bench.store, recording, inquiry)
        context = dataclasses.replace(recording.context, as_of=incident.as_of)
        return bench.investigate(
            incident,
            (recording,),
            context,
            now=inquiry.now,
            progress=inquiry.progress,
        )


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
    return f"inc-{_content(recording)[:12]}"


def _content(recording: Recording) -> str:
    """Return the digest of everything in the recording."""
    return hashlib.sha256(
        "".join(f"{d.path}\0{d.body.sha256}\0" for d in recording.documents).encode()
    ).hexdigest()
