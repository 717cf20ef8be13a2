"""Reads a folder, an archive or a file without a manifest: kinds and subjects are recognised."""

from collections.abc import Sequence
from pathlib import Path

from firstfault.tools.bodies import FileBody
from firstfault.tools.recording.errors import NothingUsableError
from firstfault.tools.recording.files import Entry, load
from firstfault.tools.recording.manifest import TRUTH_NAME, Manifest
from firstfault.tools.recording.overrides import Override
from firstfault.tools.recording.sniffing import sniff
from firstfault.tools.recording.source import Recording


def unlisted_recording(root: Path, *, overrides: Sequence[Override] = ()) -> Recording:
    """Return what the files under `root` hold.

    Raises NothingUsableError when none of them can be read.
    """
    name = f"recording:{root.name}"
    loaded = []
    files = [root] if root.is_file() else sorted(file for file in root.rglob("*") if file.is_file())
    for file in files:
        if file.name == TRUTH_NAME:
            continue
        path = file.name if file == root else file.relative_to(root).as_posix()
        body = FileBody(file)
        found = sniff(path, body)
        said = next((override for override in overrides if override.applies_to(path)), None)
        loaded.append(
            load(
                Entry(
                    path=path,
                    body=body,
                    source=name,
                    kind=said.kind if said else found.kind,
                    labels={**found.labels, **(said.labels if said else {})},
                )
            )
        )
    documents = tuple(item.document for item in loaded if item.document is not None)
    if not documents:
        msg = f"`{root}` holds no file that can be read as text; give logs, `kubectl` output or an archive of them"
        raise NothingUsableError(msg)
    return Recording(
        manifest=Manifest(id=root.name),
        documents=documents,
        coverage=tuple(item.coverage for item in loaded),
        problems=tuple(gap for item in loaded for gap in item.gaps),
    )
