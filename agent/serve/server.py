"""The HTTP server: one place that knows uvicorn."""

import signal
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn
from starlette.applications import Starlette

BACKLOG = 512
"""Connections that wait while others are answered: a storm is queued, not refused."""


class ListenError(Exception):
    """The address cannot be listened on; one line that names the remedy."""


def run(app: Starlette, host: str, port: int, *, ready: Callable[[int], None]) -> None:
    """Serve until the process is told to end by SIGTERM or SIGINT; call from the main thread.

    ready: called with the port once connections are taken. Raises ListenError.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        msg = f"`{host}:{port}` cannot be listened on ({error.strerror}): set another `serve.host` or `serve.port`"
        raise ListenError(msg) from error
    # uvicorn raises the signal again when it has shut down: by then it has been obeyed, and the caller has more to end.
    before = {number: signal.signal(number, _obeyed) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        with listener:
            ready(listener.getsockname()[1])
            config = uvicorn.Config(app, log_level="warning", lifespan="off")
            uvicorn.Server(config).run(sockets=[listener])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _obeyed(number: int, frame: FrameType | None) -> None:
    del number, frame
