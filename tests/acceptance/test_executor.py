"""The executor as a real process on Postgres: what its role may write, and two that race for one permit."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest

from firstfault.agent.ledger.writing import move_cell
from firstfault.agent.store import Store, open_store
from firstfault.evals.sim.kube_api import KubeApi
from firstfault.evals.sim.kube_controllers import CONTROLLERS
from firstfault.evals.sim.kube_kinds import CUSTOM
from firstfault.policies import Action
from firstfault.policies.history import Ending
from tests.acceptance.executor_site import environment, executor_role, now, promotion
from tests.agent.executor.kit import NODE, Bench, ScriptedClock, asking, kind, load_cluster, pod
from tests.postgres import migrated_postgres_url_fixture, postgres_server_fixture, postgres_template_fixture

__all__ = ["migrated_postgres_url_fixture", "postgres_server_fixture", "postgres_template_fixture"]

FIRMWARE = "gpu.firmware_hang"


@dataclass(kw_only=True)
class Site:
    """A database with two roles, a cluster, and the environment that the executor's process gets."""

    bench: Bench
    store: Store
    environment: dict[str, str]

    def start(self, name: str = "executor-0", *options: str) -> "subprocess.Popen[str]":
        command = (sys.executable, "-m", "firstfault.cli", "executor", *(options or ("--once",)))
        named = {**self.environment, "FIRSTFAULT_EXECUTOR__NAME": name}
        pipe = subprocess.PIPE
        return subprocess.Popen(command, env=named, stdout=pipe, stderr=pipe, text=True)

    def run(self, *options: str) -> str:
        process = self.start("executor-0", *options)
        out, said = process.communicate(timeout=90)
        assert process.returncode == 0, said
        return out + said


@pytest.fixture
def site(migrated_postgres_url: str, tmp_path: Path) -> Generator[Site]:
    """Give a site where a drain of the usual node is allowed in approve mode."""
    role_url = executor_role(migrated_postgres_url)
    with (
        KubeApi(served=CUSTOM) as api,
        open_store(tmp_path / "state" / "firstfault", url=migrated_postgres_url) as store,
    ):
        load_cluster(api)
        api.store.react(*CONTROLLERS)
        api.store.load(kind("Pod"), [pod("serving-a"), pod("serving-b")])
        bench = Bench(api=api, store=store, folder=tmp_path, clock=ScriptedClock(now()))
        for action in (Action.DRAIN_NODE, Action.CORDON_NODE):
            bench.allow(action, FIRMWARE)
            move_cell(store, tmp_path / "state" / "firstfault", promotion(action, FIRMWARE))
        yield Site(bench=bench, store=store, environment=environment(tmp_path, role_url, api.url))


def approved(site: Site, action: Action = Action.DRAIN_NODE) -> str:
    asked = asking(action, proposed_at=now() - timedelta(seconds=5), expires_at=now() + timedelta(hours=1))
    record = site.bench.approved(asked)
    site.bench.clock.set(now())
    return record.id


def ended(site: Site, decision_id: str) -> Ending:
    execution = site.store.executions.of_decision(decision_id)
    assert execution is not None
    return execution.ending


def assert_nothing_twice(site: Site) -> None:
    made = Counter((each.method, each.path) for each in site.bench.api.writes)
    assert max(made.values()) == 1, made
    noted = Counter((event.correlation_id, event.kind, event.key) for event in site.store.audit.events())
    assert max(noted.values()) == 1
    assert site.store.audit.verify().sound


def test_it_drains_with_a_role_that_may_write_its_own_tables_only(site: Site) -> None:
    decision_id = approved(site)

    assert f"{decision_id} run" in site.run()

    assert ended(site, decision_id) is Ending.DONE
    assert site.bench.node()["spec"]["unschedulable"] is True
    assert_nothing_twice(site)


FORBIDDEN = (
    "UPDATE approvals SET needed = 0",
    "INSERT INTO votes SELECT 'x', 'eve', 1, now(), 'sql', 'k', 's'",
    "DELETE FROM executions",
    "UPDATE decisions SET outcome = 'ALLOW'",
    "UPDATE audit_events SET why = 'nothing'",
    "INSERT INTO switches VALUES ('all', 0, 'eve', 'x', now(), 'k', 's')",
    "CREATE TABLE mine (x int)",
)


def test_its_role_can_write_nothing_else(site: Site) -> None:
    for statement in FORBIDDEN:
        with (
            psycopg.connect(site.environment["FIRSTFAULT_DATABASE_URL"]) as connection,
            pytest.raises(psycopg.errors.InsufficientPrivilege),
        ):
            connection.execute(statement.encode())


def test_a_role_that_may_do_more_is_refused(site: Site, migrated_postgres_url: str) -> None:
    site.environment["FIRSTFAULT_DATABASE_URL"] = migrated_postgres_url
    process = site.start()
    _, said = process.communicate(timeout=90)

    assert process.returncode == 2
    assert "this database role may" in said
    assert len(said.strip().splitlines()) == 1


def test_on_sqlite_it_refuses_and_says_why(tmp_path: Path) -> None:
    alone = {**os.environ, "XDG_STATE_HOME": str(tmp_path)}
    alone.pop("FIRSTFAULT_DATABASE_URL", None)
    command = (sys.executable, "-m", "firstfault.cli", "executor", "--once")
    done = subprocess.run(command, env=alone, capture_output=True, text=True, timeout=90, check=False)

    assert done.returncode == 2
    assert "executing for real needs Postgres with a role of its own" in done.stderr
    assert done.stdout == ""


def test_a_dry_run_prints_every_call_and_sends_none(site: Site) -> None:
    decision_id = approved(site)

    printed = site.run("--dry-run", decision_id)

    assert f"call: PATCH /api/v1/nodes/{NODE}" in printed
    assert "call: EVICT /api/v1/namespaces/research/pods/serving-a/eviction" in printed
    assert site.bench.api.writes == []


def test_of_two_that_race_for_one_permit_exactly_one_runs(site: Site) -> None:
    decision_id = approved(site)
    racers = [site.start(f"executor-{number}") for number in range(2)]
    said = [process.communicate(timeout=90)[1] for process in racers]

    assert [process.returncode for process in racers] == [0, 0]
    assert sum(f"{decision_id} run" in line for line in said) == 1
    assert ended(site, decision_id) is Ending.DONE
    assert site.store.audit.count("execution.begun") == 1
    assert_nothing_twice(site)


def test_it_neither_knows_a_model_nor_a_graph() -> None:
    code = "import sys, firstfault.cli.executor; print([m for m in ('openai', 'langgraph', 'slack_bolt') if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )

    assert done.stdout.strip() == "[]"
