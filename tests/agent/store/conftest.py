"""Stores on both databases: every test that asks for `store` runs on SQLite and on Postgres."""

from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from firstfault.agent.store import Store, open_store
from tests.postgres import (
    migrated_postgres_url_fixture,
    postgres_server_fixture,
    postgres_template_fixture,
    postgres_url_fixture,
)

__all__ = [
    "migrated_postgres_url_fixture",
    "postgres_server_fixture",
    "postgres_template_fixture",
    "postgres_url_fixture",
]


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
        address = str(request.getfixturevalue("migrated_postgres_url"))
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
def postgres_store(migrated_postgres_url: str, tmp_path: Path) -> Generator[Store]:
    """Give an empty store on Postgres only."""
    with open_store(tmp_path, url=migrated_postgres_url) as opened:
        yield opened
