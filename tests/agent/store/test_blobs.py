"""Bytes come back as they went in, however large, and damage is never handed out."""

import hashlib
import io
import tracemalloc
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

import pytest
from sqlalchemy import text

from firstfault.agent.store import BodyChangedError, Store, StoredBytesError
from firstfault.agent.store.chunks import CHUNK_BYTES
from firstfault.tools.bodies import FileBody, MemoryBody

SIZES = [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES + 17]


def pattern(size: int) -> bytes:
    """Return `size` bytes that differ from chunk to chunk."""
    line = b"".join(hashlib.sha256(str(n).encode()).digest() for n in range(1_000))
    return (line * (size // len(line) + 1))[:size]


@pytest.mark.parametrize("size", SIZES)
def test_bytes_come_back_as_they_went_in(store: Store, now: datetime, size: int) -> None:
    data = pattern(size)
    sha256 = store.blobs.put(data, now)
    assert sha256 == hashlib.sha256(data).hexdigest()
    assert store.blobs.put_stream(io.BytesIO(data), now) == sha256
    assert store.blobs.get(sha256) == data
    assert store.blobs.exists(sha256)
    assert store.blobs.size(sha256) == size


def test_the_same_bytes_are_stored_once(store: Store, now: datetime) -> None:
    first, second = store.blobs.put(b"same", now), store.blobs.put(b"same", now)
    assert first == second
    with store.database.reading() as session:
        assert session.execute(text("SELECT count(*) FROM blob_chunks")).scalar() == 1


def test_text_is_compressed(store: Store, now: datetime) -> None:
    store.blobs.put(b"NVRM: Xid (PCI:0000:91:00): 79, pid=1, GPU has fallen off the bus.\n" * 10_000, now)
    with store.database.reading() as session:
        assert int(session.execute(text("SELECT sum(length(data)) FROM blob_chunks")).scalar_one()) < 10_000


def test_a_stream_can_jump_and_read_lines(sqlite_store: Store, now: datetime) -> None:
    data = b"".join(b"line %d\n" % n for n in range(400_000))
    sha256 = sqlite_store.blobs.put(data, now)
    with sqlite_store.blobs.open(sha256) as stream:
        assert stream.read(7) == b"line 0\n"
        stream.seek(2 * CHUNK_BYTES - 3)
        assert stream.read(10) == data[2 * CHUNK_BYTES - 3 : 2 * CHUNK_BYTES + 7]
        stream.seek(-7, io.SEEK_END)
        assert stream.read() == data[-7:]
        stream.seek(0)
        assert list(stream) == data.splitlines(keepends=True)


@pytest.mark.parametrize("statement", ["UPDATE blob_chunks SET data = :other", "DELETE FROM blob_chunks"])
def test_damaged_bytes_are_not_handed_out(store: Store, now: datetime, statement: str) -> None:
    sha256, other = store.blobs.put(b"evidence", now), store.blobs.put(b"forgery!", now)
    assert other != sha256
    with store.database.writing() as session:
        packed = session.execute(
            text("SELECT data FROM blob_chunks JOIN blobs USING (upload) WHERE sha256 = :other"),
            {"other": other},
        ).scalar_one()
        session.execute(text(statement), {"other": packed} if ":other" in statement else {})
    with pytest.raises(StoredBytesError, match="damaged"):
        store.blobs.get(sha256)


def test_garbled_bytes_are_not_handed_out(sqlite_store: Store, now: datetime) -> None:
    sha256 = sqlite_store.blobs.put(b"evidence", now)
    with sqlite_store.database.writing() as session:
        session.execute(text("UPDATE blob_chunks SET data = x'00'"))
    with pytest.raises(StoredBytesError, match="damaged"):
        sqlite_store.blobs.get(sha256)


def test_missing_bytes_are_named(store: Store) -> None:
    with pytest.raises(StoredBytesError, match="0123456789ab"):
        store.blobs.open("0123456789ab" + "0" * 52)


def test_a_body_is_stored_under_its_digest(store: Store, now: datetime, tmp_path: Path) -> None:
    file = tmp_path / "big.log"
    file.write_bytes(pattern(2 * CHUNK_BYTES + 5))
    for body in (FileBody(file), MemoryBody(b"small")):
        assert store.blobs.put_body(body, now) == body.sha256
        with body.open() as stream:
            assert store.blobs.get(body.sha256) == stream.read()


def test_a_file_that_grows_meanwhile_is_refused(sqlite_store: Store, now: datetime, tmp_path: Path) -> None:
    file = tmp_path / "live.log"
    file.write_bytes(b"one\n")
    body = FileBody(file)
    assert body.sha256
    file.write_bytes(b"one\ntwo\n")
    with pytest.raises(BodyChangedError, match="copy it first"):
        sqlite_store.blobs.put_body(body, now)


def test_a_stream_that_breaks_leaves_nothing_visible(store: Store, now: datetime) -> None:
    class Breaking(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if self.tell() >= 2 * CHUNK_BYTES:
                msg = "connection lost"
                raise OSError(msg)
            return super().read(size)

    with pytest.raises(OSError, match="connection lost"):
        store.blobs.put_stream(Breaking(pattern(4 * CHUNK_BYTES)), now)
    with store.database.reading() as session:
        assert session.execute(text("SELECT count(*) FROM blobs")).scalar() == 0


def test_memory_stays_flat_for_a_large_stream(sqlite_store: Store, now: datetime) -> None:
    size = 64 * CHUNK_BYTES
    tracemalloc.start()
    sha256 = sqlite_store.blobs.put_stream(_zeros(size), now)
    with sqlite_store.blobs.open(sha256) as stream:
        while stream.read(CHUNK_BYTES):
            pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12 * CHUNK_BYTES


class _Zeros(io.RawIOBase):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.left = size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # pyright: ignore[reportIncompatibleMethodOverride] - io gives a memoryview
        count = min(len(buffer), self.left)
        buffer[:count] = bytes(count)
        self.left -= count
        return count


def _zeros(size: int) -> BinaryIO:
    return io.BufferedReader(_Zeros(size))  # pyright: ignore[reportReturnType] - a BufferedReader is a binary stream
