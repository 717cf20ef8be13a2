"""Bytes named by their digest, compressed, written whole or not at all.

A body is stored in chunks under an upload name, each chunk its own short transaction, and becomes visible only when
the last one is there and the digest is right: memory stays flat, no writer waits long, a crash leaves only chunks
that nobody can see (`prune` removes them).
"""

import hashlib
import io
import secrets
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import BinaryIO

import zstandard
from sqlalchemy import insert, select, update

from firstfault.agent.store.chunks import CHUNK_BYTES, ChunkStream
from firstfault.agent.store.database import Database
from firstfault.agent.store.errors import BodyChangedError, StoredBytesError
from firstfault.agent.store.rows import insert_new
from firstfault.agent.store.tables import BlobRow, ChunkRow
from firstfault.tools.evidence import Body

_LEVEL = 3
"""zstd level: its default, several hundred MB a second. Source: zstd(1)."""
_CHANGED = "a document changed while it was read: copy it first, then read the copy"


@dataclass(frozen=True, slots=True)
class Blobs:
    """Puts and gets bytes by digest."""

    database: Database

    def put(self, data: bytes, now: datetime) -> str:
        """Return the digest under which `data` is stored."""
        sha256 = hashlib.sha256(data).hexdigest()
        if not self._touch(sha256, now):
            with self.database.writing():
                self._store((data[i : i + CHUNK_BYTES] for i in range(0, len(data), CHUNK_BYTES)), now)
        return sha256

    def put_stream(self, stream: BinaryIO, now: datetime) -> str:
        """Return the digest under which all of `stream` is stored."""
        return self._store(_blocks(stream), now)

    def put_body(self, body: Body, now: datetime) -> str:
        """Return the digest under which `body` is stored.

        Raises BodyChangedError when its bytes are no longer those its digest was made from.
        """
        if self._touch(body.sha256, now):
            return body.sha256
        with body.open() as stream:
            stored = self.put_stream(stream, now) if body.size > CHUNK_BYTES else self.put(stream.read(), now)
        if stored != body.sha256:
            raise BodyChangedError(_CHANGED)
        return stored

    def put_small(self, bodies: Sequence[Body], now: datetime) -> tuple[bytes, ...]:
        """Return the bytes of `bodies`, none larger than a chunk, stored under their digests in one transaction.

        Raises BodyChangedError when the bytes of one are no longer those its digest was made from.
        """
        held = tuple(_checked(body) for body in bodies)
        wanted = {body.sha256: data for body, data in zip(bodies, held, strict=True)}
        with self.database.writing() as session:
            connection = session.connection()
            known = set(session.scalars(select(BlobRow.sha256).where(BlobRow.sha256.in_(wanted))))
            connection.execute(update(BlobRow).where(BlobRow.sha256.in_(known)).values(stored_at=now))
            blobs: list[dict[str, object]] = []
            chunks: list[dict[str, object]] = []
            for sha256, data in wanted.items():
                if sha256 not in known:
                    upload = secrets.token_hex(16)
                    blobs.append({"sha256": sha256, "size": len(data), "upload": upload, "stored_at": now})
                    packed = _packer().compress(data)
                    chunks.append({"upload": upload, "position": 0, "data": packed, "stored_at": now})
            if blobs:
                connection.execute(insert(ChunkRow), chunks)
                connection.execute(insert(BlobRow), blobs)
        return held

    def exists(self, sha256: str) -> bool:
        """Return whether the bytes are here."""
        with self.database.reading() as session:
            return session.get(BlobRow, sha256) is not None

    def size(self, sha256: str) -> int:
        """Return the length in bytes. Raises StoredBytesError when there are none."""
        return self._find(sha256)[0]

    def open(self, sha256: str) -> BinaryIO:
        """Return a seekable stream over the bytes; read from start to end, it checks the digest at the end.

        Raises StoredBytesError when they are not here.
        """
        size, upload = self._find(sha256)
        return ChunkStream.buffered(self.database, sha256, upload, size)

    def get(self, sha256: str) -> bytes:
        """Return the bytes. Raises StoredBytesError when they are missing or damaged."""
        with self.open(sha256) as stream:
            return stream.read()

    def _find(self, sha256: str) -> tuple[int, str]:
        with self.database.reading() as session:
            row = session.get(BlobRow, sha256)
            if row is None:
                msg = f"no bytes are stored under `{sha256[:12]}`: they were pruned, or never stored"
                raise StoredBytesError(msg)
            return row.size, row.upload

    def _touch(self, sha256: str, now: datetime) -> bool:
        """Keep known bytes from being pruned as fresh leftovers; return whether they are known."""
        if not self.exists(sha256):
            return False
        with self.database.writing() as session:
            touching = update(BlobRow).where(BlobRow.sha256 == sha256).values(stored_at=now)
            return session.connection().execute(touching).rowcount > 0

    def _store(self, blocks: Iterator[bytes], now: datetime) -> str:
        upload = secrets.token_hex(16)
        whole = hashlib.sha256()
        packer = _packer()
        size = 0
        for position, block in enumerate(blocks):
            whole.update(block)
            size += len(block)
            row = {"upload": upload, "position": position, "data": packer.compress(block), "stored_at": now}
            with self.database.writing() as session:
                session.execute(insert(ChunkRow).values(row))
        values = {"sha256": whole.hexdigest(), "size": size, "upload": upload, "stored_at": now}
        with self.database.writing() as session:
            insert_new(session, BlobRow, values)
        return whole.hexdigest()


def _packer() -> zstandard.ZstdCompressor:
    return zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)


def _checked(body: Body) -> bytes:
    with body.open() as stream:
        data = stream.read()
    if hashlib.sha256(data).hexdigest() != body.sha256:
        raise BodyChangedError(_CHANGED)
    return data


@dataclass(frozen=True)
class StoredBody:
    """The bytes of a document as the store keeps them: the same `Body` as a file or an answer.

    held: the same bytes, where they are still at hand from storing them.
    """

    blobs: Blobs
    sha256: str
    size: int
    held: bytes | None = field(default=None, compare=False, repr=False)

    def open(self) -> BinaryIO:
        """Return a new stream over the bytes."""
        return self.blobs.open(self.sha256) if self.held is None else io.BytesIO(self.held)


def _blocks(stream: BinaryIO) -> Generator[bytes]:
    while block := stream.read(CHUNK_BYTES):
        while len(block) < CHUNK_BYTES and (more := stream.read(CHUNK_BYTES - len(block))):
            block += more
        yield block
