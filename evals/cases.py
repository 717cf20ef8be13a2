"""Recorded incidents with a truth beside them: where they are and what their raw files hold.

A case is a folder with `case.yaml`, `raw/…` and `truth.yaml`; this module finds them and reads raw lines for the
scorer. It does not open the truth (`truth` does) and does not investigate (`runner` does).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from firstfault.evals.truth import TRUTH_FILE
from firstfault.tools.evidence import decode

CASE_FILE = "case.yaml"


class CasesError(Exception):
    """A folder that holds no scored cases; the message names the remedy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One recorded incident that can be scored."""

    id: str
    folder: Path

    def lines(self, path: str) -> Sequence[str] | None:
        """Return the decoded lines of a raw file (index 0 is line 1), or None when the case holds no such file.

        Lines end at LF only, as evidence counts them. A path that leaves the folder is no file of the case.
        """
        target = (self.folder / path).resolve()
        if (
            not target.is_relative_to(self.folder.resolve())
            or not target.is_file()
            or target.name == TRUTH_FILE
        ):
            return None
        return decode(target.read_bytes()).split("\n")

    @property
    def raw_files(self) -> tuple[str, ...]:
        """Return the paths of the raw files, sorted, as reports name them."""
        raw = self.folder / "raw"
        return tuple(sorted(str(path.relative_to(self.folder)) for path in raw.rglob("*") if path.is_file()))


def find_cases(folder: Path) -> tuple[Case, ...]:
    """Return the cases under `folder` (or `folder` itself when it is one), in order of their ids.

    Raises:
        CasesError: there are none, or two share an id.

    """
    if not folder.is_dir():
        msg = f"`{folder}` is not a folder; give a case or a folder of cases"
        raise CasesError(msg)
    found = [
        Case(id=path.parent.name, folder=path.parent)
        for path in sorted(folder.rglob(CASE_FILE))
        if (path.parent / TRUTH_FILE).is_file()
    ]
    if not found:
        msg = f"no case with `{CASE_FILE}` and `{TRUTH_FILE}` under `{folder}`"
        raise CasesError(msg)
    by_id: dict[str, Case] = {}
    for case in found:
        if case.id in by_id:
            msg = (
                f"two cases are called `{case.id}`: `{by_id[case.id].folder}` and `{case.folder}`; rename one"
            )
            raise CasesError(msg)
        by_id[case.id] = case
    return tuple(by_id[case_id] for case_id in sorted(by_id))
