"""What people say of an incident afterwards: statements with an author and a source, kept in the audit chain.

Buttons in chat, the command line and resolution notes all write the same labels; shadow scoring reads them. A label is a
claim of its author. It changes no report and no verdict.
"""

import hashlib
import json
from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from firstfault.agent.report.contract import Report
from firstfault.agent.store import NewEvent, Store

HISTORY = "shadow-history"
"""Correlation id of everything that shadow mode keeps."""
KIND = "shadow.label"

Text = Annotated[str, Field(min_length=1)]


class About(StrEnum):
    """What can be said of an incident."""

    FAILURE_CLASS = "failure_class"
    LAYER = "layer"
    OWNER = "owner"
    CULPRIT = "culprit"
    FIRST_FAULT = "first_fault"
    FALSE_ALARM = "false_alarm"
    RESOLUTION = "resolution"
    OUTCOME = "outcome"


class Label(BaseModel):
    """One statement. value: a class, `kind/name`, `path:line`, `true`, or free text. source: button, ticket, post-mortem."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    incident: Text
    field: About
    value: Text
    author: Text
    source: Text
    at: AwareDatetime


def keep_labels(store: Store, labels: tuple[Label, ...], now: datetime, redact: Callable[[str], str]) -> int:
    """Return how many of the labels are new; the same statement again adds nothing."""
    head = store.audit.head()
    events = [_event(label, now, redact) for label in labels]
    written = store.audit.append_all(events)
    return sum(event.seq > (head.count if head else 0) for event in written)


def kept_labels(store: Store) -> tuple[Label, ...]:
    """Return all labels, oldest first."""
    return tuple(
        Label.model_validate(json.loads(event.payload)["record"])
        for event in store.audit.events(correlation_id=HISTORY)
        if event.kind == KIND
    )


def labels_of(store: Store, incident_id: str) -> tuple[Label, ...]:
    """Return the labels of one incident, oldest first."""
    return tuple(
        Label.model_validate(json.loads(event.payload)["record"])
        for event in store.audit.events(correlation_id=HISTORY, subject=incident_id)
        if event.kind == KIND
    )


def agreement(report: Report, author: str, source: str, at: datetime) -> tuple[Label, ...]:
    """Return what somebody says who agrees with a report: its class is right, and its owner when it names one."""
    said = {About.FAILURE_CLASS: report.diagnosis.failure_class}
    if report.diagnosis.owner != "unknown":
        said[About.OWNER] = report.diagnosis.owner
    return tuple(
        Label(incident=report.incident.id, field=field, value=value, author=author, source=source, at=at)
        for field, value in said.items()
    )


def _event(label: Label, now: datetime, redact: Callable[[str], str]) -> NewEvent:
    content = label.model_dump(mode="json") | {"value": redact(label.value)}
    return NewEvent(
        correlation_id=HISTORY,
        kind=KIND,
        key=hashlib.sha256(json.dumps(content, sort_keys=True).encode("ascii")).hexdigest(),
        at=now,
        actor=label.author,
        subject=label.incident,
        why=f"labelled, source {label.source}",
        payload={"record": content},
    )
