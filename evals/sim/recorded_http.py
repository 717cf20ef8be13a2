"""A server on loopback that answers with recorded bodies and fails as a test plans it: Loki and Prometheus stand-ins.

Errors come as the real servers sent them: plain text from Loki, JSON from Prometheus.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from http.server import BaseHTTPRequestHandler
from typing import ClassVar, Self
from urllib.parse import parse_qs, urlsplit

from firstfault.evals.sim.kube_http import LoopbackServer


class Failure(StrEnum):
    """How every request goes wrong."""

    NONE = "none"
    DROP = "drop"
    CUT = "cut"
    WRONG_TYPE = "wrong_type"
    DRIP = "drip"
    HOLD = "hold"
    """Says nothing until the server stops."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One answer."""

    body: bytes
    code: int = 200
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


Answer = Callable[[str, dict[str, str]], Said]
"""(path, query) → what is said."""


class RecordedServer:
    """`with RecordedServer(answer) as server: … server.url`. asked: every request, in order; lines: its first line.

    longest_line: an address that makes it longer is refused, as servers and proxies do. forms: what posting a form is
    answered with, None where it is taken.
    """

    def __init__(
        self,
        answer: Answer,
        *,
        failure: Failure = Failure.NONE,
        drip_s: float = 0.2,
        longest_line: int = 65_536,
        forms: int | None = None,
    ) -> None:
        """Take who answers and how it fails."""
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.lines: list[str] = []
        self.longest_line, self.forms = longest_line, forms
        self.stopping = threading.Event()
        self._server = LoopbackServer(("127.0.0.1", 0), _handler(self, answer, failure, drip_s))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        """Return the address."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        """Start to serve."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    """One request; `_handler` makes the class that knows its server and how it fails."""

    recorded: ClassVar[RecordedServer]
    failure: ClassVar[Failure]
    drip_s: ClassVar[float]
    said: ClassVar[tuple[Answer]]
    """In a tuple, so that it does not become a method."""

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        form = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        query = {name: values[0] for name, values in parse_qs(form or parts.query).items()}
        self.recorded.asked.append((parts.path, query))
        self.recorded.lines.append(self.requestline)
        if len(self.requestline) > self.recorded.longest_line:
            self._say(
                Said(body=b"<html>414 Request-URI Too Large</html>", code=414, content_type="text/html")
            )
            return
        if self.command == "POST" and self.recorded.forms is not None:
            self._say(Said(body=b"no", code=self.recorded.forms, content_type="text/plain"))
            return
        if self.failure is Failure.HOLD:
            self.recorded.stopping.wait()
        if self.failure in {Failure.DROP, Failure.HOLD}:
            self.close_connection = True
            return
        said = self.said[0](parts.path, query)
        if self.failure is Failure.WRONG_TYPE:
            said = Said(body=b"<html>not what you asked</html>", code=said.code, content_type="text/html")
        self._say(said)

    do_POST = do_GET  # noqa: N815 - names of the base class

    def _say(self, said: Said) -> None:
        self.send_response(said.code)
        self.send_header("Content-Type", said.content_type)
        self.send_header("Content-Length", str(len(said.body)))
        for name, value in said.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self._send(said.body)

    def _send(self, body: bytes) -> None:
        if self.failure is Failure.CUT:
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
        elif self.failure is Failure.DRIP:
            for start in range(0, len(body), 16):
                if self.recorded.stopping.wait(self.drip_s):
                    return
                self.wfile.write(body[start : start + 16])
                self.wfile.flush()
        else:
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        del format, args


def _handler(
    server: RecordedServer, answer: Answer, failure: Failure, drip_s: float
) -> type[BaseHTTPRequestHandler]:
    held = {"recorded": server, "said": (answer,), "failure": failure, "drip_s": drip_s}
    return type("Handler", (_Handler,), held)
