"""Files that are made from tables, models and definitions, and committed: written again, or only compared."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path


def settle(
    wanted: Mapping[Path, str], arguments: Sequence[str], module: str, *, there: Iterable[Path] = ()
) -> int:
    """Return 0 once every file is as wanted; with `--check` nothing is written, and 1 says that one is not.

    module: what to run to have them written. there: files of which those that are not wanted must go.
    """
    over = sorted(set(there) - wanted.keys())
    stale = [file for file, text in wanted.items() if not _is(file, text)]
    if "--check" not in arguments:
        for file in stale:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(wanted[file], encoding="utf-8")
        for file in over:
            file.unlink()
        return 0
    for file in (*stale, *over):
        sys.stderr.write(f"`{file}` is out of date: run `python -m {module}`\n")
    return 1 if stale or over else 0


def _is(file: Path, text: str) -> bool:
    return file.is_file() and file.read_text(encoding="utf-8") == text
