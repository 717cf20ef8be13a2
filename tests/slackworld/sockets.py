"""Socket Mode: websockets that take envelopes and bring acknowledgements."""

import contextlib
import itertools
import json
import socket
import threading
import uuid
from typing import cast

from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.sync.server import Server, ServerConnection, serve

from firstfault.evals.sim.kube_json import Body
from tests.slackworld.slack import APP_ID

LIFE_S = 3600
MOST_CONNECTIONS = 10


class Hub:
    """The server of the websockets; each address that `url` gives is good once."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self.changed = threading.Condition()
        self.connections: list[ServerConnection] = []
        self.opened = 0
        self.strange: list[str] = []
        self.is_deaf = False
        self._tickets: set[str] = set()
        self._acks: dict[str, Body | None] = {}
        self._turn = itertools.count()
        self._server: Server | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Serve on a free port of loopback."""
        self._server = serve(
            self._serve_one, "127.0.0.1", 0, process_request=self._let_in, compression=None, close_timeout=1
        )
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Break every connection and stop."""
        self.drop()
        if self._server is not None and self._thread is not None:
            self._server.shutdown()
            self._thread.join()

    def url(self) -> str:
        """Return a new address for one connection."""
        assert self._server is not None
        ticket = uuid.uuid4().hex
        with self.changed:
            self._tickets.add(ticket)
        port = self._server.socket.getsockname()[1]
        return f"ws://127.0.0.1:{port}/link/?ticket={ticket}&app_id={APP_ID}"

    def send(self, envelope: Body, within_s: float) -> Body | None:
        """Return what the app acknowledged with (maybe nothing in it); None when it did not in time."""
        name = str(envelope["envelope_id"])
        with self.changed:
            self._acks.pop(name, None)
            connection = self._next()
        if connection is None:
            return None
        with contextlib.suppress(ConnectionClosed):
            connection.send(json.dumps(envelope))
        with self.changed:
            self.changed.wait_for(lambda: name in self._acks, timeout=within_s)
            return self._acks.get(name)

    def say_goodbye(self, reason: str) -> None:
        """Tell the app that its connections will end soon (`warning`, `refresh_requested`); it opens new ones."""
        with self.changed:
            leaving = list(self.connections)
        for connection in leaving:
            with contextlib.suppress(ConnectionClosed):
                connection.send(
                    json.dumps({"type": "disconnect", "reason": reason, "debug_info": {"host": "applink-1"}})
                )

    def drop(self) -> None:
        """Break every connection without a word."""
        with self.changed:
            leaving = list(self.connections)
            self.connections.clear()
        for connection in leaving:
            with contextlib.suppress(OSError):
                connection.socket.shutdown(socket.SHUT_RDWR)

    def wait_for_connections(self, number: int, *, opened: int = 0, patience_s: float = 20.0) -> None:
        """Return when so many are there, and so many were opened since the start. Raises AssertionError."""
        with self.changed:
            is_there = self.changed.wait_for(
                lambda: len(self.connections) >= number and self.opened >= opened, timeout=patience_s
            )
        assert is_there, f"{len(self.connections)} connections, {self.opened} opened"

    def wait_for_silence(self, patience_s: float = 20.0) -> None:
        """Return when nobody is connected: what is sent to a connection that just ended reaches nobody. Raises AssertionError."""
        with self.changed:
            assert self.changed.wait_for(lambda: not self.connections, timeout=patience_s), self.connections

    def _next(self) -> ServerConnection | None:
        if not self.connections or self.is_deaf:
            return None
        return self.connections[next(self._turn) % len(self.connections)]

    def _let_in(self, connection: ServerConnection, request: Request) -> Response | None:
        ticket = request.path.partition("ticket=")[2].partition("&")[0]
        with self.changed:
            if ticket in self._tickets and len(self.connections) < MOST_CONNECTIONS:
                self._tickets.remove(ticket)
                return None
        return connection.respond(401, "no such ticket\n")

    def _serve_one(self, connection: ServerConnection) -> None:
        with self.changed:
            number = len(self.connections) + 1
        hello = {
            "type": "hello",
            "num_connections": number,
            "debug_info": {"host": "applink-1", "build_number": 1, "approximate_connection_time": LIFE_S},
            "connection_info": {"app_id": APP_ID},
        }
        with contextlib.suppress(ConnectionClosed):
            connection.send(json.dumps(hello))
            with self.changed:
                self.connections.append(connection)
                self.opened += 1
                self.changed.notify_all()
            for message in connection:
                self._hear(str(message))
        with self.changed:
            if connection in self.connections:
                self.connections.remove(connection)
            self.changed.notify_all()

    def _hear(self, message: str) -> None:
        try:
            ack = cast("Body", json.loads(message))
            name = ack["envelope_id"]
        except (ValueError, KeyError, TypeError):
            self.strange.append(message)
            return
        with self.changed:
            self._acks[name] = ack.get("payload") or {}
            self.changed.notify_all()
