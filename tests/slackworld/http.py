"""HTTP for the stand-in: methods, uploads, response URLs; connections broken on purpose."""

import json
import re
import socket
from http.server import BaseHTTPRequestHandler
from typing import ClassVar, Protocol
from urllib.parse import urlsplit

from firstfault.evals.sim.kube_faults import Fault, Trouble
from firstfault.evals.sim.kube_json import Body
from tests.slackworld import chat, files
from tests.slackworld.api import Said, arguments
from tests.slackworld.slack import Refused, Slack

_BOUNDARY = re.compile(rb"\r\n\r\n(.*)\r\n--[^\r\n]+--\r\n\Z", re.DOTALL)


class Served(Protocol):
    """What the handler needs of the world."""

    slack: Slack

    def fault_for(self, http_method: str, path: str) -> Fault | None:
        """Return the trouble planned for a request."""
        ...

    def call(self, name: str, args: Body, token: str) -> Said:
        """Return what a method answers."""
        ...


class SlackHandler(BaseHTTPRequestHandler):
    """One connection; `handler_for` makes the class that knows its world."""

    world: ClassVar[Served]
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class names it so
        """Say nothing: calls are kept in `calls`."""

    def do_POST(self) -> None:
        """Answer one request, or break as planned."""
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = urlsplit(self.path).path
        fault = self.world.fault_for(self.command, path)
        trouble = fault.trouble if fault else None
        if fault is not None and trouble in {Trouble.SLOW, Trouble.HOLD_BEFORE}:
            _hold(fault)
        if trouble in {Trouble.DROP_BEFORE, Trouble.HOLD_BEFORE}:
            self._drop()
        elif fault is not None and trouble is Trouble.REFUSE:
            self._refuse(fault)
        else:
            self._answer(path, content, fault)

    do_GET = do_POST  # noqa: N815  # names of the base class

    def _answer(self, path: str, content: bytes, fault: Fault | None) -> None:
        said = self._routed(path, content)
        trouble = fault.trouble if fault else None
        if fault is not None and trouble is Trouble.HOLD_AFTER:
            _hold(fault)
        if trouble in {Trouble.DROP_AFTER, Trouble.HOLD_AFTER}:
            self._drop()
        elif trouble is Trouble.GARBLE:
            self._send(200, b"<html>not what you asked for", "text/html")
        else:
            self._say(said)

    def _routed(self, path: str, content: bytes) -> Said | tuple[int, str]:
        if path.startswith("/upload/v1/"):
            if self.headers.get("Content-Type", "").startswith("multipart/") and (
                found := _BOUNDARY.search(content)
            ):
                content = found[1]
            said = files.receive(self.world.slack, path.rpartition("/")[2], content)
            return (200, said) if said else (400, "no such upload")
        try:
            args = arguments(content, self.headers.get("Content-Type", ""), urlsplit(self.path).query)
            if path.startswith("/actions/"):
                return 200, chat.respond(self.world.slack, path.rpartition("/")[2], args)
        except Refused as refused:
            code = 404 if path.startswith("/actions/") else 200
            return Said(body={"ok": False, "error": refused.error, **refused.extra}, code=code)
        if not path.startswith("/api/"):
            return 404, "nothing here"
        token = self.headers.get("Authorization", "").removeprefix("Bearer ") or args.pop("token", "")
        return self.world.call(path.removeprefix("/api/"), args, token)

    def _refuse(self, fault: Fault) -> None:
        if fault.code == 429:  # Too Many Requests
            body = {"ok": False, "error": "ratelimited"}
            self._say(Said(body=body, code=429, retry_after_s=fault.retry_after_s or 1))
        else:
            self._send(fault.code, b"<html>an error on Slack's side</html>", "text/html")

    def _say(self, said: Said | tuple[int, str]) -> None:
        if isinstance(said, tuple):
            self._send(said[0], said[1].encode(), "text/plain")
        else:
            content = json.dumps(said.body).encode()
            kind = "application/json; charset=utf-8"
            # Slack tells what a token may do with every answer.
            scopes = ",".join(sorted(self.world.slack.manifest.scopes))
            self._send(said.code, content, kind, said.retry_after_s, scopes)

    def _send(
        self, code: int, content: bytes, content_type: str, retry_after_s: int | None = None, scopes: str = ""
    ) -> None:
        self.send_response(code)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(content)))
        if retry_after_s is not None:
            self.send_header("Retry-After", str(retry_after_s))
        if scopes:
            self.send_header("X-OAuth-Scopes", scopes)
        self.end_headers()
        self.wfile.write(content)

    def _drop(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)


def _hold(fault: Fault) -> None:
    fault.reached.set()
    fault.release.wait(fault.seconds)


def handler_for(world: Served) -> type[BaseHTTPRequestHandler]:
    """Return a request handler class over `world`."""
    return type("Handler", (SlackHandler,), {"world": world})
