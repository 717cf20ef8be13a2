"""Reads a recording with a `case.yaml`: the manifest says what is there, the files are read as listed."""

from collections.abc import Sequence
from pathlib import PurePosixPath

from firstfault.tools.evidence import Body, Coverage, CoverageState, Gap
from firstfault.tools.kinds import Kind
from firstfault.tools.recording.absences import WOULD_TELL, absence
from firstfault.tools.recording.errors import NothingUsableError
from firstfault.tools.recording.files import Entry, Loaded, Opener
from firstfault.tools.recording.manifest import MANIFEST_NAME, Manifest, ManifestSource, read_manifest
from firstfault.tools.recording.overrides import Override, unused_overrides
from firstfault.tools.recording.sniffing import sniff
from firstfault.tools.recording.source import Recording
from firstfault.tools.recording.subjects import SUBJECT_KEYS
from firstfault.tools.recording.trees import Tree


def listed_recording(tree: Tree, opener: Opener, *, overrides: Sequence[Override] = ()) -> Recording:
    """Return the recording that `case.yaml` of `tree` describes.

    Raises ManifestBrokenError, and NothingUsableError when none of the listed files can be read.
    """
    manifest = read_manifest(_manifest_body(tree), tree.name)
    name = f"recording:{manifest.id}"
    loaded = [item for listed in manifest.sources for item in _load(tree, listed, name, opener, overrides)]
    unused_overrides(overrides, [listed.path for listed in manifest.sources])
    documents = tuple(item.document for item in loaded if item.document is not None)
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


def _load(
    tree: Tree, listed: ManifestSource, name: str, opener: Opener, overrides: Sequence[Override]
) -> list[Loaded]:
    kind, gaps = _kind(listed, name)
    body, refused = tree.body(listed.path)
    if body is None:
        gap = Gap(source=name, why=refused, would_tell=WOULD_TELL[kind], kind=kind)
        coverage = Coverage(
            source=name, kind=kind, state=CoverageState.UNAVAILABLE, path=listed.path, note=refused
        )
        return [Loaded(coverage=coverage, gaps=(*gaps, gap))]
    said = next((override for override in overrides if override.applies_to(listed.path)), None)
    labels = {
        key: str(value) for key, value in listed.extras.items() if key in SUBJECT_KEYS and value is not None
    }
    entry = Entry(
        path=listed.path,
        body=body,
        source=name,
        kind=kind if said is None else said.kind,
        labels=labels if said is None else {**labels, **said.labels},
        complete=listed.complete,
        note=listed.note,
    )
    recognise = sniff if said is None and kind is Kind.PLAIN else None
    loaded = opener.open(entry, recognise)
    loaded[0] = Loaded(
        coverage=loaded[0].coverage, document=loaded[0].document, gaps=(*gaps, *loaded[0].gaps)
    )
    return loaded


def _kind(listed: ManifestSource, name: str) -> tuple[Kind, tuple[Gap, ...]]:
    word = (listed.kind or "").strip().lower()
    if word in set(Kind):
        return Kind(word), ()
    if not word:
        return Kind.PLAIN, ()
    why = f"`{MANIFEST_NAME}` gives `{listed.path}` the unknown kind `{listed.kind}`; it was read by its content"
    return Kind.PLAIN, (Gap(source=name, why=why, would_tell="nothing, if the content was recognised"),)


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
