"""Calls of the Web API, one at a time, never again by themselves: what may have been done is looked for first."""

import logging
from dataclasses import dataclass
from typing import Any, cast

import httpx
from slack_sdk import WebClient
from slack_sdk.webhook import WebhookClient

from firstfault.agent.slack.ports.failures import asked
from firstfault.agent.slack.ports.payloads import Values, values
from firstfault.agent.slack.ports.port import RefusedError, UnreachableChatError

TIMEOUT_S = 10
_OK = 200


def connect(token: str, base_url: str | None) -> WebClient:
    """Return a client. base_url: of another server that speaks the Slack API; None is Slack."""
    return WebClient(
        token=token,
        base_url=f"{(base_url or WebClient.BASE_URL).rstrip('/')}/",
        timeout=TIMEOUT_S,
        # What the client sends again by itself after a broken connection would be posted twice.
        retry_handlers=[],
        logger=silent_logger(),
    )


def silent_logger() -> logging.Logger:
    """Return the logger of Slack's libraries: they write payloads and tokens, and what fails is told in our own words."""
    logger = logging.getLogger("firstfault.slack")
    logger.setLevel(logging.CRITICAL)
    return logger


@dataclass(frozen=True)
class Calls:
    """Calls methods. Each raises a ChatError that says what its failure means."""

    client: WebClient

    def send(self, method: str, **given: Any) -> Values:  # noqa: ANN401 - whatever the method takes
        """Return the answer of a method that takes JSON."""
        return self._done(method, json=_present(given))

    def read(self, method: str, **given: Any) -> Values:  # noqa: ANN401 - whatever the method takes
        """Return the answer of a method that takes a form only."""
        return self._done(method, params=_present(given))

    def identity(self) -> tuple[Values, frozenset[str] | None]:
        """Return who the bot is, and the scopes of its token; None when the server does not tell them.

        Source: Slack, "Web API" (`X-OAuth-Scopes` of an answer).
        """
        client = cast("Any", self.client)
        response = asked("auth.test", lambda: client.api_call("auth.test"))
        headers = {str(name).lower(): str(value) for name, value in dict(response.headers).items()}
        told = headers.get("x-oauth-scopes")
        granted = (
            None if told is None else frozenset(each.strip() for each in told.split(",") if each.strip())
        )
        return values(response.data), granted

    def socket_address(self, app_token: str) -> str:
        """Return the address of a socket, which nobody has to connect to."""
        client = cast("Any", self.client)
        response = asked("apps.connections.open", lambda: client.apps_connections_open(app_token=app_token))
        return str(values(response.data).get("url") or "")

    def _done(self, method: str, **given: dict[str, Any]) -> Values:
        # The library leaves the types of its dictionaries open.
        client = cast("Any", self.client)
        return values(asked(method, lambda: client.api_call(method, **given)).data)


def answer_at(url: str, content: Values) -> None:
    """Post an answer to a `response_url`. Raises ChatError."""
    hook = WebhookClient(url, timeout=TIMEOUT_S, retry_handlers=[], logger=silent_logger())
    response = asked("response_url", lambda: hook.send_dict({"response_type": "ephemeral", **content}))
    if response.status_code != _OK:
        msg = f"response_url: Slack says {response.status_code}"
        raise RefusedError(msg)


def put_bytes(url: str, data: bytes) -> None:
    """Send the bytes of a file to the address that Slack gave. A file that is not completed is shown nowhere."""
    try:
        response = httpx.post(url, content=data, timeout=TIMEOUT_S)
    except httpx.HTTPError as error:
        msg = f"the picture could not be uploaded: {error}"
        raise UnreachableChatError(msg) from error
    if response.status_code != _OK:
        msg = f"the picture could not be uploaded: {response.status_code}"
        raise UnreachableChatError(msg)


def _present(given: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}
