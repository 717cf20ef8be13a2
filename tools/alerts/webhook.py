"""Reads what Alertmanager posts to a webhook (version 4), and files that hold the same.

A group whose status is `firing` may hold resolved alerts, and deliveries are repeated: each alert speaks for itself.
Source: Prometheus, Alertmanager configuration, webhook_config; tests/formats/alertmanager.

AlertError
└── a payload that is not Alertmanager's, with what is wrong in one line
"""

import json
from datetime import UTC, datetime
from typing import cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from firstfault.tools.alerts.alert import Alert

VERSION = "4"
NEVER = datetime(1, 1, 1, tzinfo=UTC)
"""What Go prints for a time that is not set."""


class AlertError(Exception):
    """What was sent is not a notification of Alertmanager."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Alert(_Part):
    status: str
    labels: dict[str, str]
    annotations: dict[str, str] = Field(default_factory=dict)
    starts_at: datetime = Field(alias="startsAt")
    ends_at: datetime = Field(default=NEVER, alias="endsAt")
    generator: str = Field(default="", alias="generatorURL")
    fingerprint: str = ""


class _Notification(_Part):
    version: str
    alerts: list[_Alert]
    group_key: str = Field(default="", alias="groupKey")
    truncated: int = Field(default=0, alias="truncatedAlerts")


def read_notification(body: bytes | str) -> tuple[Alert, ...]:
    """Return the alerts in one notification, in order. Raises AlertError with one line that names the remedy."""
    try:
        value: object = json.loads(body)
    except ValueError as error:
        msg = "the body is not JSON: point an Alertmanager `webhook_config` here"
        raise AlertError(msg) from error
    try:
        found = _Notification.model_validate(_body(value))
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "body"
        msg = f"this is no Alertmanager notification: field `{where}`: {first['msg'].lower()}"
        raise AlertError(msg) from error
    if found.version != VERSION:
        msg = f"notifications of version `{found.version}` are not known: use a webhook of Alertmanager 0.16 or newer"
        raise AlertError(msg)
    return tuple(_alert(item, found.group_key) for item in found.alerts)


def _body(value: object) -> object:
    """Return the notification itself: a recorded request holds it one level down."""
    if not isinstance(value, dict):
        return value
    fields = cast("dict[str, object]", value)
    return fields["body"] if "body" in fields and "alerts" not in fields else fields


def _alert(item: _Alert, group: str) -> Alert:
    ends = _utc(item.ends_at)
    firing = item.status != "resolved"
    return Alert(
        fingerprint=item.fingerprint or _fingerprint(item.labels),
        starts_at=_utc(item.starts_at),
        is_firing=firing,
        labels=item.labels,
        annotations=item.annotations,
        ends_at=None if firing or ends <= NEVER else ends,
        link=item.generator or None,
        group=group,
    )


def _utc(at: datetime) -> datetime:
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def _fingerprint(labels: dict[str, str]) -> str:
    """Return a stand-in for senders that leave the fingerprint out: the labels in order."""
    return ",".join(f"{name}={labels[name]}" for name in sorted(labels))
