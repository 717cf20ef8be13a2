"""The files of a recording, wherever they are: a folder on disk, or the members of an archive."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Protocol

from firstfault.tools.bodies import FileBody
from firstfault.tools.evidence import Body
from firstfault.tools.recording.manifest import MANIFEST_NAME, TRUTH_NAME
from firstfault.tools.recording.programs import named, tool_folder


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


def _is_dir(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself
        return False


@dataclass(slots=True)
class _Walk:
    """What lies in a folder, and what was left in it. tools: path → what a tool keeps there."""

    root: Path
    max_files: int
    found: list[str] = field(default_factory=list[str])
    left: list[str] = field(default_factory=list[str])
    tools: dict[str, str] = field(default_factory=dict[str, str])

    def go(self) -> None:
        """Look through the folder and all under it; what one tool made is left, except when it is `root` itself.

        `os.walk` calls itself once for each folder in a folder up to Python 3.11; this does not, however deep the tree is.
        """
        waiting = [""]
        while waiting and len(self.found) <= self.max_files:
            waiting += reversed(self._look(waiting.pop()))
        if len(self.found) > self.max_files:
            self.left.append(f"`{self.root}` holds more than {self.max_files} files; the rest was not read")
        if self.tools:
            told = named(sorted(self.tools), lambda path: f"`{path}` ({self.tools[path]})")
            self.left.append(f"kept by tools and not read: {told}; give such a folder itself to have it read")

    def _look(self, inside: str) -> list[str]:
        """Return the folders in the folder `inside`, sorted, and note its files."""
        folder = self.root / inside
        try:
            with os.scandir(folder) as held:
                entries = sorted((entry.name, _is_dir(entry), entry.is_symlink()) for entry in held)
        except OSError as error:
            self._failed(error)
            return []
        what = tool_folder(folder, {name for name, _, _ in entries}) if inside else ""
        if what:
            self.tools[inside] = what
            return []
        prefix = f"{inside}/" if inside else ""
        self.found += [prefix + name for name, is_dir, _ in entries if not is_dir and name != TRUTH_NAME]
        for name, is_dir, is_link in entries:
            if is_dir and is_link:
                self._link(prefix + name)
        return [prefix + name for name, is_dir, is_link in entries if is_dir and not is_link]

    def _failed(self, error: OSError) -> None:
        self.left.append(
            f"`{error.filename}` cannot be listed: {(error.strerror or 'unknown error').lower()}"
        )

    def _link(self, inside: str) -> None:
        """Note a link to a folder elsewhere. One to a folder inside is no loss: it is read where it is."""
        if not (self.root / inside).resolve().is_relative_to(self.root.resolve()):
            self.left.append(f"`{inside}` is a link out of the recording and was not followed")


@dataclass(frozen=True, slots=True)
class FolderTree:
    """A folder on disk. Links are followed only to files inside it; folders that tools made in it are left."""

    root: Path
    max_files: int

    @property
    def name(self) -> str:
        """Return the folder's name."""
        return self.root.resolve().name

    def paths(self) -> Sequence[str]:
        """Return the paths of all regular files, sorted, at most `max_files` of them."""
        return sorted(self._walk().found[: self.max_files])

    def left(self) -> Sequence[str]:
        """Return what could not be listed, and what tools keep."""
        return self._walk().left

    def _walk(self) -> _Walk:
        walk = _Walk(self.root, self.max_files)
        walk.go()
        return walk

    def body(self, path: str) -> tuple[Body | None, str]:
        """Return the file at `path`, or None and why not."""
        refused = refusal(path)
        if refused:
            return None, refused
        file = self.root.joinpath(*PurePosixPath(path.replace("\\", "/")).parts)
        try:
            reason = _unusable(file, self.root)
        except OSError as error:
            reason = f"cannot be read: {(error.strerror or 'unknown error').lower()}"
        except RuntimeError:  # of `resolve`, up to Python 3.12
            reason = "is a link that leads to itself and was not followed"
        return (None, f"`{path}` {reason}") if reason else (FileBody(file), "")


def _unusable(file: Path, root: Path) -> str:
    if not file.resolve().is_relative_to(root.resolve()):
        return "is a link out of the recording and was not followed"
    if not file.exists():
        return "is missing"
    return "" if file.is_file() else "is not a file"


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
