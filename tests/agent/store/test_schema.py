"""The schema comes from migrations only, and no process works on one it does not know."""

import sqlite3
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from firstfault.agent.store import NewerSchemaError, OlderSchemaError, Store, UnreachableError, open_store
from firstfault.agent.store.schema import MIGRATIONS, migrate, newest_revision
from firstfault.agent.store.tables import Table
from firstfault.agent.store.upgrades import revisions
from tests.agent.store.samples import event


def is_no_text_index(name: str | None, *_: object) -> bool:
    """Return whether the code describes a table or index; full-text indexes are known to migrations only."""
    return not (name or "").startswith("memory_words")


def test_migrations_make_exactly_the_tables_that_the_code_uses(store: Store) -> None:
    with store.database.reading() as session:
        options: dict[str, object] = {"compare_type": True, "include_name": is_no_text_index}
        context = MigrationContext.configure(session.connection(), opts=options)
        assert compare_metadata(context, Table.metadata) == []


def test_revisions_are_one_line_and_order_as_text() -> None:
    found = revisions(MIGRATIONS)
    assert found[0] == newest_revision()
    assert list(found) == sorted(found, reverse=True)


def test_migrating_twice_changes_nothing(store: Store) -> None:
    assert migrate(store.database) == (newest_revision(), newest_revision())


def test_a_newer_schema_is_refused_in_one_line(store: Store, url: str, tmp_path: Path) -> None:
    with store.database.writing() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(NewerSchemaError, match="has schema 9999, this firstfault knows") as caught:
        open_store(tmp_path, url=url)
    assert "\n" not in str(caught.value)
    with pytest.raises(NewerSchemaError):
        migrate(store.database)


def test_an_empty_sqlite_file_is_filled_when_it_is_opened(tmp_path: Path) -> None:
    file = tmp_path / "mine.sqlite"
    sqlite3.connect(file).close()
    file.touch()
    with open_store(tmp_path, url=f"sqlite:///{file}") as store:
        assert store.audit.append(event()).seq == 1


def test_an_empty_postgres_has_to_be_migrated_by_hand(postgres_url: str, tmp_path: Path) -> None:
    with pytest.raises(OlderSchemaError, match="run `firstfault db migrate`"):
        open_store(tmp_path, url=postgres_url)


def test_a_new_sqlite_file_is_for_its_owner_only_and_leaves_no_drafts(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "state"
    with open_store(folder) as store:
        store.audit.append(event())
        file = folder / "firstfault.sqlite"
        assert file.stat().st_mode & 0o777 == 0o600
        assert folder.stat().st_mode & 0o777 == 0o700
        with store.database.reading() as session:
            assert session.execute(text("PRAGMA journal_mode")).scalar() == "wal"
            assert session.execute(text("PRAGMA synchronous")).scalar() == 2  # FULL
    assert not [each.name for each in folder.iterdir() if each.name.startswith(".")]


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("mysql://u:hunter2@host/db", "`mysql` is not a database"),
        ("not a url", "cannot be read"),
        ("postgresql://user:hunter2@127.0.0.1:1/db", "cannot use the database"),
    ],
)
def test_a_database_that_cannot_be_used_is_named_without_its_password(
    tmp_path: Path, url: str, message: str
) -> None:
    with pytest.raises(UnreachableError, match=message) as caught:
        open_store(tmp_path, url=url)
    assert "hunter2" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("these are my notes and not a database, whatever the name says\n" * 100)
    with pytest.raises(UnreachableError, match=r"notes\.txt"):
        open_store(tmp_path, url=f"sqlite:///{file}")
    assert file.read_text().startswith("these are my notes")


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(UnreachableError, match="cannot make the folder"):
        open_store(tmp_path / "file")
