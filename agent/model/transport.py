"""What may go over the wire and come back: our own headers only; at most so many bytes, uncompressed.

The client library adds headers from variables of the environment that were meant for another server, and tells what
machine it runs on. A server can answer without end, or answer a few bytes that unpack to gigabytes. All that ends here.
"""

from collections.abc import AsyncIterator

import httpx2

from firstfault.agent.model.port import ModelUnreadable

MAX_ANSWER_BYTES = 2 * 1024 * 1024
"""Far above any answer asked for (2,000 tokens), far below what hurts."""

UNPACKED = {"Accept-Encoding": "identity"}
"""Headers that ask for an answer that is not compressed."""

SENT_HEADERS = frozenset(
    {"host", "connection", "authorization", "api-key", "accept", "content-type", "user-agent"}
    | {"accept-encoding", "content-length", "transfer-encoding", "x-stainless-raw-response"}
)
"""Everything else is taken off a request. The last one is how the library tells itself to return the bytes."""


class _Capped(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        seen = 0
        async for chunk in self._inner:
            seen += len(chunk)
            if seen > MAX_ANSWER_BYTES:
                msg = f"the answer is larger than {MAX_ANSWER_BYTES} bytes"
                raise ModelUnreadable(msg)
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


def sendable(text: str) -> str:
    """Return `text` as UTF-8 can carry it: halves of characters, which broken telemetry holds, become `?`."""
    return text.encode("utf-8", "replace").decode("utf-8")


async def trim(request: httpx2.Request) -> None:
    """Take every header off `request` that is not ours to send."""
    for name in [name for name in request.headers if name.lower() not in SENT_HEADERS]:
        del request.headers[name]


async def cap(response: httpx2.Response) -> None:
    """Limit what will be read of `response`. Raises ModelUnreadable when it is compressed all the same."""
    encoding = response.headers.get("content-encoding", "identity")
    if encoding.lower() != "identity":
        await response.aclose()
        msg = "the answer is compressed though that was declined"
        raise ModelUnreadable(msg)
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Capped(response.stream)
