"""Opens a path as a recording: a case folder, any folder, an archive, or one file."""

from collections.abc import Sequence
from pathlib import Path

from firstfault.tools.recording.errors import PathMissingError, SeveralCasesError
from firstfault.tools.recording.listed import listed_recording
from firstfault.tools.recording.manifest import MANIFEST_NAME
from firstfault.tools.recording.overrides import Override
from firstfault.tools.recording.source import Recording
from firstfault.tools.recording.unlisted import unlisted_recording


def open_recording(path: Path, *, overrides: Sequence[Override] = ()) -> Recording:
    """Return what was recorded at `path`.

    Raises RecordingError with one line that names the remedy when there is nothing to read.
    """
    if not path.exists():
        msg = f"`{path}` does not exist; give the path of a folder, an archive or a file"
        raise PathMissingError(msg)
    root = path.parent if path.name == MANIFEST_NAME else path
    if root.is_dir():
        if (root / MANIFEST_NAME).is_file():
            return listed_recording(root, overrides=overrides)
        cases = sorted(child.name for child in root.iterdir() if (child / MANIFEST_NAME).is_file())
        if cases:
            msg = f"`{path}` holds {len(cases)} cases; give one of them, such as `{root / cases[0]}`"
            raise SeveralCasesError(msg)
    return unlisted_recording(root, overrides=overrides)
