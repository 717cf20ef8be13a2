"""One question about one recording, from the user's words to a report."""

import dataclasses
import hashlib
import os
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from firstfault.agent.facts.gate import Gatekeeper
from firstfault.agent.findings import Incident
from firstfault.agent.report.contract import Report
from firstfault.agent.serve.alert_source import AlertSource
from firstfault.agent.serve.dispatch import LOOK_BACK
from firstfault.agent.settings import Settings
from firstfault.agent.store import Status, Store, state_folder
from firstfault.cli.gatehouse import live_gate
from firstfault.cli.live import live_sources, scope_of
from firstfault.cli.thinking import Thinking
from firstfault.cli.workbench import open_workbench, quiet
from firstfault.tools.alerts.alert import Alert
from firstfault.tools.alerts.grouping import question_of
from firstfault.tools.context import ReadContext
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


def investigate_alerts(alerts: Sequence[Alert], inquiry: Inquiry, *, state: Path | None = None) -> Report:
    """Return the report on what Alertmanager sent, with every live source that the settings name.

    Raises StoreError or KubeConfigError with one line that names the remedy.
    """
    folder = state or state_folder(os.environ)
    first = min(alert.starts_at for alert in alerts)
    digest = hashlib.sha256(
        "\0".join(sorted(alert.key for alert in alerts)).encode("utf-8", "backslashreplace")
    ).hexdigest()
    incident = Incident(
        id=inquiry.incident_id or f"inc-{first:%Y%m%d-%H%M%S}-{digest[:6]}",
        question=inquiry.question or question_of(alerts),
        correlation_id=secrets.token_hex(16),
        opened_at=first,
        window_start=first - LOOK_BACK,
        as_of=inquiry.as_of,
    )
    with open_workbench(inquiry.settings, folder, inquiry.now, thinking=inquiry.thinking) as bench:
        opened = _started(bench.store, incident, inquiry)
        sources = (
            AlertSource(alerts=alerts),
            *live_sources(inquiry.settings, scope_of(alerts), opened.id, bench.store),
        )
        context = ReadContext(opened_at=first, zone="UTC", as_of=opened.as_of)
        gate = live_gate(folder, bench.store, inquiry.settings, _clock) if opened.as_of is None else None
        return bench.investigate(
            opened, sources, context, now=inquiry.now, progress=inquiry.progress, gate=gate
        )


def _clock() -> datetime:
    return datetime.now(UTC)


def _opened(store: Store, recording: Recording, inquiry: Inquiry) -> Incident:
    manifest = recording.manifest
    incident = Incident(
        id=inquiry.incident_id or _default_id(recording),
        question=inquiry.question or manifest.question,
        correlation_id=secrets.token_hex(16),
        opened_at=manifest.opened_at,
        as_of=inquiry.as_of or manifest.as_of,
        environment=dict(manifest.environment),
    )
    return _started(store, incident, inquiry)


def _started(store: Store, incident: Incident, inquiry: Inquiry) -> Incident:
    """Open the incident: an unfinished one under a given id is resumed, anything else starts a new run."""
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
