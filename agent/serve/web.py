"""The HTTP surface: alerts in, pages out. Handlers only translate; `reception` and the store do the work."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from firstfault.agent.render.html import render
from firstfault.agent.serve.audit_intake import AuditIntakeError
from firstfault.agent.serve.health import Health
from firstfault.agent.serve.reception import MAX_BODY_BYTES, Reception
from firstfault.agent.store import StoreError
from firstfault.tools.alerts.webhook import AlertError

Readiness = Callable[[], Health]
"""Whether alerts can be kept, and how each part stands."""
Metrics = Callable[[], str]
"""The counters of this process in Prometheus' text format."""
Chat = Callable[[str, Mapping[str, str]], tuple[int, str, Mapping[str, str]]]
"""Body and headers of what a chat server posts, signed → status, body and headers of the answer."""


@dataclass(frozen=True, kw_only=True)
class Front:
    """The handlers."""

    reception: Reception
    readiness: Readiness
    metrics: Metrics
    chat: Chat | None = None
    audit: Callable[[bytes], int] | None = None
    """Keeps what the API server's audit webhook posts; None where that is not wanted."""

    async def webhook(self, request: Request) -> Response:
        """Take a notification; 200 only when it is durable, so that Alertmanager sends anything else again."""
        if not self.reception.admits(request.headers.get("authorization")):
            return _said(401, "a bearer token is needed: set `authorization` in Alertmanager's http_config")
        body = await _body(request)
        if body is None:
            return _said(413, f"at most {MAX_BODY_BYTES} bytes: lower `max_alerts` of the webhook")
        try:
            received = await run_in_threadpool(self.reception.take, body)
        except AlertError as error:
            return _said(400, str(error))
        except StoreError as error:
            return _said(503, str(error))
        return JSONResponse({"new": received.new, "known": received.known, "ended": received.ended})

    async def audited(self, request: Request) -> Response:
        """Take audit records of the API server; 200 only when the changes among them are on disk."""
        if not self.reception.admits(request.headers.get("authorization")):
            return _said(401, "a bearer token is needed: set it in the audit webhook's kubeconfig")
        if self.audit is None:
            return _said(404, "audit records are not taken here: set `audit_log.receive`")
        body = await _body(request)
        if body is None:
            return _said(413, f"at most {MAX_BODY_BYTES} bytes: log at level Metadata, in smaller batches")
        try:
            kept = await run_in_threadpool(self.audit, body)
        except AuditIntakeError as error:
            return _said(503, str(error))
        return JSONResponse({"kept": kept})

    async def incident(self, request: Request) -> Response:
        """Show the newest report of an incident."""
        if not self.reception.admits(request.headers.get("authorization")):
            return _said(401, "a bearer token is needed")
        report = await run_in_threadpool(self.reception.store.reports.get, request.path_params["incident_id"])
        if report is None:
            return _said(404, "there is no report of this incident")
        return HTMLResponse(render(report))

    async def events(self, request: Request) -> Response:
        """Hand what a chat server posts to the chat, which checks the signature."""
        body = await _body(request)
        if self.chat is None or body is None:
            return _said(404, "no chat is set up here to be posted to")
        text = body.decode("utf-8", "replace")
        code, answer, headers = await run_in_threadpool(self.chat, text, dict(request.headers))
        return Response(answer, status_code=code, headers=dict(headers))

    async def ready(self, _: Request) -> Response:
        """Say whether alerts can be kept; the body tells how dispatcher, inbox and sources stand."""
        health = await run_in_threadpool(self.readiness)
        return JSONResponse(dict(health.parts), status_code=200 if health.is_ready else 503)

    async def alive(self, _: Request) -> Response:
        """Say that the process runs."""
        return PlainTextResponse("ok\n")

    async def counters(self, _: Request) -> Response:
        """Show the counters."""
        return PlainTextResponse(
            await run_in_threadpool(self.metrics), media_type="text/plain; version=0.0.4"
        )


def make_app(front: Front) -> Starlette:
    """Return the application (DESIGN §12, HTTP)."""
    return Starlette(
        routes=[
            Route("/webhooks/alertmanager", front.webhook, methods=["POST"]),
            Route("/webhooks/audit", front.audited, methods=["POST"]),
            Route("/incidents/{incident_id}", front.incident),
            Route("/slack/events", front.events, methods=["POST"]),
            Route("/healthz", front.alive),
            Route("/readyz", front.ready),
            Route("/metrics", front.counters),
        ]
    )


async def _body(request: Request) -> bytes | None:
    """Return the body, or None as soon as it is too long."""
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > MAX_BODY_BYTES:
            return None
        parts.append(part)
    return b"".join(parts)


def _said(code: int, text: str) -> Response:
    return JSONResponse({"error": text}, status_code=code)
