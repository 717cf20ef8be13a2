"""What Slack sends to the app: over a websocket or HTTP, again when it is not acknowledged."""

import hashlib
import hmac
import json
import threading
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import urlencode

import httpx

from firstfault.evals.sim.kube_json import Body, as_body
from tests.slackworld.slack import SIGNING_SECRET

ACK_WITHIN_S = 3.0
RETRY_AFTER_S = (0.0, 60.0, 300.0)
"""Source: docs.slack.dev, Events API, "Retries": nearly at once, after a minute, after five minutes."""


@dataclass(slots=True, kw_only=True)
class Delivery:
    """One thing that happened, on its way. kind: `events_api`, `interactive`, `slash_commands`.

    acks: what came back for each attempt; None: nothing in time.
    """

    kind: str
    payload: Body
    acks: list[Body | None] = field(default_factory=list[Body | None])
    done: Future[Body | None] = field(default_factory=Future[Body | None])

    @property
    def attempts(self) -> int:
        """Return how often it was sent."""
        return len(self.acks)

    def ack(self, patience_s: float = 20.0) -> Body | None:
        """Return the acknowledgement, once it is there or given up."""
        return self.done.result(timeout=patience_s)


class Way(Protocol):
    """How the app is reached."""

    def send(self, delivery: Delivery, attempt: int, reason: str) -> Body | None:
        """Return what was acknowledged, None when nothing was."""
        ...


@dataclass(slots=True, kw_only=True)
class SocketWay:
    """Socket Mode. send_envelope: (envelope, seconds) → acknowledgement."""

    send_envelope: Callable[[Body, float], Body | None]
    ack_within_s: float = ACK_WITHIN_S

    def send(self, delivery: Delivery, attempt: int, reason: str) -> Body | None:
        """Send an envelope."""
        envelope: Body = {
            "envelope_id": str(uuid.uuid4()),
            "payload": delivery.payload,
            "type": delivery.kind,
            "accepts_response_payload": delivery.kind != "events_api",
        }
        if delivery.kind == "events_api":
            envelope |= {"retry_attempt": attempt, "retry_reason": reason}
        return self.send_envelope(envelope, self.ack_within_s)


@dataclass(slots=True, kw_only=True)
class HttpWay:
    """Requests signed with the secret that Slack and the app share."""

    url: str
    clock: Callable[[], float]
    secret: str = SIGNING_SECRET
    ack_within_s: float = ACK_WITHIN_S

    def send(self, delivery: Delivery, attempt: int, reason: str) -> Body | None:
        """Send a signed request; only a 2xx in time is an acknowledgement."""
        content, content_type = _encoded(delivery)
        headers = {"Content-Type": content_type, **signature(content, int(self.clock()), self.secret)}
        if attempt and delivery.kind == "events_api":
            headers |= {"X-Slack-Retry-Num": str(attempt), "X-Slack-Retry-Reason": reason}
        try:
            answer = httpx.post(
                self.url, content=content, headers=headers, timeout=self.ack_within_s, trust_env=False
            )
        except httpx.HTTPError:
            return None
        if not answer.is_success:
            return None
        if answer.headers.get("Content-Type", "").startswith("application/json"):
            return as_body(answer.json()) or {}
        return {"text": answer.text} if answer.text and delivery.kind == "slash_commands" else {}


def signature(content: bytes, at: int, secret: str) -> dict[str, str]:
    """Return the headers that prove who sent a request."""
    base = b"v0:" + str(at).encode() + b":" + content
    digest = hmac.new(secret.encode(), base, hashlib.sha256).hexdigest()
    return {"X-Slack-Request-Timestamp": str(at), "X-Slack-Signature": f"v0={digest}"}


def _encoded(delivery: Delivery) -> tuple[bytes, str]:
    if delivery.kind == "events_api":
        return json.dumps(delivery.payload).encode(), "application/json"
    fields = delivery.payload
    if delivery.kind == "interactive":
        fields = {"payload": json.dumps(delivery.payload)}
    return urlencode(fields).encode(), "application/x-www-form-urlencoded"


class Postman:
    """Carries deliveries in the background. sent: all of them, in order."""

    def __init__(self, way: Way, *, retry_after_s: Sequence[float] = RETRY_AFTER_S) -> None:
        """Take how the app is reached and when events are sent again."""
        self.way = way
        self.retry_after_s = tuple(retry_after_s)
        self.sent: list[Delivery] = []
        self._stopping = threading.Event()
        self._pool = ThreadPoolExecutor(max_workers=32, thread_name_prefix="slackworld")

    def carry(self, delivery: Delivery) -> Delivery:
        """Return the delivery, on its way."""
        self.sent.append(delivery)
        self._pool.submit(self._carry, delivery)
        return delivery

    def again(self, delivery: Delivery) -> Delivery:
        """Return a second delivery of the very same payload, as after a lost acknowledgement."""
        return self.carry(Delivery(kind=delivery.kind, payload=delivery.payload))

    def stop(self) -> None:
        """Give up what is on its way."""
        self._stopping.set()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _carry(self, delivery: Delivery) -> None:
        waits = (0.0, *self.retry_after_s) if delivery.kind == "events_api" else (0.0,)
        reason = ""
        for attempt, wait_s in enumerate(waits):
            if self._stopping.wait(wait_s):
                break
            ack = self.way.send(delivery, attempt, reason)
            delivery.acks.append(ack)
            if ack is not None:
                break
            reason = "timeout"
        delivery.done.set_result(delivery.acks[-1] if delivery.acks else None)
