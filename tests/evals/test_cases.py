"""Finding cases and reading their raw lines."""

from pathlib import Path

import pytest

from firstfault.evals.cases import CasesError, find_cases
from tests.evals.samples import write_case


def test_cases_are_found_in_order_and_unscored_folders_left_out(tmp_path: Path) -> None:
    write_case(tmp_path / "b")
    write_case(tmp_path / "nested" / "a")
    write_case(tmp_path / "c").joinpath("truth.yaml").unlink()
    assert [case.id for case in find_cases(tmp_path)] == ["a", "b"]


def test_a_case_folder_itself_is_one_case(tmp_path: Path) -> None:
    assert [case.id for case in find_cases(write_case(tmp_path / "a"))] == ["a"]


def test_two_cases_of_one_name_are_refused(tmp_path: Path) -> None:
    write_case(tmp_path / "x" / "a")
    write_case(tmp_path / "y" / "a")
    with pytest.raises(CasesError, match="two cases are called `a`"):
        find_cases(tmp_path)


@pytest.mark.parametrize("name", ["", "missing"])
def test_a_folder_without_cases_names_what_is_missing(tmp_path: Path, name: str) -> None:
    with pytest.raises(CasesError, match=r"no case with|is not a folder"):
        find_cases(tmp_path / name)


def test_lines_are_split_at_lf_only_and_stay_inside_the_case(tmp_path: Path) -> None:
    case = find_cases(write_case(tmp_path / "a", {"raw/k.log": "one\rstill one\r\ntwo\x0cstill two\n"}))[0]
    assert case.lines("raw/k.log") == ["one\rstill one\r", "two\x0cstill two", ""]
    (tmp_path / "secret").write_text("x", encoding="utf-8")
    assert [case.lines(path) for path in ("../secret", "raw/none.log", "truth.yaml", "raw")] == [None] * 4
    assert case.raw_files == ("raw/k.log",)
