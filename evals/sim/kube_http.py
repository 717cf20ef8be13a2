"""HTTP for the stand-in: requests read, answers sent, watches streamed, connections broken on purpose."""

import json
import socket
import sys
import threading
import uuid
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar, Protocol
from urllib.parse import parse_qsl, urlsplit

from firstfault.evals.sim.kube_errors import Refusal
from firstfault.evals.sim.kube_faults import Fault, Trouble
from firstfault.evals.sim.kube_json import Body, as_body
from firstfault.evals.sim.kube_kinds import ServedKind
from firstfault.evals.sim.kube_requests import Asked, place_of
from firstfault.evals.sim.kube_selectors import field_test, label_test
from firstfault.evals.sim.kube_store import Happening, ObjectStore

_BATCH_S = 0.05


class Api(Protocol):
    """What the handler needs of the server."""

    store: ObjectStore
    kinds: dict[tuple[str, str], ServedKind]
    stopping: threading.Event

    def trouble_for(self, asked: Asked) -> Fault | None:
        """Return the trouble planned for a request."""
        ...

    def answer(self, asked: Asked, fault: Fault | None = None) -> tuple[int, str | Body, Mapping[str, str]]:
        """Return code, body and headers."""
        ...


class ApiHandler(BaseHTTPRequestHandler):
    """One connection; `handler_for` makes the class that knows its server."""

    api: ClassVar[Api]
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class names it so
        """Say nothing: requests are kept in `answered`."""

    def handle_any(self) -> None:
        """Answer one request, or break as planned."""
        asked = self._asked()
        fault = self.api.trouble_for(asked)
        trouble = fault.trouble if fault else None
        if fault is not None and trouble in {Trouble.SLOW, Trouble.HOLD_BEFORE}:
            self._hold(fault)
        if fault is not None and trouble in {Trouble.DROP_BEFORE, Trouble.HOLD_BEFORE}:
            self._drop(fault)
            return
        code, body, headers = self.api.answer(asked, fault)
        if fault is not None and trouble is Trouble.HOLD_AFTER:
            self._hold(fault)
        if fault is not None and trouble in {Trouble.DROP_AFTER, Trouble.HOLD_AFTER}:
            self._drop(fault)
        elif trouble is Trouble.GARBLE:
            self._send(code, "<html>not what you asked for", headers)
        elif asked.query.get("watch") == "true" and isinstance(body, dict):
            self._stream(asked)
        else:
            self._send(code, body, headers)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = handle_any  # noqa: N815  # names of the base class

    def _asked(self) -> Asked:
        parts = urlsplit(self.path)
        length = int(self.headers.get("Content-Length") or 0)
        raw = self.rfile.read(length) if length else b""
        return Asked(
            method=self.command,
            path=parts.path,
            query=dict(parse_qsl(parts.query, keep_blank_values=True)),
            headers={name.lower(): value for name, value in self.headers.items()},
            body=json.loads(raw) if raw else None,
        )

    def _send(self, code: int, body: str | Body, headers: Mapping[str, str]) -> None:
        content = (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(code)
        self.send_header("Content-Type", "text/plain" if isinstance(body, str) else "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Audit-Id", str(uuid.uuid4()))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def _hold(self, fault: Fault) -> None:
        fault.reached.set()
        fault.release.wait(fault.seconds)

    def _drop(self, fault: Fault) -> None:
        if fault.strike is not None:
            fault.strike()
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _stream(self, asked: Asked) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for line in Watched(self.api, asked):
            self.wfile.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")


class LoopbackServer(ThreadingHTTPServer):
    """A server that is not surprised when the other side has gone."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a connection that was broken, on purpose or by a client that waited too short."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # pyright: ignore[reportArgumentType]  # passed through


def handler_for(api: Api) -> type[BaseHTTPRequestHandler]:
    """Return a request handler class over `api`."""
    return type("Handler", (ApiHandler,), {"api": api})


class Watched:
    """The changes of one kind from a version on, as lines."""

    def __init__(self, api: Api, asked: Asked) -> None:
        """Take the server and the request."""
        place = place_of(asked.path, api.kinds)
        self._api = api
        self._place = place
        self._version = int(asked.query.get("resourceVersion") or api.store.version)
        self._left_s = float(asked.query.get("timeoutSeconds") or 30)
        self._labels = label_test(asked.query.get("labelSelector", ""))
        self._fields = field_test(asked.query.get("fieldSelector", ""), place.kind)

    def __iter__(self) -> "Watched":
        """Return itself."""
        self._pending: list[bytes] = []
        return self

    def __next__(self) -> bytes:
        """Return the next line, waiting for it. Ends when the time is over or the server stops."""
        while not self._pending:
            if self._left_s <= 0 or self._api.stopping.is_set():
                raise StopIteration
            self._wait()
        return self._pending.pop(0)

    def _wait(self) -> None:
        with self._api.store.changed:
            try:
                news = self._api.store.since(self._version)
            except Refusal as refusal:
                self._pending.append(_line("ERROR", as_body(refusal.body()) or {}))
                self._left_s = 0
                return
            if not news:
                self._api.store.changed.wait(_BATCH_S)
                self._left_s -= _BATCH_S
                return
            self._version = news[-1].version
        self._pending += [_line(each.type, each.object) for each in news if self._wants(each)]

    def _wants(self, happening: Happening) -> bool:
        namespace = happening.object["metadata"].get("namespace")
        fits_place = happening.kind.key == self._place.kind.key and self._place.namespace in {None, namespace}
        return fits_place and self._labels(happening.object) and self._fields(happening.object)


def _line(kind: str, body: Body) -> bytes:
    return json.dumps({"type": kind, "object": body}).encode() + b"\n"
