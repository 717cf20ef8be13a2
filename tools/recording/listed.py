"""Reads a folder with a `case.yaml`: the manifest says what is there, the files are read as listed."""

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from firstfault.tools.bodies import FileBody
from firstfault.tools.evidence import Coverage, CoverageState, Gap
from firstfault.tools.kinds import Kind
from firstfault.tools.recording.absences import WOULD_TELL, absence
from firstfault.tools.recording.errors import NothingUsableError
from firstfault.tools.recording.files import Entry, Loaded, load
from firstfault.tools.recording.manifest import MANIFEST_NAME, TRUTH_NAME, Manifest, ManifestSource, read_manifest
from firstfault.tools.recording.overrides import Override
from firstfault.tools.recording.sniffing import sniff
from firstfault.tools.recording.source import Recording
from firstfault.tools.recording.subjects import SUBJECT_KEYS


def listed_recording(root: Path, *, overrides: Sequence[Override] = ()) -> Recording:
    """Return the recording that `root/case.yaml` describes.

    Raises ManifestBrokenError, and NothingUsableError when none of the listed files can be read.
    """
    manifest = read_manifest(root / MANIFEST_NAME)
    name = f"recording:{manifest.id}"
    loaded = [_load(root, listed, name, overrides) for listed in manifest.sources]
    documents = tuple(item.document for item in loaded if item.document is not None)
    if not documents:
        msg = f"`{root}` holds no file that can be read; check `sources` in `{MANIFEST_NAME}`"
        raise NothingUsableError(msg)
    absent = [absence(text, name) for text in manifest.not_collected]
    return Recording(
        manifest=manifest,
        documents=documents,
        coverage=(*(item.coverage for item in loaded), *(coverage for _, coverage in absent)),
        problems=(
            *_unknown_keys(manifest, name),
            *(gap for item in loaded for gap in item.gaps),
            *_unlisted_files(root, manifest, name),
            *(gap for gap, _ in absent),
        ),
    )


def _load(root: Path, listed: ManifestSource, name: str, overrides: Sequence[Override]) -> Loaded:
    kind, gaps = _kind(listed, name)
    file, refusal = _inside(root, listed.path)
    if file is None:
        gap = Gap(source=name, why=refusal, would_tell=WOULD_TELL[kind], kind=kind)
        coverage = Coverage(source=name, kind=kind, state=CoverageState.UNAVAILABLE, path=listed.path, note=refusal)
        return Loaded(coverage=coverage, gaps=(*gaps, gap))
    said = next((override for override in overrides if override.applies_to(listed.path)), None)
    labels = {key: str(value) for key, value in listed.extras.items() if key in SUBJECT_KEYS and value is not None}
    body = FileBody(file)
    if said is None and kind is Kind.PLAIN:
        kind = sniff(listed.path, body).kind
    entry = Entry(
        path=listed.path,
        body=body,
        source=name,
        kind=kind if said is None else said.kind,
        labels=labels if said is None else {**labels, **said.labels},
        complete=listed.complete,
        note=listed.note,
    )
    loaded = load(entry)
    return Loaded(coverage=loaded.coverage, document=loaded.document, gaps=(*gaps, *loaded.gaps))


def _kind(listed: ManifestSource, name: str) -> tuple[Kind, tuple[Gap, ...]]:
    word = (listed.kind or "").strip().lower()
    if word in set(Kind):
        return Kind(word), ()
    if not word:
        return Kind.PLAIN, ()
    why = f"`{MANIFEST_NAME}` gives `{listed.path}` the unknown kind `{listed.kind}`; it was read by its content"
    return Kind.PLAIN, (Gap(source=name, why=why, would_tell="nothing, if the content was recognised"),)


def _inside(root: Path, path: str) -> tuple[Path | None, str]:
    """Return the file, or None and why it may not or cannot be read: nothing outside the case is opened."""
    parts = PurePosixPath(path.replace("\\", "/"))
    if parts.is_absolute() or ".." in parts.parts or "\x00" in path:
        return None, f"`{path}` lies outside the case and was not read"
    if parts.name == TRUTH_NAME:
        return None, f"`{MANIFEST_NAME}` lists a file that is for the scorer only; it was not read"
    file = root.joinpath(*parts.parts)
    try:
        if not file.resolve().is_relative_to(root.resolve()):
            return None, f"`{path}` is a link out of the case and was not read"
        if not file.is_file():
            return None, f"`{path}` is listed but missing"
    except OSError as error:
        return None, f"`{path}` cannot be read: {(error.strerror or 'unknown error').lower()}"
    return file, ""


def _unknown_keys(manifest: Manifest, name: str) -> tuple[Gap, ...]:
    unknown = [f"`{key}`" for key in manifest.extras]
    for listed in manifest.sources:
        unknown += [f"`{key}` of `{listed.path}`" for key in listed.extras if key not in SUBJECT_KEYS]
    if not unknown:
        return ()
    why = f"`{MANIFEST_NAME}` has keys that are not understood: {', '.join(unknown[:10])}"
    return (Gap(source=name, why=why, would_tell="what the author wanted to say with them"),)


def _unlisted_files(root: Path, manifest: Manifest, name: str) -> tuple[Gap, ...]:
    listed = {PurePosixPath(source.path).as_posix() for source in manifest.sources}
    folder = root / "raw"
    if not folder.is_dir():
        return ()
    present = sorted(file.relative_to(root).as_posix() for file in folder.rglob("*") if file.is_file())
    extra = [path for path in present if path not in listed and PurePosixPath(path).name != TRUTH_NAME]
    if not extra:
        return ()
    why = f"not listed in `{MANIFEST_NAME}` and not read: {', '.join(f'`{path}`' for path in extra[:10])}"
    return (Gap(source=name, why=why, would_tell="whatever the files hold; list them to have them read"),)
