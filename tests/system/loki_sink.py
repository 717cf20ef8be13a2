"""What takes the place of Loki for a collector: keeps every body that is pushed, and can be away."""

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any, ClassVar, Self

from firstfault.evals.sim.kube_http import LoopbackServer

PATIENCE_S = 60.0
Line = tuple[str, str]
"""(time in nanoseconds, text)."""


class LokiSink:
    """`with LokiSink() as sink: … sink.port`. bodies: as pushed. is_away: every push is answered with 503."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.is_away = False
        self.refused = 0
        self.changed = threading.Condition()
        self._server = LoopbackServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"sink": self}))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def port(self) -> int:
        """Return where it listens."""
        return self._server.server_port

    def __enter__(self) -> Self:
        """Start to serve."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def lines(self) -> list[Line]:
        """Return every line that was pushed, in the order of pushing."""
        return [
            (at, text) for body in self.bodies for stream in body["streams"] for at, text in stream["values"]
        ]

    def wait_for(self, seen: Callable[[], bool]) -> None:
        """Return once `seen` is true. Raises AssertionError when it does not become so in time."""
        with self.changed:
            assert self.changed.wait_for(seen, timeout=PATIENCE_S), self.bodies

    def take(self, body: bytes) -> int:
        """Keep what was pushed; return the code of the answer."""
        with self.changed:
            if self.is_away:
                self.refused += 1
            else:
                self.bodies.append(json.loads(body))
            self.changed.notify_all()
            return 503 if self.is_away else 204


class _Handler(BaseHTTPRequestHandler):
    sink: ClassVar[LokiSink]
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        code = self.sink.take(body) if self.path == "/loki/api/v1/push" else 404
        self.send_response(code)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        del format, args
