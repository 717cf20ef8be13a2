"""Unpacks archives without trusting them: no path is followed, no link, no more bytes than allowed."""

import stat
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import BinaryIO, cast

from firstfault.tools.evidence import Body
from firstfault.tools.recording.errors import ArchiveError
from firstfault.tools.recording.limits import Limits
from firstfault.tools.recording.spool import Readable, Spool
from firstfault.tools.recording.streams import BROKEN_STREAM, HEAD_BYTES, Packing, packing_of, unpacked

_ENCRYPTED = 0x1


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One file of an archive, with its path inside it."""

    path: str
    body: Body


@dataclass(slots=True, kw_only=True)
class Unpacked:
    """What an archive held, and what was left in it and why."""

    members: list[Member] = field(default_factory=list[Member])
    left: list[str] = field(default_factory=list[str])


def head_of(body: Body) -> bytes:
    """Return the first bytes of `body`, enough to tell how it is packed."""
    with body.open() as stream:
        return stream.read(HEAD_BYTES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpacker:
    """Unpacks into one spool, within one set of limits."""

    spool: Spool
    limits: Limits

    def unpack(self, body: Body, name: str, *, nesting: int = 0) -> Unpacked:
        """Return the files in the archive `body`, archives in it unpacked one level deep.

        Raises ArchiveError when it holds more than the limits allow, or nothing because it is broken.
        """
        found = Unpacked()
        budget = _Budget(name=name, packed_bytes=body.size, limits=self.limits, spool=self.spool)
        try:
            for member in _members(body, name, budget, found):
                self._take(member, name, nesting, found)
        except (
            *BROKEN_STREAM,
            tarfile.TarError,
            zipfile.BadZipFile,
            RuntimeError,  # of zipfile: encrypted, or (as NotImplementedError) packed in a way that it does not know
        ) as error:
            found.left.append(
                f"`{name}` is cut or broken after {len(found.members)} files ({type(error).__name__})"
            )
        if not found.members and found.left:
            msg = f"{found.left[0]}; pack it again or give the files themselves"
            raise ArchiveError(msg)
        return found

    def _take(self, member: Member, name: str, nesting: int, found: Unpacked) -> None:
        if packing_of(head_of(member.body)) is Packing.NONE:
            found.members.append(member)
            return
        if nesting >= self.limits.max_nesting:
            found.left.append(f"`{name}`: `{member.path}` is an archive inside an archive inside an archive")
            return
        try:
            inner = self.unpack(member.body, f"{name}/{member.path}", nesting=nesting + 1)
        except ArchiveError as error:
            found.left.append(str(error))
            return
        for held in inner.members:
            path = f"{member.path}/{held.path}" if held.path and member.path else held.path or member.path
            found.members.append(Member(path=path, body=held.body))
        found.left += inner.left


def _members(body: Body, name: str, budget: "_Budget", found: Unpacked) -> Iterator[Member]:
    packing = packing_of(head_of(body))
    with body.open() as stream:
        if packing is Packing.ZIP:
            yield from _zip_members(stream, budget, found)
            return
        plain = unpacked(stream, packing)
        head = plain.read(HEAD_BYTES)
        joined = _Joined(head, plain)
        if packing_of(head) is Packing.TAR:
            yield from _tar_members(joined, name, budget, found)
        else:
            yield Member(path="", body=budget.store(joined, name))


def _zip_members(stream: BinaryIO, budget: "_Budget", found: Unpacked) -> Iterator[Member]:
    with zipfile.ZipFile(stream) as archive:
        for info in archive.infolist():
            budget.count()
            path = _safe_path(info.filename, found)
            if info.is_dir() or path is None:
                continue
            if info.flag_bits & _ENCRYPTED:
                found.left.append(f"`{path}` is encrypted")
                continue
            if stat.S_ISLNK(info.external_attr >> 16):
                found.left.append(f"`{path}` is a link and was not followed")
                continue
            with archive.open(info) as member:
                yield Member(path=path, body=budget.store(member, path))


def _tar_members(stream: "_Joined", name: str, budget: "_Budget", found: Unpacked) -> Iterator[Member]:
    with tarfile.open(fileobj=cast("BinaryIO", stream), mode="r|", name=name) as archive:
        for info in archive:
            budget.count()
            path = _safe_path(info.name, found)
            if info.isdir() or path is None:
                continue
            if not info.isfile():
                what = "a link" if info.issym() or info.islnk() else "not a file"
                found.left.append(f"`{path}` is {what} and was not followed")
                continue
            member = archive.extractfile(info)
            if member is not None:
                yield Member(path=path, body=budget.store(member, path))


def _safe_path(name: str, found: Unpacked) -> str | None:
    """Return the path inside the archive, or None when it leads out of it."""
    path = PurePosixPath(name.replace("\\", "/"))
    if (
        path.is_absolute() or ".." in path.parts or "\x00" in name or ":" in path.parts[0]
        if path.parts
        else True
    ):
        found.left.append(f"`{name[:80]}` leads out of the archive and was not read")
        return None
    return path.as_posix()


class _Joined:
    """A stream whose first bytes were already read."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head = head
        self._rest = rest

    def read(self, size: int = -1) -> bytes:
        if not self._head:
            return self._rest.read(size)
        if size < 0:
            head, self._head = self._head, b""
            return head + self._rest.read()
        head, self._head = self._head[:size], self._head[size:]
        return head if len(head) == size else head + self._rest.read(size - len(head))


@dataclass(slots=True, kw_only=True)
class _Budget:
    name: str
    packed_bytes: int
    limits: Limits
    spool: Spool
    files: int = 0
    total_bytes: int = 0

    def count(self) -> None:
        self.files += 1
        if self.files > self.limits.max_files:
            msg = f"`{self.name}` holds more than {self.limits.max_files} files; give the folders that matter"
            raise ArchiveError(msg)

    def store(self, stream: Readable, path: str) -> Body:
        return self.spool.store(stream, lambda size: self._spend(size, path))

    def _spend(self, size: int, path: str) -> None:
        self.total_bytes += size
        if self.total_bytes > self.limits.max_total_bytes or size > self.limits.max_member_bytes:
            msg = f"`{self.name}` unpacks to more than is allowed at `{path}`; give the files that matter"
            raise ArchiveError(msg)
        is_large = self.total_bytes > self.limits.ratio_from_bytes
        if is_large and self.total_bytes > self.packed_bytes * self.limits.max_ratio:
            times = f"{self.limits.max_ratio:.0f} times its size"
            msg = f"`{self.name}` unpacks to more than {times}, as bombs do; give the files themselves"
            raise ArchiveError(msg)
