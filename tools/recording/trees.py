"""The files of a recording, wherever they are: a folder on disk, or the members of an archive."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Protocol

from firstfault.tools.bodies import FileBody
from firstfault.tools.evidence import Body
from firstfault.tools.recording.manifest import MANIFEST_NAME, TRUTH_NAME


class Tree(Protocol):
    """Files by path. What is for the scorer only is neither listed nor given out."""

    @property
    def name(self) -> str:
        """Return what the recording is called when nothing else names it."""
        ...

    def paths(self) -> Sequence[str]:
        """Return the paths of all files, sorted."""
        ...

    def body(self, path: str) -> tuple[Body | None, str]:
        """Return the file at `path`, or None and why it cannot or may not be read."""
        ...

    def left(self) -> Sequence[str]:
        """Return what could not be listed, one sentence each."""
        ...


def refusal(path: str) -> str:
    """Return why `path` may not be read from any tree, or an empty text."""
    parts = PurePosixPath(path.replace("\\", "/"))
    if parts.is_absolute() or ".." in parts.parts or "\x00" in path:
        return f"`{path}` lies outside the recording and was not read"
    if parts.name == TRUTH_NAME:
        return "a file that is for the scorer only was not read"
    return ""


@dataclass(frozen=True, slots=True)
class FolderTree:
    """A folder on disk. Links are followed only to files inside it."""

    root: Path
    max_files: int

    @property
    def name(self) -> str:
        """Return the folder's name."""
        return self.root.resolve().name

    def paths(self) -> Sequence[str]:
        """Return the paths of all regular files, sorted, at most `max_files` of them."""
        return self._walk()[0]

    def left(self) -> Sequence[str]:
        """Return the folders that could not be listed."""
        return self._walk()[1]

    def _walk(self) -> tuple[list[str], list[str]]:
        found: list[str] = []
        left: list[str] = []

        def failed(error: OSError) -> None:
            left.append(f"`{error.filename}` cannot be listed: {(error.strerror or 'unknown error').lower()}")

        for folder, folders, names in os.walk(self.root, onerror=failed):
            folders.sort()
            inside = Path(folder).relative_to(self.root)
            found += [(inside / name).as_posix() for name in names if name != TRUTH_NAME]
            if len(found) > self.max_files:
                left.append(f"`{self.root}` holds more than {self.max_files} files; the rest was not read")
                break
        return sorted(found[: self.max_files]), left

    def body(self, path: str) -> tuple[Body | None, str]:
        """Return the file at `path`, or None and why not."""
        refused = refusal(path)
        if refused:
            return None, refused
        file = self.root.joinpath(*PurePosixPath(path.replace("\\", "/")).parts)
        try:
            if not file.resolve().is_relative_to(self.root.resolve()):
                return None, f"`{path}` is a link out of the recording and was not followed"
            if not file.exists():
                return None, f"`{path}` is missing"
            if not file.is_file():
                return None, f"`{path}` is not a file"
        except OSError as error:
            return None, f"`{path}` cannot be read: {(error.strerror or 'unknown error').lower()}"
        return FileBody(file), ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberTree:
    """The members of an archive, or a single file."""

    name: str
    bodies: Mapping[str, Body]
    unread: Sequence[str] = field(default_factory=tuple[str, ...])

    def paths(self) -> Sequence[str]:
        """Return the paths of all members, sorted."""
        return sorted(path for path in self.bodies if PurePosixPath(path).name != TRUTH_NAME)

    def left(self) -> Sequence[str]:
        """Return what was left in the archive."""
        return self.unread

    def body(self, path: str) -> tuple[Body | None, str]:
        """Return the member at `path`, or None and why not."""
        refused = refusal(path)
        if refused:
            return None, refused
        body = self.bodies.get(PurePosixPath(path.replace("\\", "/")).as_posix())
        return (body, "") if body is not None else (None, f"`{path}` is missing")


def case_root(tree: MemberTree) -> MemberTree:
    """Return `tree` seen from the folder that holds its only `case.yaml`; archives of a folder begin with its name."""
    manifests = [path for path in tree.bodies if PurePosixPath(path).name == MANIFEST_NAME]
    if len(manifests) != 1 or manifests[0] == MANIFEST_NAME:
        return tree
    prefix = manifests[0].removesuffix(MANIFEST_NAME)
    inside = {
        path.removeprefix(prefix): body for path, body in tree.bodies.items() if path.startswith(prefix)
    }
    return MemberTree(name=tree.name, bodies=inside, unread=tree.unread)
