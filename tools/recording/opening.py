"""Opens a path as a recording: a case folder, any folder, an archive, or one file."""

from collections.abc import Sequence
from pathlib import Path

from firstfault.tools.bodies import FileBody
from firstfault.tools.recording.archives import head_of
from firstfault.tools.recording.errors import NothingUsableError, PathMissingError, SeveralCasesError
from firstfault.tools.recording.files import Opener
from firstfault.tools.recording.limits import DEFAULT_LIMITS, Limits
from firstfault.tools.recording.listed import listed_recording
from firstfault.tools.recording.manifest import MANIFEST_NAME
from firstfault.tools.recording.overrides import Override
from firstfault.tools.recording.progress import SILENT, Progress
from firstfault.tools.recording.source import Recording
from firstfault.tools.recording.streams import Packing, packing_of
from firstfault.tools.recording.trees import FolderTree, MemberTree, Tree, case_root
from firstfault.tools.recording.unlisted import unlisted_recording


def open_recording(
    path: Path,
    *,
    overrides: Sequence[Override] = (),
    limits: Limits = DEFAULT_LIMITS,
    progress: Progress = SILENT,
) -> Recording:
    """Return what was recorded at `path`.

    Raises RecordingError with one line that names the remedy when there is nothing to read.
    """
    if not path.exists():
        msg = f"`{path}` does not exist; give the path of a folder, an archive or a file"
        raise PathMissingError(msg)
    opener = Opener(limits, progress)
    root = path.parent if path.name == MANIFEST_NAME else path
    try:
        tree = _folder(root, limits) if root.is_dir() else _file(root, opener)
        if tree.body(MANIFEST_NAME)[0] is not None:
            return listed_recording(tree, opener, overrides=overrides)
        return unlisted_recording(tree, opener, overrides=overrides)
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        msg = f"`{error.filename or path}` cannot be read: {reason}; check its permissions"
        raise NothingUsableError(msg) from error


def _folder(root: Path, limits: Limits) -> Tree:
    cases = sorted(child.name for child in root.iterdir() if _is_case(child))
    if cases and not (root / MANIFEST_NAME).is_file():
        msg = f"`{root}` holds {len(cases)} cases; give one of them, such as `{root / cases[0]}`"
        raise SeveralCasesError(msg)
    return FolderTree(root, limits.max_files)


def _is_case(folder: Path) -> bool:
    try:
        return (folder / MANIFEST_NAME).is_file()
    except OSError:  # a folder that may not be entered is a gap, and no reason to read nothing
        return False


def _file(file: Path, opener: Opener) -> Tree:
    """Return the members of an archive, or the file alone; a single packed file keeps its own name."""
    body = FileBody(file)
    if packing_of(head_of(body)) is Packing.NONE:
        return MemberTree(name=file.name, bodies={file.name: body})
    found = opener.unpacker.unpack(body, file.name)
    bodies = {member.path or file.name: member.body for member in found.members}
    tree = MemberTree(name=file.name, bodies=bodies, unread=tuple(found.left))
    manifests = [path for path in bodies if path.rpartition("/")[2] == MANIFEST_NAME]
    if len(manifests) > 1:
        msg = f"`{file}` holds {len(manifests)} cases; unpack it and give one of them"
        raise SeveralCasesError(msg)
    return case_root(tree)
