"""`firstfault db`."""

import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest

from firstfault.agent.store import Status, Store
from tests.agent.store.samples import AT, answer, event, incident
from tests.cli.conftest import Run
from tests.postgres import postgres_server_fixture, postgres_url_fixture

__all__ = ["postgres_server_fixture", "postgres_url_fixture"]


def test_a_database_is_migrated_once(run: Run, monkeypatch: pytest.MonkeyPatch, postgres_url: str) -> None:
    monkeypatch.setenv("FIRSTFAULT_DATABASE_URL", postgres_url)
    refused = run("audit", "show")
    assert refused.exit_code == 2
    assert refused.stderr.endswith("is needed: run `firstfault db migrate`\n")
    assert run("db", "migrate").stdout.startswith("schema none -> ")
    assert "nothing to do" in run("db", "migrate").stdout
    assert run("audit", "verify").exit_code == 0


def test_a_newer_database_is_refused_by_every_command(run: Run, store: Store, state: Path) -> None:
    store.close()
    with sqlite3.connect(state / "firstfault.sqlite") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    for command in (["audit", "show"], ["incidents", "list"], ["db", "migrate"], ["db", "prune"]):
        refused = run(*command)
        assert refused.exit_code == 2
        assert "has schema 9999" in refused.stderr
        assert refused.stderr.count("\n") == 1


def test_a_backup_is_checked_and_the_key_is_spoken_of(run: Run, store: Store, tmp_path: Path) -> None:
    store.audit.append(event("1"))
    done = run("db", "backup", tmp_path / "copy.sqlite")
    assert (done.exit_code, done.stdout) == (0, f"{tmp_path / 'copy.sqlite'}: 1 audit events, sound\n")
    assert "signing key is not in the backup" in done.stderr
    again = run("db", "backup", tmp_path / "copy.sqlite")
    assert (again.exit_code, again.stdout) == (2, "")


def test_pruning_follows_the_settings_and_leaves_a_trail(run: Run, store: Store) -> None:
    long_ago = AT - timedelta(days=20_000)
    store.incidents.open(incident(), long_ago)
    store.evidence.keep("inc-1", answer(), long_ago)
    assert run("db", "prune").stdout == "removed nothing (0 bytes)\n"
    store.incidents.set_status("inc-1", Status.CLOSED, long_ago)
    assert run("db", "prune", "--dry-run").stdout.startswith(
        "would remove 2 evidence, 2 looked_at, 2 blobs ("
    )
    assert run("db", "prune").stdout.startswith("removed 2 evidence, 2 looked_at, 2 blobs (")
    kinds = [each.kind for each in store.audit.events()]
    assert kinds == ["db.pruned", "db.pruned"]
