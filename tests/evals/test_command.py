"""`firstfault evals` as users type it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from firstfault.cli import main
from tests.evals.samples import write_case


def run(*arguments: str) -> tuple[int, str, str]:
    """Return exit code, standard output and standard error of one call."""
    done = CliRunner().invoke(main, arguments)
    return done.exit_code, done.stdout, done.stderr


def test_a_run_scores_every_case_and_writes_the_page(tmp_path: Path) -> None:
    write_case(tmp_path / "cases" / "lost-gpu")
    page = tmp_path / "scorecard.md"
    code, out, _ = run("evals", "run", str(tmp_path / "cases"), "--scorecard", str(page))
    assert code == 0
    assert "false CONFIRMED 0   harm 0   missing 0" in out
    assert "1/1 100 %" in page.read_text(encoding="utf-8")


def test_json_is_one_document_and_no_page_is_written_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_case(tmp_path / "cases" / "lost-gpu")
    (tmp_path / "docs").mkdir()
    monkeypatch.chdir(tmp_path)
    code, out, _ = run("evals", "run", "cases", "--json")
    document = json.loads(out)
    assert code == 0
    assert document["schema"] == "firstfault.scorecard/v1"
    assert [case["marks"]["right"] for case in document["cases"]] == [True]
    assert not (tmp_path / "docs" / "scorecard.md").exists()


def test_the_users_own_store_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    write_case(tmp_path / "cases" / "lost-gpu")
    assert run("evals", "run", str(tmp_path / "cases"))[0] == 0
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize("command", ["run", "rules"])
def test_a_folder_without_cases_is_one_line_and_exit_2(tmp_path: Path, command: str) -> None:
    code, out, err = run("evals", command, str(tmp_path))
    assert (code, out) == (2, "")
    assert err.startswith("firstfault: no case with")
    assert len(err.splitlines()) == 1


def test_rules_are_listed_as_json(tmp_path: Path) -> None:
    write_case(tmp_path / "cases" / "lost-gpu")
    code, out, _ = run("evals", "rules", str(tmp_path / "cases"), "--json")
    rules = {(rule["kind"], rule["id"]): rule["cases"] for rule in json.loads(out)["rules"]}
    assert code == 0
    assert rules["signal", "xid.*"] == ["lost-gpu"]
