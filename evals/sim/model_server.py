"""An OpenAI-compatible server on loopback that says what a script says, and breaks in every way a server can.

`with ModelServer("good") as server: … server.base_url`. Every request is kept, so that a test can look at what left.
"""

import gzip
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self, cast

from firstfault.evals.sim.model_scripts import SCRIPTS
from firstfault.evals.sim.prompt_rows import parse_prompt
from firstfault.evals.sim.sayings import Saying, Script

TRANSPORTS = (
    "rate_limited",
    "server_error",
    "unauthorised",
    "slow_drip",
    "slow_headers",
    "cut",
    "empty",
    "blank",
    "refuses",
    "filtered",
    "enormous",
    "compressed",
    "redirects",
    "not_json",
    "truncated",
    "tool_calls",
    "absurd_usage",
    "no_choices",
)
"""Ways to break below or beside what is said."""

HOSTILE_MODES = (*(script for script in SCRIPTS if script != "good"), *TRANSPORTS)
DRIP_S = 0.02
PROBED = Saying(text='{"word": "seventeen", "numbers": [1, 2, 3]}')
"""What every model says to the questions of `firstfault model check`."""


@dataclass(kw_only=True)
class Dialogue:
    """What happened so far. lies: sentences said that must not be believed. count: tokens of a text."""

    mode: str
    count: Callable[[str], int]
    refuses_parameters: tuple[str, ...] = ()
    bodies: list[bytes] = field(default_factory=list[bytes])
    headers: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    paths: list[str] = field(default_factory=list[str])
    lies: list[str] = field(default_factory=list[str])
    lock: threading.Lock = field(default_factory=threading.Lock)
    closing: threading.Event = field(default_factory=threading.Event)

    def script(self) -> Script:
        """Return what is said; broken transports say what a good model says."""
        return SCRIPTS.get(self.mode, SCRIPTS["good"])


def four_characters_a_token(text: str) -> int:
    """Return a rough count of tokens."""
    return len(text) // 4


