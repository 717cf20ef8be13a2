"""Reads a recording with a `case.yaml`: the manifest says what is there, the files are read as listed."""

from collections.abc import Sequence
from pathlib import PurePosixPath

from firstfault.tools.evidence import Body, Gap
from firstfault.tools.kinds import Kind
from firstfault.tools.recording.absences import absence
from firstfault.tools.recording.entries import Entry, Request
from firstfault.tools.recording.errors import NothingUsableError
from firstfault.tools.recording.files import Opener
from firstfault.tools.recording.hosts import with_hosts
from firstfault.tools.recording.manifest import MANIFEST_NAME, Manifest, ManifestSource, read_manifest
from firstfault.tools.recording.overrides import Override, unused_overrides
from firstfault.tools.recording.sniffing import Sniff, sniff
from firstfault.tools.recording.source import Recording
from firstfault.tools.recording.subjects import SUBJECT_KEYS
from firstfault.tools.recording.trees import Tree


def listed_recording(tree: Tree, opener: Opener, *, overrides: Sequence[Override] = ()) -> Recording:
    """Return the recording that `case.yaml` of `tree` describes.

    Raises ManifestBrokenError, and NothingUsableError when none of the listed files can be read.
    """
    manifest = read_manifest(_manifest_body(tree), tree.name)
    name = f"recording:{manifest.id}"
    unused_overrides(overrides, [listed.path for listed in manifest.sources])
    requests = [_request(tree, listed, name, overrides) for listed in manifest.sources]
    loaded = [item for items in opener.open_all(requests) for item in items]
    documents = with_hosts([item.document for item in loaded if item.document is not None])
    if not documents:
        msg = f"`{tree.name}` holds no file that can be read; check `sources` in its `{MANIFEST_NAME}`"
        raise NothingUsableError(msg)
    absent = [absence(text, name) for text in manifest.not_collected]
    return Recording(
        manifest=manifest,
        documents=documents,
        coverage=(*(item.coverage for item in loaded), *(coverage for _, coverage in absent)),
        problems=(
            *_unknown_keys(manifest, name),
            *_unknown_kinds(manifest, name),
            *(gap for item in loaded for gap in item.gaps),
            *_unlisted_files(tree, manifest, name),
            *(gap for gap, _ in absent),
        ),
    )


def _manifest_body(tree: Tree) -> Body:
    body, refused = tree.body(MANIFEST_NAME)
    if body is None:
        raise NothingUsableError(refused)
    return body


def _request(tree: Tree, listed: ManifestSource, name: str, overrides: Sequence[Override]) -> Request:
    body, refusal = tree.body(listed.path)
    said = next((override for override in overrides if override.applies_to(listed.path)), None)
    labels = {
        key: str(value) for key, value in listed.extras.items() if key in SUBJECT_KEYS and value is not None
    }
    kind = _kind(listed)
    entry = Entry(
        path=listed.path,
        body=body or Opener.nothing,
        source=name,
        kind=kind if said is None else said.kind,
        labels=labels if said is None else {**labels, **said.labels},
        complete=listed.complete,
        note=listed.note,
    )
    recognise = {Kind.PLAIN: sniff, Kind.OPERATOR_NOTES: _said_or_printed}.get(kind) if said is None else None
    return Request(entry=entry, recognise=recognise, refusal=refusal)


PRINTED = frozenset({Kind.HOST_TOOL, Kind.NVIDIA_SMI, Kind.IBSTAT, Kind.KERNEL_LOG})
"""What people paste among their notes that is no statement of theirs but output of a tool."""


def _said_or_printed(path: str, body: Body) -> Sniff:
    """Return what a file of notes is: a tool's output when nearly all of it is, else what people said."""
    found = sniff(path, body)
    if found.kind in PRINTED and found.is_mostly and not found.rivals:
        return found
    return Sniff(kind=Kind.OPERATOR_NOTES, reason="the manifest says so")


def _kind(listed: ManifestSource) -> Kind:
    word = (listed.kind or "").strip().lower()
    return Kind(word) if word in set(Kind) else Kind.PLAIN


def _unknown_kinds(manifest: Manifest, name: str) -> tuple[Gap, ...]:
    unknown = [
        listed for listed in manifest.sources if listed.kind and listed.kind.strip().lower() not in set(Kind)
    ]
    return tuple(
        Gap(
            source=name,
            why=f"`{MANIFEST_NAME}` gives `{listed.path}` the unknown kind `{listed.kind}`; it was read by its content",
            would_tell="nothing, if the content was recognised",
        )
        for listed in unknown
    )


def _unknown_keys(manifest: Manifest, name: str) -> tuple[Gap, ...]:
    unknown = [f"`{key}`" for key in manifest.extras]
    for listed in manifest.sources:
        unknown += [f"`{key}` of `{listed.path}`" for key in listed.extras if key not in SUBJECT_KEYS]
    if not unknown:
        return ()
    why = f"`{MANIFEST_NAME}` has keys that are not understood: {', '.join(unknown[:10])}"
    return (Gap(source=name, why=why, would_tell="what the author wanted to say with them"),)


def _unlisted_files(tree: Tree, manifest: Manifest, name: str) -> tuple[Gap, ...]:
    listed = {PurePosixPath(source.path).as_posix() for source in manifest.sources}
    extra = [path for path in tree.paths() if path.startswith("raw/") and path not in listed]
    if not extra:
        return ()
    why = f"not listed in `{MANIFEST_NAME}` and not read: {', '.join(f'`{path}`' for path in extra[:10])}"
    return (Gap(source=name, why=why, would_tell="whatever the files hold; list them to have them read"),)
