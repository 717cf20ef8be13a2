"""A server on loopback that answers with recorded bodies and fails as a test plans it: Loki and Prometheus stand-ins.

Errors come as the real servers sent them: plain text from Loki, JSON from Prometheus.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self
from urllib.parse import parse_qs, urlsplit


class Failure(StrEnum):
    """How every request goes wrong."""

    NONE = "none"
    DROP = "drop"
    CUT = "cut"
    WRONG_TYPE = "wrong_type"
    DRIP = "drip"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One answer."""

    body: bytes
    code: int = 200
    content_type: str = "application/json"


Answer = Callable[[str, dict[str, str]], Said]
"""(path, query) → what is said."""


class RecordedServer:
    """`with RecordedServer(answer) as server: … server.url`. asked: every request, in order."""

    def __init__(self, answer: Answer, *, failure: Failure = Failure.NONE, drip_s: float = 0.2) -> None:
        """Take who answers and how it fails."""
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.stopping = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self, answer, failure, drip_s))
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


def _handler(
    server: RecordedServer, answer: Answer, failure: Failure, drip_s: float
) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            server.asked.append((parts.path, query))
            if failure is Failure.DROP:
                self.close_connection = True
                return
            said = answer(parts.path, query)
            body = b"<html>not what you asked</html>" if failure is Failure.WRONG_TYPE else said.body
            self.send_response(said.code)
            self.send_header(
                "Content-Type", "text/html" if failure is Failure.WRONG_TYPE else said.content_type
            )
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self._send(body)

        def _send(self, body: bytes) -> None:
            if failure is Failure.CUT:
                self.wfile.write(body[: len(body) // 2])
                self.close_connection = True
            elif failure is Failure.DRIP:
                for start in range(0, len(body), 16):
                    if server.stopping.wait(drip_s):
                        return
                    self.wfile.write(body[start : start + 16])
                    self.wfile.flush()
            else:
                self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
            del format, args

    return Handler
