"""`firstfault doctor` against stand-ins on loopback."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from firstfault.agent.store import Store, open_store
from firstfault.evals.sim.kube_api import ADMIN_TOKEN, KubeApi
from firstfault.evals.sim.kube_requests import User
from firstfault.evals.sim.recorded_http import Failure, RecordedServer, Said
from firstfault.tools.kube.rights import NEEDED
from firstfault.tools.topology.machines import Machine
from tests.agent.store.samples import event
from tests.cli.conftest import Run
from tests.conformance.test_faults import one_silence
from tests.live import journal_answer, kubeconfig, metrics_answer, settings_toml
from tests.slackworld.slack import APP_TOKEN, BOT_TOKEN
from tests.slackworld.world import SlackWorld, wall_clock

READS = frozenset(access.name.partition(".")[0] for access in NEEDED)


def rows_of(run: Run) -> dict[str, list[tuple[str, str]]]:
    """Run the doctor and return its rows by part."""
    found: dict[str, list[tuple[str, str]]] = {}
    for row in json.loads(run("doctor", "--json").stdout):
        said = " ".join((row["said"], row["blind"], row["remedy"]))
        found.setdefault(row["part"], []).append((row["state"], said))
    return found


def test_nothing_configured_fails_and_says_what_to_set(run: Run) -> None:
    shown = run("doctor")
    assert shown.exit_code == 1
    assert "kubernetes.enabled" in shown.stdout
    assert shown.stdout.startswith("warn  kernel log")


def test_a_whole_site_is_well(run: Run, tmp_path: Path) -> None:
    with (
        KubeApi(users={"t": User(name="reader", may=READS)}) as api,
        RecordedServer(metrics_answer) as prometheus,
        RecordedServer(journal_answer) as loki,
    ):
        settings_toml(
            tmp_path, kube=kubeconfig(tmp_path, api.url, "t"), prometheus=prometheus.url, loki=loki.url
        )
        shown = run("doctor")
        rows = rows_of(run)
        assert api.writes == []
    assert shown.exit_code == 0, shown.output
    assert rows["kernel log"][0][0] == "ok"
    assert rows["kubernetes reads"][0][0] == "ok"
    assert rows["kubernetes writes"][0][0] == "ok"
    assert rows["prometheus retention"][0][1].startswith("15d (the default)")
    assert rows["loki retention"][0][1].startswith("744h")
    assert any("node-exporter" in said for state, said in rows["prometheus"] if state == "warn")
    assert rows["loki clock"][0][0] == "ok"
    assert run("doctor", "--strict").exit_code == 1


@pytest.mark.parametrize(
    ("may", "part", "named"),
    [
        (frozenset({"* *"}), "kubernetes writes", "get secrets"),
        (frozenset({"* *"}), "kubernetes writes", "create pods/exec"),
        (frozenset({"list nodes"}), "kubernetes reads", "list pods"),
    ],
)
def test_wrong_rights_fail(run: Run, tmp_path: Path, may: frozenset[str], part: str, named: str) -> None:
    with KubeApi(users={"t": User(name="u", may=may)}) as api:
        settings_toml(tmp_path, kube=kubeconfig(tmp_path, api.url, "t"))
        rows = rows_of(run)
    ((state, said),) = rows[part]
    assert state == "fail"
    assert named in said


@pytest.mark.parametrize("failure", [Failure.DROP, Failure.CUT, Failure.WRONG_TYPE])
def test_a_server_that_fails_is_one_row_with_a_reason(run: Run, tmp_path: Path, failure: Failure) -> None:
    with (
        RecordedServer(metrics_answer, failure=failure) as prometheus,
        RecordedServer(journal_answer, failure=failure) as loki,
    ):
        settings_toml(tmp_path, prometheus=prometheus.url, loki=loki.url)
        rows = rows_of(run)
    for part in ("prometheus", "loki"):
        ((state, said),) = rows[part]
        assert state == "fail"
        assert "answer" in said
        assert f"`{part}.url`" in said


def test_an_account_that_is_not_known_is_told(run: Run, tmp_path: Path) -> None:
    with KubeApi() as api:
        settings_toml(tmp_path, kube=kubeconfig(tmp_path, api.url, "stranger"))
        rows = rows_of(run)
    assert rows["kubernetes"][0][0] == "fail"
    assert "401" in rows["kubernetes"][0][1]


def test_lines_fit_the_terminal_and_go_on_below(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings_toml(tmp_path, loki="http://127.0.0.1:1")
    monkeypatch.setenv("COLUMNS", "100")
    lines = run("doctor").stdout.splitlines()
    assert max(map(len, lines)) <= 100
    assert lines[0].startswith("warn  kernel log")
    (first,) = (number for number, line in enumerate(lines) if line.startswith("FAIL  loki"))
    told = [line.strip() for line in lines[first + 1 : first + 6]]
    assert any(line.startswith("not seen: what kernels") for line in told)
    assert any(line.startswith("do:       look at `loki.url`") for line in told)
    assert lines[-1].startswith("1 failed, ")


def test_alertmanager_and_the_audit_log_have_rows(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "audit.log"
    log.write_text('{"verb": "patch", "stageTimestamp": "2026-01-01T00:00:00Z"}\n')
    status = Said(body=b'{"versionInfo": {"version": "0.28.1"}}')

    def alertmanager(path: str, query: dict[str, str]) -> Said:
        return status if path.endswith("/status") else one_silence(path, query)

    with RecordedServer(alertmanager) as server:
        (tmp_path / "firstfault.toml").write_text(
            f'[alertmanager]\nurl = "{server.url}"\n[audit_log]\nfile = "{log}"\n'
        )
        rows = rows_of(run)
    assert rows["silences"][0][0] == "ok"
    assert "2 silences hold now" in rows["silences"][0][1]
    assert [state for state, _ in rows["audit log"]] == ["ok", "warn"]
    assert "is it still written?" in rows["audit log"][1][1]
    assert "audit log clock" not in rows


def test_the_database_and_its_audit_have_rows_and_a_forged_end_fails(
    run: Run, tmp_path: Path, store: Store
) -> None:
    store.audit.append(event("1"))
    settings_toml(tmp_path, loki="http://127.0.0.1:1")
    rows = rows_of(run)
    assert "schema 0" in rows["database"][0][1]
    assert (rows["database audit"][0][0], rows["database disk"][0][0]) == ("ok", "ok")
    with store.database.writing() as session:
        session.execute(text("DROP TRIGGER audit_events_no_update"))
        session.execute(text("UPDATE audit_events SET why = 'other'"))
    rows = rows_of(run)
    assert rows["database audit"][0][0] == "fail"
    assert "event 1 was changed" in rows["database audit"][0][1]


def test_snapshots_are_told_of_once_there_is_a_cluster(run: Run, tmp_path: Path, store: Store) -> None:
    with KubeApi() as api:
        settings_toml(tmp_path, kube=kubeconfig(tmp_path, api.url, ADMIN_TOKEN))
        assert "start `firstfault serve`" in rows_of(run)["snapshots"][0][1]
        store.machines.record(
            "lab", [Machine(name="n1", body="{}")], datetime.fromtimestamp(wall_clock(), UTC)
        )
        ((state, said),) = rows_of(run)["snapshots"]
    assert state == "ok"
    assert said.startswith("1 machines")


def test_the_store_is_opened_once(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    times: list[None] = []

    def counted(*given: Any, **named: Any) -> Store:  # noqa: ANN401  # whatever `open_store` takes
        times.append(None)
        return open_store(*given, **named)

    monkeypatch.setattr("firstfault.cli.doctor.open_store", counted)
    with KubeApi() as api:
        settings_toml(tmp_path, kube=kubeconfig(tmp_path, api.url, ADMIN_TOKEN))
        assert "snapshots" in rows_of(run)
    assert len(times) == 1


def test_slack_has_rows_only_when_it_is_set(run: Run, tmp_path: Path) -> None:
    settings_toml(tmp_path, loki="http://127.0.0.1:1")
    assert not any(part.startswith("slack") for part in rows_of(run))
    with SlackWorld() as world:
        here, away = world.channel("incidents"), world.channel("elsewhere", has_app=False)
        (tmp_path / "firstfault.toml").write_text(
            f'[slack]\nbot_token = "{BOT_TOKEN}"\napp_token = "{APP_TOKEN}"\nbase_url = "{world.api_url}"\n'
            f'channel = "{here.id}"\nshadow_channel = "{away.id}"\n'
        )
        shown = run("doctor", "--json")
        rows = rows_of(run)
        assert world.posts_of_app(here) == []
    assert BOT_TOKEN not in shown.stdout
    assert rows["slack"][0][0] == "ok"
    assert sorted(state for state, _ in rows["slack channels"]) == ["fail", "ok"]
    assert any("invite the bot" in said for _, said in rows["slack channels"])
    assert rows["slack answers"][0][0] == "ok"
