"""Tells what programs keep beside logs, by its marks: environments, packages, caches, histories, and sources of projects.

No machine says anything there about an incident, and their texts name every error that there is.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path, PurePosixPath

from firstfault.tools.catalogs.tables import read_table

_MOST_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class _ToolFolder:
    name: str
    marks: tuple[str, ...]
    begins: bytes
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Project:
    marks: frozenset[str]
    texts: tuple[str, ...]


@cache
def _tool_folders() -> tuple[_ToolFolder, ...]:
    return tuple(
        _ToolFolder(
            name=row["folder"],
            marks=tuple(row["marks"].split()),
            begins=row["begins"].encode(),
            what=row["what"],
        )
        for row in read_table("tool_folders.csv")
    )


@cache
def _project() -> _Project:
    rows = read_table("project_files.csv")
    return _Project(
        marks=frozenset(row["pattern"] for row in rows if row["role"] == "mark"),
        texts=tuple(row["pattern"] for row in rows if row["role"] == "text"),
    )


def tool_folder(folder: Path, held: Collection[str]) -> str:
    """Return what the tool keeps that made `folder`, or an empty text when no tool did.

    held: the names of what lies in the folder.
    """
    for known in _tool_folders():
        if fnmatchcase(folder.name, known.name) and all(_has(folder, held, mark) for mark in known.marks):
            file = folder / known.marks[0]
            if not known.begins or _begins(file, known.begins):
                return known.what
    return ""


def _has(folder: Path, held: Collection[str], mark: str) -> bool:
    if "/" in mark:
        return any(True for _ in folder.glob(mark))
    return mark in held or ("*" in mark and any(fnmatchcase(name, mark) for name in held))


def _begins(file: Path, wanted: bytes) -> bool:
    try:
        with file.open("rb") as stream:
            return stream.read(len(wanted)) == wanted
    except OSError:
        return False


def program_texts(paths: Sequence[str]) -> frozenset[str]:
    """Return those of `paths` that are the text of a program: told by its kind of file, in or under a project's folder.

    paths: with `/`; what marks a folder as a project is among them. Whatever else lies there is none.
    """
    known = _project()
    roots = {PurePosixPath(path).parent for path in paths if path.rpartition("/")[2] in known.marks}
    return frozenset(path for path in paths if roots and _is_text(PurePosixPath(path), roots, known.texts))


def _is_text(path: PurePosixPath, roots: Collection[PurePosixPath], texts: Sequence[str]) -> bool:
    if not any(fnmatchcase(path.name, text) for text in texts):
        return False
    return any(folder in roots for folder in path.parents)


def named(found: Sequence[str], of: Callable[[str], str] = "`{}`".format, *, most: int = _MOST_NAMED) -> str:
    """Return the first of `found` in words, and how many more there are."""
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(of(each) for each in found[:most]) + more