class ModelServer:
    """A scripted server; a context manager."""

    def __init__(
        self,
        mode: str,
        *,
        count: Callable[[str], int] = four_characters_a_token,
        refuses_parameters: tuple[str, ...] = (),
    ) -> None:
        """Prepare a server for `mode`; `refuses_parameters` are answered with status 400, as older servers do."""
        self.dialogue = Dialogue(mode=mode, count=count, refuses_parameters=refuses_parameters)
        self._http = _Server(("127.0.0.1", 0), _handler(self.dialogue))
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )

    @property
    def base_url(self) -> str:
        """Return the address that a client is given."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self) -> Self:
        """Start to serve."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop to serve; answers that are still dripping end."""
        self.dialogue.closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: clients that hang up in the middle are what some tests are about."""


def _handler(dialogue: Dialogue) -> type[BaseHTTPRequestHandler]:
    class Handler(_Answers):
        talk = dialogue

    return Handler


class _Answers(BaseHTTPRequestHandler):
    talk: Dialogue
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer one chat completion."""
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        with self.talk.lock:
            call = len(self.talk.bodies)
            self.talk.bodies.append(body)
            self.talk.headers.append({name.lower(): value for name, value in self.headers.items()})
            self.talk.paths.append(self.path)
        request = json.loads(body)
        refused = next((name for name in self.talk.refuses_parameters if _uses(request, name)), None)
        if refused is not None:
            self._send(
                400,
                json.dumps(
                    {"error": {"message": f"Unsupported parameter: '{refused}'", "param": refused}}
                ).encode(),
            )
            return
        getattr(self, f"_{self.talk.mode}", self._say)(request, call)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the name is the base class's
        """Keep quiet."""

    def _completion(self, request: dict[str, object], call: int) -> dict[str, object]:
        text = _content(request)
        said = PROBED if "seventeen" in text else self.talk.script()(parse_prompt(text), call)
        with self.talk.lock:
            self.talk.lies.extend(said.lies)
        prompt_tokens = self.talk.count(json.dumps(request, ensure_ascii=False))
        return {
            "id": f"cmpl-{call}",
            "object": "chat.completion",
            "created": 0,
            "model": request.get("model"),
            "choices": [
                {"index": 0, "message": {"role": "assistant", "content": said.text}, "finish_reason": "stop"}
            ],
            "usage": {
                "prompt_tokens": prompt_tokens,
                "completion_tokens": self.talk.count(said.text),
                "total_tokens": 0,
            },
        }

    def _send(
        self, status: int, body: bytes, headers: dict[str, str] | None = None, *, length: int | None = None
    ) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def _say(self, request: dict[str, object], call: int) -> None:
        self._send(200, json.dumps(self._completion(request, call)).encode())

    def _changed(
        self, request: dict[str, object], call: int, message: dict[str, object], finish: str
    ) -> None:
        whole = self._completion(request, call)
        whole["choices"] = [
            {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
        ]
        self._send(200, json.dumps(whole).encode())

    def _rate_limited(self, _request: dict[str, object], _call: int) -> None:
        self._send(429, b'{"error": {"message": "slow down"}}', {"Retry-After": "1"})

    def _server_error(self, _request: dict[str, object], call: int) -> None:
        self._send((500, 502, 503)[call % 3], b"<html>upstream</html>", {"Content-Type": "text/html"})

    def _unauthorised(self, _request: dict[str, object], _call: int) -> None:
        self._send(401, b'{"error": {"message": "bad key"}}')

    def _slow_drip(self, request: dict[str, object], call: int) -> None:
        body = json.dumps(self._completion(request, call)).encode()
        self._send(200, b"", length=len(body) + 1_000_000)
        self._drip(body + b" " * 1_000_000)

    def _slow_headers(self, _request: dict[str, object], _call: int) -> None:
        self._drip(b"HTTP/1.1 200 OK\r\nX-Slow: " + b"a" * 1_000_000)

    def _drip(self, data: bytes) -> None:
        try:
            for byte in data:
                if self.talk.closing.wait(DRIP_S):
                    break
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
        except OSError:
            pass
        self.close_connection = True

    def _cut(self, request: dict[str, object], call: int) -> None:
        body = json.dumps(self._completion(request, call)).encode()
        self._send(200, body[: len(body) // 2], length=len(body))
        self.close_connection = True

    def _empty(self, _request: dict[str, object], _call: int) -> None:
        self._send(200, b"")

    def _blank(self, request: dict[str, object], call: int) -> None:
        self._changed(request, call, {"content": "  \n"}, "stop")

    def _refuses(self, request: dict[str, object], call: int) -> None:
        self._changed(request, call, {"content": None, "refusal": "I cannot help with that."}, "stop")

    def _filtered(self, request: dict[str, object], call: int) -> None:
        self._changed(request, call, {"content": "{"}, "content_filter")

    def _enormous(self, _request: dict[str, object], _call: int) -> None:
        self._send(200, b'{"choices": [{"message": {"content": "' + b"x" * 4_000_000 + b'"}}]}')

    def _compressed(self, _request: dict[str, object], _call: int) -> None:
        self._send(200, gzip.compress(b" " * 20_000_000), {"Content-Encoding": "gzip"})

    def _redirects(self, _request: dict[str, object], _call: int) -> None:
        self._send(307, b"", {"Location": "/v1/elsewhere"})

    def _not_json(self, _request: dict[str, object], _call: int) -> None:
        self._send(200, b"<html>welcome to the proxy</html>", {"Content-Type": "text/html"})

    def _truncated(self, request: dict[str, object], call: int) -> None:
        text = self.talk.script()(parse_prompt(_content(request)), call).text
        self._changed(request, call, {"content": text[: len(text) // 2]}, "length")

    def _tool_calls(self, request: dict[str, object], call: int) -> None:
        asked = {
            "id": "1",
            "type": "function",
            "function": {"name": "run_shell", "arguments": '{"command": "reboot"}'},
        }
        self._changed(request, call, {"content": None, "tool_calls": [asked]}, "tool_calls")

    def _absurd_usage(self, request: dict[str, object], call: int) -> None:
        whole = self._completion(request, call)
        whole["usage"] = {"prompt_tokens": -5, "completion_tokens": "many", "prompt_tokens_details": 7}
        self._send(200, json.dumps(whole).encode())

    def _no_choices(self, _request: dict[str, object], _call: int) -> None:
        self._send(200, b'{"choices": [], "usage": null}')


def _content(request: dict[str, object]) -> str:
    messages = cast("list[dict[str, object]]", request.get("messages") or [])
    return str(messages[-1].get("content", "")) if messages else ""


def _uses(request: dict[str, object], name: str) -> bool:
    form = cast("dict[str, object]", request.get("response_format") or {})
    return name in request or form.get("type") == name
