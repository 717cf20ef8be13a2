"""`firstfault shadow` as users type it: import, backtest, label, score, promote, report."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from firstfault.agent.serve.work import Counters
from firstfault.agent.store import open_store
from firstfault.agent.version import agent_version
from firstfault.cli import main
from firstfault.cli.vigil import Vigil
from firstfault.evals.shadow.generator import ALWAYS_RIGHT, generate
from firstfault.evals.shadow.records import ShadowRecords
from firstfault.evals.shadow.rows import CellRow
from firstfault.evals.shadow.scorecard import ShadowScorecard, make_scorecard
from firstfault.evals.shares import wilson
from tests.evals.samples import write_case

CELL = "gpu.fell_off_bus:cordon_node"
VERSION = "0.0.0+test"
NOW = datetime(2026, 4, 1, tzinfo=UTC)


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "xdg"))
    monkeypatch.chdir(tmp_path)
    for module in ("shadow", "shadow_runs", "shadow_words"):
        monkeypatch.setattr(f"firstfault.cli.{module}.agent_version", lambda: VERSION)
    return tmp_path / "xdg" / "firstfault"


def run(*arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, ["shadow", *arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout, done.stderr


def kept_scorecard(
    state: Path, scored: int, *, harm: int = 0, successes: int | None = None
) -> ShadowScorecard:
    """Keep a scorecard with one cell, as a backtest of many incidents would have."""
    hits = scored if successes is None else successes
    row = CellRow(
        failure_class="gpu.fell_off_bus",
        action="cordon_node",
        scored=scored,
        successes=hits,
        unknown=0,
        stopped_by_gate=0,
        harm=("i1: it was wrong",) * harm,
        shared_cause=0,
        first_at=None,
        last_at=None,
        days=40.0,
        low=round(wilson(hits, scored)[0], 4),
    )
    card = make_scorecard([], score_offset_s=0).model_copy(update={"cells": (row,), "versions": (VERSION,)})
    state.mkdir(parents=True, exist_ok=True)
    with open_store(state) as store:
        ShadowRecords(store, str).keep_scorecard(card, "a test", NOW, by="test")
    return card


def promote(mode: str, by: str = "ann", why: str = "weeks of being right") -> tuple[int, str, str]:
    return run("promote", "--cell", CELL, "--to", mode, "--by", by, "--why", why)


def decided(path: Path) -> dict[str, object]:
    done = CliRunner().invoke(main, ["investigate", str(path), "--json"])
    assert done.exit_code == 0
    found: list[dict[str, Any]] = json.loads(done.stdout)["recommendations"]
    return next(part["policy"] for part in found if part["action"] == "cordon_node")


def test_a_backtest_prints_and_keeps_a_scorecard_and_goes_on_where_it_was(
    tmp_path: Path, state: Path
) -> None:
    (tmp_path / "h").mkdir()
    generate(tmp_path / "h", 3, 1, ALWAYS_RIGHT)
    code, out, err = run("backtest", "h", "--offsets", "0,15", "--workers", "1", "--json")
    assert code == 0
    card = json.loads(out)
    assert (card["incidents"], [row["offset_s"] for row in card["offsets"]]) == (3, [0, 900])
    journal = next((state / "backtests").glob("*/journal.jsonl"))
    assert len(journal.read_text(encoding="ascii").splitlines()) == 1 + 6
    assert (journal.parent / "scorecard.html").exists()
    assert str(journal.parent) in err
    before = journal.read_bytes()
    assert (
        json.loads(run("backtest", "h", "--offsets", "0,15", "--workers", "1", "--json")[1])["digest"]
        == card["digest"]
    )
    assert journal.read_bytes() == before


def test_cases_can_be_backtested_too(tmp_path: Path) -> None:
    write_case(tmp_path / "cases" / "lost-gpu")
    code, out, _ = run("backtest", "cases", "--workers", "1", "--json")
    assert code == 0
    assert json.loads(out)["offsets"][0]["right"] == {"hits": 1, "total": 1}


def test_a_killed_backtest_goes_on_and_scores_nothing_twice(tmp_path: Path, state: Path) -> None:
    (tmp_path / "h").mkdir()
    generate(tmp_path / "h", 7, 1)
    arguments = ("backtest", "h", "--offsets", "15", "--workers", "1")
    code = (
        f"import firstfault.cli.shadow_runs as r; r.agent_version = lambda: {VERSION!r}; "
        "from firstfault.cli import main; main()"
    )
    command = [sys.executable, "-c", code, "shadow", *arguments]
    process = subprocess.Popen(
        command, cwd=tmp_path, env=os.environ.copy(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    journal = None
    while process.poll() is None:
        journal = next((state / "backtests").glob("*/journal.jsonl"), None) if state.exists() else None
        if journal is not None and journal.read_bytes().count(b"\n") >= 3:
            break
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert journal is not None
    left = journal.read_bytes().count(b"\n") - 1
    assert 2 <= left < 7
    assert run(*arguments)[0] == 0
    names = [json.loads(line)["incident"] for line in journal.read_text(encoding="ascii").splitlines()[1:]]
    assert len(names) == len(set(names)) == 7


def test_a_cell_that_meets_the_numbers_is_promoted_and_the_gate_reads_it(tmp_path: Path, state: Path) -> None:
    kept_scorecard(state, 60)
    code, out, _ = promote("recommend")
    assert (code, "is in recommend mode now" in out) == (0, True)
    assert decided(write_case(tmp_path / "lost-gpu"))["mode"] == "recommend"


@pytest.mark.parametrize(
    ("scored", "harm", "mode", "by", "why", "part"),
    [
        (29, 0, "recommend", "ann", "x", "29 incidents with a known outcome, 30 are needed"),
        (60, 1, "recommend", "ann", "x", "1 harmful recommendations, 0 are allowed"),
        (49, 0, "approve", "ann", "x", "49 incidents with a known outcome, 50 are needed"),
        (200, 0, "auto", "ann", "x", "proved themselves in approve mode"),
        (60, 0, "recommend", "firstfault", "x", "a person has to sign"),
        (60, 0, "recommend", "ann", " ", "a reason is needed"),
    ],
)
def test_below_the_numbers_or_without_a_person_nothing_moves(
    tmp_path: Path, state: Path, scored: int, harm: int, mode: str, by: str, why: str, part: str
) -> None:
    kept_scorecard(state, scored, harm=harm)
    code, out, err = promote(mode, by, why)
    assert (code, out) == (2, "")
    assert part in err
    assert decided(write_case(tmp_path / "lost-gpu"))["mode"] == "shadow"


def test_without_a_scorecard_nothing_goes_up() -> None:
    assert "no such kept scorecard" in promote("recommend")[2]


def test_a_scorecard_of_another_version_proves_nothing(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept_scorecard(state, 60)
    monkeypatch.setattr("firstfault.cli.shadow.agent_version", lambda: "9.9.9+new")
    assert "this is 9.9.9+new: score again" in promote("recommend")[2]


def test_an_edited_ledger_puts_the_cell_in_shadow_with_the_reason(tmp_path: Path, state: Path) -> None:
    kept_scorecard(state, 60)
    assert promote("recommend")[0] == 0
    with closing(sqlite3.connect(state / "firstfault.sqlite")) as database, database:
        for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            database.execute(f"DROP TRIGGER {name}")
        database.execute("UPDATE audit_events SET payload = replace(payload, '\"recommend\"', '\"auto\"')")
    policy = decided(write_case(tmp_path / "lost-gpu"))
    assert policy["mode"] == "shadow"
    assert "mode.ledger_broken" in str(policy["determining"])
    assert "was changed after it was written" in str(policy["reasons"])
    code, _, err = promote("approve")
    assert (code, "nothing may be moved" in err) == (2, True)


def test_a_cell_goes_back_by_itself_when_live_incidents_say_so(tmp_path: Path, state: Path) -> None:
    kept_scorecard(state, 60)
    assert promote("recommend")[0] == 0
    write_case(tmp_path / "lost-gpu")
    assert CliRunner().invoke(main, ["investigate", "lost-gpu"]).exit_code == 0
    assert run("label", "lost-gpu", "--false-alarm", "--by", "bob")[0] == 0
    code, _, err = run("score", "--json")
    assert code == 0
    assert f"{CELL} went back to shadow mode: 1 harmful recommendations, 0 are allowed" in err
    assert decided(tmp_path / "lost-gpu")["mode"] == "shadow"


def test_labels_settle_or_show_that_people_disagree(tmp_path: Path) -> None:
    write_case(tmp_path / "lost-gpu")
    assert CliRunner().invoke(main, ["investigate", "lost-gpu"]).exit_code == 0
    assert json.loads(run("score", "--json")[1])["unknown"] == ["lost-gpu"]
    run("label", "lost-gpu", "--class", "gpu.fell_off_bus", "--by", "ann")
    assert json.loads(run("score", "--json")[1])["offsets"][0]["right"] == {"hits": 1, "total": 1}
    run("label", "lost-gpu", "--class", "host.pcie_link", "--by", "bob")
    disputed = json.loads(run("score", "--json")[1])
    assert disputed["offsets"][0]["right"] == {"hits": 0, "total": 0}
    assert disputed["conflicts"] == [
        "lost-gpu: people disagree on failure_class (ann: gpu.fell_off_bus, bob: host.pcie_link)"
    ]


def test_an_import_asks_for_what_is_unknown_and_adds_nothing_twice(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("id,alert_at\ni1,2026-03-01T08:00:00Z\n", encoding="utf-8")
    code, out, _ = run("import", "h.csv")
    assert code == 0
    assert "1 of 1 incidents are new" in out
    assert "i1: please tell cause, actions" in out
    assert "0 of 1 incidents are new" in run("import", "h.csv")[1]
    (tmp_path / "bad.csv").write_text("id,colour\n", encoding="utf-8")
    assert run("import", "bad.csv")[2].startswith("firstfault: `bad.csv`: unknown column `colour`")


def test_imported_incidents_can_be_backtested_by_time(tmp_path: Path) -> None:
    write_case(tmp_path / "rec")
    row = "i1,2026-03-01T08:00:00Z,rec,gpu.fell_off_bus"
    (tmp_path / "h.csv").write_text(f"id,alert_at,recording,failure_class\n{row}\n", encoding="utf-8")
    assert run("import", "h.csv")[0] == 0
    code, out, _ = run(
        "backtest",
        "--from",
        "2026-02-01",
        "--to",
        "2026-04-01",
        "--offsets",
        "15",
        "--workers",
        "1",
        "--json",
    )
    assert code == 0
    assert json.loads(out)["offsets"][0]["right"] == {"hits": 1, "total": 1}
    assert "there are no incidents in this time" in run("backtest", "--from", "2027-01-01")[2]
    assert "give a folder" in run("backtest")[2]


@pytest.mark.parametrize("form", ["markdown", "slack", "json"])
def test_the_weekly_report_has_three_forms_and_a_page(tmp_path: Path, form: str) -> None:
    write_case(tmp_path / "lost-gpu")
    assert CliRunner().invoke(main, ["investigate", "lost-gpu"]).exit_code == 0
    code, out, _ = run("report", "--format", form, "--html", "week.html")
    assert code == 0
    assert "1 incident over 1 day" in out or json.loads(out)["incidents"] == 1
    assert "Shadow scorecard" in (tmp_path / "week.html").read_text(encoding="utf-8")


def test_a_post_mortem_is_drafted_with_who_what_when_why(tmp_path: Path) -> None:
    write_case(tmp_path / "lost-gpu")
    assert CliRunner().invoke(main, ["investigate", "lost-gpu"]).exit_code == 0
    run(
        "label", "lost-gpu", "--resolution", "rebooted, riser reseated", "--by", "ann", "--source", "ticket 7"
    )
    code, out, _ = run("report", "--incident", "lost-gpu", "--html", "pm.html")
    assert code == 0
    assert "# Draft post-mortem: lost-gpu" in out
    assert "Resolution: rebooted, riser reseated" in out
    assert "| ann | resolution | rebooted, riser reseated |" in out
    assert "to be written by people" in out
    assert "raw/kernel.log:3" in (tmp_path / "pm.html").read_text(encoding="utf-8")
    assert "there is no report of `nope`" in run("report", "--incident", "nope")[2]


def test_a_newcomer_is_told_what_to_do() -> None:
    assert "nothing was scored" in run("score")[1]
    assert "nothing was scored" in run("report")[1]
    assert "write `2026-W07`" in run("report", "--week", "last")[2]
    assert (
        "did you mean `gpu.fell_off_bus`?"
        in run("label", "x", "--class", "gpu.fell_of_bus", "--by", "ann")[2]
    )
    code, _, err = run("label", "x", "--class", "gpu.fell_off_bus", "--by", "ann")
    assert (code, "the label waits for it" in err) == (0, True)


def test_nothing_scored_is_no_scorecard_that_hides_an_earlier_one(state: Path) -> None:
    kept_scorecard(state, 60)
    assert run("score")[0] == 0
    assert promote("recommend")[0] == 0


def test_a_report_says_which_version_made_it_and_its_score_goes_by_that(tmp_path: Path) -> None:
    write_case(tmp_path / "lost-gpu")
    made = CliRunner().invoke(main, ["investigate", "lost-gpu", "--json"])
    version = json.loads(made.stdout)["agent_version"]
    assert version == agent_version()
    run("label", "lost-gpu", "--class", "gpu.fell_off_bus", "--by", "ann")
    assert json.loads(run("score", "--json")[1])["versions"] == [version]


def test_while_alerts_are_served_a_cell_goes_back_without_anybody_asking(tmp_path: Path, state: Path) -> None:
    kept_scorecard(state, 60)
    write_case(tmp_path / "lost-gpu")
    said: list[str] = []
    counters = Counters()
    with open_store(state) as store:
        vigil = Vigil(store=store, state=state, clock=lambda: NOW, counters=counters, said=said.append)
        vigil.take()
        assert counters.counts["scorings"] == 0

        assert promote("recommend")[0] == 0
        assert CliRunner().invoke(main, ["investigate", "lost-gpu"]).exit_code == 0
        vigil.take()
        assert (counters.counts["scorings"], said) == (1, [])

        assert run("label", "lost-gpu", "--false-alarm", "--by", "bob")[0] == 0
        vigil.take()
    (line,) = said
    assert line.startswith(f"{CELL} went back to shadow mode: 1 harmful recommendations, 0 are allowed")
    assert decided(tmp_path / "lost-gpu")["mode"] == "shadow"


def test_a_ledger_that_was_edited_is_told_and_no_more(state: Path) -> None:
    kept_scorecard(state, 60)
    assert promote("recommend")[0] == 0
    with closing(sqlite3.connect(state / "firstfault.sqlite")) as database, database:
        for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            database.execute(f"DROP TRIGGER {name}")
        database.execute("UPDATE audit_events SET payload = replace(payload, '\"recommend\"', '\"auto\"')")
    said: list[str] = []
    with open_store(state) as store:
        Vigil(store=store, state=state, clock=lambda: NOW, counters=Counters(), said=said.append).take()
    assert len(said) == 1
    assert "cells could not be scored" in said[0]
