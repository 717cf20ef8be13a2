"""Writes down every format that is recognised: the page `docs/formats.md` is this module's output."""

import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from firstfault.tools.generated import settle
from firstfault.tools.kinds import Kind
from firstfault.tools.recording.absences import WOULD_TELL
from firstfault.tools.recording.limits import DEFAULT_LIMITS
from firstfault.tools.recording.sniffing.formats import Format, Strength, formats
from firstfault.tools.recording.sniffing.places import CONVENTIONS
from firstfault.tools.stamps.dialects import EXAMPLES

_HEAD = """# Formats

Generated from `tools/recording/sniffing/formats.csv`; do not edit. `python -m firstfault.tools.recording.sniffing.reference`
writes it again.

Give `firstfault investigate` a folder, an archive or one file. With a `case.yaml` its kinds are taken; where the content
is of another shape than the kind says, the content is read and the kind is shown. Without one, kinds are recognised:

1. a place where a support tool keeps such files (must-gather, support bundle, `kubectl cluster-info dump`, sosreport,
   nvidia-bug-report, the kubelet's log folders);
2. the shape of a JSON value;
3. signs: lines that only one tool prints; most such lines win, and when single lines speak for another kind too, that is
   a gap in the report;
4. lines that look alike in several kinds: at least half of them must look so;
5. sentences of people: notes, timelines, lists of changes;
6. the name of the file;
7. nothing: the file is `plain`. Its lines are searched, nothing is ruled out by it.

A pasted terminal session (prompts with commands, and what they printed) is cut at its prompts: every output is read as
what its command prints, and cited by the lines of the file.

In a folder, what tools keep is left and named as a gap: environments and packages of Python, `node_modules`, caches that are
tagged as such (`target`), histories (`.git`). So are the texts of programs in and under a folder with `pyproject.toml`,
`package.json`, `go.mod` and the like; the logs there are read. Each is told by its marks (`tool_folders.csv`,
`project_files.csv`), and read when the folder or the file itself is given. Links to folders are not followed.

Say what a file is with `--as KIND:node=NAME FILE`; other keys are `pod`, `namespace`, `container`, `rank`, `job`, `gpu` …
"""


def page() -> str:
    """Return the page, the same for the same tables."""
    return "\n".join([_HEAD, *_kinds(), *_places(), *_times(), *_archives()]) + "\n"


def _kinds() -> Iterator[str]:
    for kind, listed in groupby(formats(), key=lambda held: held.kind):
        yield f"## {kind}\n"
        yield f"Tells {WOULD_TELL[kind]}.\n" if kind is not Kind.PLAIN else "What is left.\n"
        yield "| format | yields | recognised by | example |"
        yield "|---|---|---|---|"
        yield from (_row(held) for held in listed)
        yield ""


def _row(held: Format) -> str:
    how = {
        Strength.SIGN: "one line",
        Strength.LINE: "most lines",
        Strength.JSON: "the shape of its JSON",
        Strength.PROSE: "sentences",
        Strength.NONE: "nothing",
    }[held.strength]
    pattern = f": {_code(held.pattern.pattern)}" if held.strength in {Strength.SIGN, Strength.LINE} else ""
    return f"| {held.name} | {held.yields} | {how}{pattern} | {_code(held.example)} |"


def _code(text: str) -> str:
    """Return `text` as code inside a table: bars are escaped, and ticks do not end it."""
    fence = "``" if "`" in text else "`"
    return fence + text.replace("\t", " ").replace("|", "\\|").replace("\n", " ") + fence


def _places() -> Iterator[str]:
    yield "## Places\n"
    yield "| path | kind | because |"
    yield "|---|---|---|"
    for pattern, kind, reason in CONVENTIONS:
        yield f"| {_code(pattern)} | {kind} | {reason} |"
    yield ""


def _times() -> Iterator[str]:
    yield "## Times\n"
    yield "A time without a zone is read in the zone of the incident (containers: UTC), one without a year near the opening"
    yield "of the incident; the report says what was assumed. An uptime stays one until a line shows both clocks.\n"
    yield "| form | example |"
    yield "|---|---|"
    for name, example in EXAMPLES:
        yield f"| {name} | {_code(example)} |"
    yield ""


def _archives() -> Iterator[str]:
    limits = DEFAULT_LIMITS
    yield "## Archives\n"
    one_gib, all_gib = limits.max_member_bytes >> 30, limits.max_total_bytes >> 30
    yield "zip, tar, gzip, xz, bzip2 and zstd, told by their first bytes, and archives inside them one level deep. Paths that"
    yield "lead out, links and devices are left and named. A pickle of plain values is shown as JSON; nothing in it is run."
    yield f"At most {limits.max_files} files, {one_gib} GiB in one, {all_gib} GiB in all, and"
    yield f"{limits.max_ratio:.0f} times the packed size once {limits.ratio_from_bytes >> 20} MiB are unpacked."


def main(arguments: Sequence[str]) -> int:
    """Write `docs/formats.md`, or with `--check` return 1 when it is not what the tables say."""
    file = Path(__file__).resolve().parents[3] / "docs" / "formats.md"
    return settle({file: page()}, arguments, "firstfault.tools.recording.sniffing.reference")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
