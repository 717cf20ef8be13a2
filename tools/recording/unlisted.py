"""Reads files without a manifest: kinds and subjects are recognised, with a reason for each."""

from collections.abc import Collection, Iterator, Sequence

from firstfault.tools.evidence import Document, Gap
from firstfault.tools.kinds import Kind
from firstfault.tools.recording.absences import WOULD_TELL
from firstfault.tools.recording.entries import Entry, Request
from firstfault.tools.recording.errors import NothingUsableError
from firstfault.tools.recording.files import Opener
from firstfault.tools.recording.hosts import with_hosts
from firstfault.tools.recording.manifest import Manifest
from firstfault.tools.recording.overrides import Override, unused_overrides
from firstfault.tools.recording.programs import named, program_texts
from firstfault.tools.recording.sniffing import sniff
from firstfault.tools.recording.source import Recording
from firstfault.tools.recording.trees import Tree

_MOST_NAMED = 10


def unlisted_recording(tree: Tree, opener: Opener, *, overrides: Sequence[Override] = ()) -> Recording:
    """Return what the files of `tree` hold.

    Raises NothingUsableError when none of them can be read.
    """
    name = f"recording:{tree.name}"
    held = tree.paths()
    unused_overrides(overrides, held)
    asked = [path for path in held if any(override.applies_to(path) for override in overrides)]
    programs = program_texts(held) - {*asked}
    requests = [_request(tree, path, name, overrides) for path in held if path not in programs]
    loaded = [item for items in opener.open_all(requests) for item in items]
    documents = with_hosts([item.document for item in loaded if item.document is not None])
    left = [*tree.left(), *_left(programs)]
    if not documents:
        reason = next((gap.why for item in loaded for gap in item.gaps), left[0] if left else "it is empty")
        remedy = "give logs, `kubectl` output or an archive of them"
        msg = f"`{tree.name}` holds no file that can be read as text ({reason}); {remedy}"
        raise NothingUsableError(msg)
    unread = (Gap(source=name, why=why, would_tell="whatever it holds") for why in left)
    return Recording(
        manifest=Manifest(id=tree.name),
        documents=documents,
        coverage=tuple(item.coverage for item in loaded),
        problems=(*(gap for item in loaded for gap in item.gaps), *_unrecognised(documents, name), *unread),
    )


def _unrecognised(documents: Sequence[Document], name: str) -> tuple[Gap, ...]:
    """Return one gap for all files that nothing was recognised in: their lines are still searched."""
    paths = [document.path for document in documents if document.kind is Kind.PLAIN]
    if not paths:
        return ()
    told = named(paths, most=_MOST_NAMED)
    why = f"not recognised, only their lines are searched: {told}; say what a file is with `--as KIND FILE`"
    return (Gap(source=name, why=why, would_tell=WOULD_TELL[Kind.PLAIN], kind=Kind.PLAIN),)


def _left(programs: Collection[str]) -> Iterator[str]:
    """Yield what was left because it is the text of a program, and how to have it read."""
    if programs:
        remedy = "say what a file is with `--as KIND FILE`, or give it alone, to have it read"
        yield f"the text of programs, not read: {named(sorted(programs))}; {remedy}"


def _request(tree: Tree, path: str, name: str, overrides: Sequence[Override]) -> Request:
    body, refusal = tree.body(path)
    said = next((override for override in overrides if override.applies_to(path)), None)
    entry = Entry(
        path=path,
        body=body or Opener.nothing,
        source=name,
        kind=Kind.PLAIN if said is None else said.kind,
        labels={} if said is None else said.labels,
    )
    return Request(entry=entry, recognise=sniff if said is None else None, refusal=refusal)
