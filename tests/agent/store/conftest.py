"""Stores on both databases: every test that asks for `store` runs on SQLite and on Postgres."""

from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from firstfault.agent.store import Store, open_store
from firstfault.agent.store.schema import migrate
from firstfault.agent.store.store import open_database
from tests.postgres import postgres_server_fixture, postgres_url_fixture

__all__ = ["postgres_server_fixture", "postgres_url_fixture"]


@pytest.fixture
def now() -> datetime:
    """Return a fixed time."""
    return datetime(2026, 3, 4, 5, 6, 7, 890123, tzinfo=UTC)


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the URL of a database with the newest schema."""
    if request.param == "sqlite":
        address = f"sqlite:///{tmp_path / 'test.sqlite'}"
    else:
        address = str(request.getfixturevalue("postgres_url"))
    database = open_database(tmp_path, address)
    migrate(database)
    database.close()
    return address


@pytest.fixture
def store(url: str, tmp_path: Path) -> Generator[Store]:
    """Give an empty store."""
    with open_store(tmp_path, url=url) as opened:
        yield opened


@pytest.fixture
def sqlite_store(tmp_path: Path) -> Generator[Store]:
    """Give an empty store on SQLite only, for what does not differ between databases."""
    with open_store(tmp_path / "state") as opened:
        yield opened


@pytest.fixture
def postgres_store(postgres_url: str, tmp_path: Path) -> Generator[Store]:
    """Give an empty store on Postgres only."""
    database = open_database(tmp_path, postgres_url)
    migrate(database)
    database.close()
    with open_store(tmp_path, url=postgres_url) as opened:
        yield opened
