"""What one process keeps at hand of the run that it works on: everything here can be had from the store again."""

from collections.abc import Callable, Iterable
from typing import TypeVar, cast

from firstfault.agent.store.blobs import StoredBody
from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.readers import read
from firstfault.tools.readings import Reading

Output = TypeVar("Output")

ROOM_BYTES = 256 * 1024 * 1024
"""How many bytes of small documents stay in memory after they were stored: thousands of them are read several times."""


class Keepsakes:
    """Stage outputs by digest, documents with their texts, readings, and the bytes of small documents while there is room."""

    def __init__(self) -> None:
        self._room = ROOM_BYTES
        self._bytes: dict[str, bytes] = {}
        self._outputs: dict[str, object] = {}
        self._documents: dict[tuple[str, ...], tuple[Document, ...]] = {}
        self._readings: dict[tuple[str, str], Reading] = {}

    def hold(self, stored: Iterable[Document]) -> None:
        """Keep the bytes of documents that were just stored, first come, first served."""
        for each in stored:
            body = each.body
            if not isinstance(body, StoredBody) or body.held is None or body.sha256 in self._bytes:
                continue
            if len(body.held) <= self._room:
                self._room -= len(body.held)
                self._bytes[body.sha256] = body.held

    def output(self, digest: str, make: Callable[[], Output]) -> Output:
        """Return the stage output with this digest, made once."""
        if digest not in self._outputs:
            self._outputs[digest] = make()
        return cast("Output", self._outputs[digest])

    def bytes_of(self, sha256: str) -> bytes | None:
        """Return the bytes of a document, None when they are only in the store."""
        return self._bytes.get(sha256)

    def documents(self, key: tuple[str, ...], make: Callable[[], Iterable[Document]]) -> tuple[Document, ...]:
        """Return the documents of the stages whose digests are `key`, put together once."""
        if key not in self._documents:
            self._documents[key] = tuple(make())
        return self._documents[key]

    def reading(self, each: Document, context: ReadContext) -> Reading:
        """Return what is structured in a document, parsed once."""
        key = (each.path, each.body.sha256)
        if key not in self._readings:
            self._readings[key] = read(each, context)
        return self._readings[key]
