"""`firstfault policy`: rules checked, explained, tried, compared; nothing is ever executed."""

import json
from pathlib import Path

import pytest

from firstfault.agent.store import Store
from firstfault.agent.store.decisions import DecisionRecord, Origin, decision_record
from firstfault.policies import Action, History, Mode, decide
from firstfault.policies.engine import inputs_of
from tests.cli.conftest import Run
from tests.policies.worlds import NOW, facts, limits, policies, proposal

SITE_ASKS = """
@id("site.no_h100") @reason("h100 is not touched: {facts.pool}") @source("runbook 7")
forbid (principal, action in Action::"node_scoped", resource)
when { context.facts has pool && context.facts.pool == "h100" };
"""
TABLE = """
- name: a freeze stops a drain
  action: drain_node
  facts: {freeze_active: true}
  approvers: 1
  expect: DENY
  because: [control.freeze]
- name: a known fault is cordoned without asking in auto mode
  action: cordon_node
  mode: auto
  expect: ALLOW
- name: a person may reboot for the third time
  action: node_reboot
  asked_by: ada
  past: [{action: node_reboot, hours_ago: 30}, {action: node_reboot, hours_ago: 50}]
  expect: NEEDS_APPROVAL
"""


def kept(store: Store, action: Action = Action.CORDON_NODE) -> DecisionRecord:
    asked, known, history = proposal(action), facts(Mode.SHADOW), History.of([], [])
    word = decide(asked, known, history, limits(), policies())
    inputs = inputs_of(asked, known, history, limits(), policies())
    record = decision_record(inputs, word, correlation_id="c-1", made_at=NOW, origin=Origin.RECORDING)
    return store.decisions.put(record)


def site(folder: Path, text: str = SITE_ASKS) -> str:
    (folder / "site").mkdir(exist_ok=True)
    (folder / "site" / "own.cedar").write_text(text)
    return str(folder / "site")


def test_lint_counts_what_holds(run: Run, tmp_path: Path) -> None:
    assert run("policy", "lint").stdout.startswith("sound: 64 policies (0 of this site)")
    assert "(1 of this site)" in run("policy", "lint", "--site", site(tmp_path)).stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('@id("site.x") @reason("x") permit (principal, action, resource);', "may only forbid"),
        ("forbid (", "is not Cedar"),
    ],
)
def test_lint_refuses_with_one_line(run: Run, tmp_path: Path, text: str, said: str) -> None:
    done = run("policy", "lint", "--site", site(tmp_path, text))

    assert done.exit_code == 2
    assert done.stdout == ""
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_loosened_hard_limit_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRSTFAULT_LIMITS__REBOOTS_MAX_7D", "9")

    done = run("policy", "lint")

    assert done.exit_code == 2
    assert "limit `reboots_max_7d` is hard" in done.stderr


def test_a_tightened_limit_is_taken_and_shown(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRSTFAULT_LIMITS__REBOOTS_MAX_7D", "1")

    assert "reboots_max_7d = 1 by the environment" in run("policy", "lint").stdout


def test_explain_shows_every_policy_with_its_numbers(run: Run, store: Store) -> None:
    record = kept(store)

    told = json.loads(run("policy", "explain", record.id, "--json").stdout)

    rows = {row["id"]: row for row in told["policies"]}
    assert told["decision"] == "DENY"
    assert told["would_be"] == "NEEDS_APPROVAL"
    assert rows["mode.shadow"]["fired"]
    assert not rows["blast.cluster_share"]["fired"]
    assert "cluster_unavailable_max_percent = 10" in rows["blast.cluster_share"]["looked_at"]
    assert "pdb.no_room" not in rows
    assert "fired" in run("policy", "explain", record.id).stdout


def test_explain_takes_a_row_of_facts(run: Run, tmp_path: Path) -> None:
    row = tmp_path / "facts.yaml"
    row.write_text("facts: {shared_cause: true, shared_cause_by: 'switch leaf0: 3 of 16'}\n")

    told = json.loads(run("policy", "explain", row, "--action", "drain_node", "--json").stdout)

    assert "blast.shared_cause" in told["determining"]
    assert "switch leaf0: 3 of 16" in told["reasons"][0]


@pytest.mark.parametrize(
    "content", ["[", "- 1", "", '{"schema": "firstfault.report/v1"}', "facts: {nonsense: 1}"]
)
def test_what_cannot_be_explained_is_refused_with_one_line(run: Run, tmp_path: Path, content: str) -> None:
    file = tmp_path / "question.yaml"
    file.write_text(content)

    done = run("policy", "explain", file, "--action", "drain_node")

    assert done.exit_code == 2
    assert len(done.stderr.strip().splitlines()) == 1


def test_tables_that_a_site_writes_are_run(run: Run, tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "own.yaml").write_text(TABLE)

    assert run("policy", "test", tmp_path / "tables").stdout == "3 of 3 rows are as expected\n"
    failed = run("policy", "test", tmp_path / "tables", "--site", site(tmp_path))
    assert failed.exit_code == 1
    assert "expected ALLOW, is DENY by site.no_h100" in failed.stdout


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("- {name: x, action: delete_everything, expect: ALLOW}", "row 0.action"),
        ("- {name: x, action: drain_node, expect: MAYBE}", "row 0.expect"),
        ("- {name: x, action: drain_node, expect: DENY, facts: {pbd: 1}}", "the fact `pbd`"),
        ("- {name: x, action: drain_node, expect: DENY, surprise: 1}", "row 0.surprise"),
        ("{", "cannot be read"),
    ],
)
def test_a_table_that_cannot_be_read_names_file_and_row(
    run: Run, tmp_path: Path, content: str, said: str
) -> None:
    (tmp_path / "own.yaml").write_text(content)

    done = run("policy", "test", tmp_path)

    assert done.exit_code == 2
    assert said in done.stderr
    assert "own.yaml" in done.stderr


def test_diff_names_the_decisions_that_would_change(run: Run, store: Store, tmp_path: Path) -> None:
    record = kept(store)
    kept(store, Action.RESTART_POD)

    told = json.loads(run("policy", "diff", "-", site(tmp_path), "--json").stdout)

    assert told["decisions"] == 2
    assert [(row["id"], row["by"]) for row in told["changed"]] == [(record.id, ["site.no_h100"])]
    assert "1 of 2 decisions would change" in run("policy", "diff", "-", site(tmp_path)).stdout
    assert "0 of 2 decisions would change" in run("policy", "diff", "-", "-").stdout


def test_modes_are_a_matrix_of_what_a_class_can_justify(run: Run) -> None:
    told = json.loads(run("policy", "modes", "--class", "gpu.fell_off_bus", "--json").stdout)["modes"]

    assert told["gpu.fell_off_bus"]["cordon_node"] == "shadow"
    assert told["gpu.fell_off_bus"]["gpu_reset"] is None
    assert run("policy", "modes", "--class", "no.such").exit_code == 2


def test_decisions_are_listed(run: Run, store: Store) -> None:
    record = kept(store)

    (row,) = json.loads(run("policy", "decisions", "--json").stdout)

    assert row["id"] == record.id
    assert row["would_be"] == "NEEDS_APPROVAL"
    assert record.id in run("policy", "decisions", "inc-1").stdout
