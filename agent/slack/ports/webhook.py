"""The messages to a generic outgoing webhook: one JSON document each, the same key again when a message changes."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import httpx

from firstfault.agent.slack.ports.oneway import OneWay
from firstfault.agent.slack.ports.port import (
    BusyError,
    Outgoing,
    RefusedError,
    UnclearError,
    UnreachableChatError,
)

NAME = "webhook"
SCHEMA = "firstfault.message/v1"
TIMEOUT_S = 10.0
_TOO_MANY = 429
_CLIENT_FAULT = 400
_SERVER_FAULT = 500
_USUAL_WAIT_S = 30.0


@dataclass(frozen=True, kw_only=True)
class WebhookPort(OneWay):
    """Implements `Port`. A receiver that keeps the newest document of each key shows what Slack would."""

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    transport: httpx.BaseTransport | None = None

    def post(self, channel: str, message: Outgoing, thread: str | None) -> str:
        """Send the message; its key stands for its place."""
        del channel
        self._send(message, thread, is_update=False)
        return message.key

    def update(self, channel: str, stamp: str, message: Outgoing) -> None:
        """Send the message again, marked as an update."""
        del channel, stamp
        self._send(message, None, is_update=True)

    def _send(self, message: Outgoing, thread: str | None, *, is_update: bool) -> None:
        document = {
            "schema": SCHEMA,
            "key": message.key,
            "digest": message.digest,
            "incident": message.incident_id,
            "thread": thread,
            "update": is_update,
            **message.content,
        }
        try:
            with httpx.Client(timeout=TIMEOUT_S, transport=self.transport) as client:
                response = client.post(self.url, json=document, headers=dict(self.headers))
        except httpx.ConnectError as error:
            msg = f"the webhook cannot be reached: {error}"
            raise UnreachableChatError(msg) from error
        except httpx.HTTPError as error:
            msg = f"the webhook did not answer: {error}"
            raise UnclearError(msg) from error
        _require_taken(response)


def _require_taken(response: httpx.Response) -> None:
    if response.status_code == _TOO_MANY:
        given = response.headers.get("retry-after", "")
        wait_s = float(given) if given.isdigit() else _USUAL_WAIT_S
        msg = f"the webhook asks to come again in {wait_s:.0f} s"
        raise BusyError(msg, wait_s)
    if response.status_code >= _SERVER_FAULT:
        msg = f"the webhook answers {response.status_code}"
        raise UnclearError(msg)
    if response.status_code >= _CLIENT_FAULT:
        msg = f"the webhook refuses the message: {response.status_code}"
        raise RefusedError(msg)
