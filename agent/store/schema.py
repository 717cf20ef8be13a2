"""Which schema a database has, and how it gets the newest one.

A new SQLite file is made aside, migrated, and linked into place: it is there whole or not at all. An older SQLite
file is migrated when it is opened; Postgres is migrated by `firstfault db migrate`, because others may be using it.
"""

import os
import secrets
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from sqlalchemy import Connection, inspect, text

from firstfault.agent.store.database import Database, connect
from firstfault.agent.store.errors import NewerSchemaError, OlderSchemaError, UnreachableError

MIGRATIONS = Path(__file__).parent / "migrations"
_MIGRATION_LOCK = 0x66_66_01


def newest_revision() -> str:
    """Return the revision that this firstfault needs: the last of `versions/vNNNN_what.py`."""
    return max(file.name[1:5] for file in (MIGRATIONS / "versions").glob("v[0-9][0-9][0-9][0-9]_*.py"))


def revision_of(connection: Connection) -> str | None:
    """Return the revision the database has, or None for an empty one."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()


def migrate(database: Database) -> tuple[str | None, str]:
    """Bring the database to the newest schema in one transaction; return the revision before and after.

    Raises NewerSchemaError when it is already newer than this firstfault.
    """
    with database.writing() as session:
        database.take_turn(session, _MIGRATION_LOCK)
        connection = session.connection()
        before, newest = revision_of(connection), newest_revision()
        _refuse_newer(before, newest)
        if before != newest:
            _upgrades().upgrade(connection, MIGRATIONS)
    return before, newest


def require_current(database: Database) -> None:
    """Return when the schema is the one this firstfault needs; migrate an older SQLite file first.

    Raises NewerSchemaError, OlderSchemaError (Postgres only) or UnreachableError.
    """
    with database.reading() as session:
        found = revision_of(session.connection())
    newest = newest_revision()
    _refuse_newer(found, newest)
    if found == newest:
        return
    if not database.is_sqlite:
        have = f"schema {found}" if found else "no schema"
        msg = f"the database has {have}, schema {newest} is needed: run `firstfault db migrate`"
        raise OlderSchemaError(msg)
    migrate(database)


def create_sqlite(file: Path) -> None:
    """Make the SQLite database `file` with the newest schema, unless it is already there.

    Raises UnreachableError when the file cannot be made.
    """
    draft = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        _publish(draft, file)
    except OSError as error:
        msg = f"cannot make the database `{file}`: {error.strerror}"
        raise UnreachableError(msg) from error


def _publish(draft: Path, file: Path) -> None:
    """Migrate the draft and put it in place, unless another process was first."""
    try:
        database = Database(connect(f"sqlite:///{draft}"))
        migrate(database)
        database.close()
        os.link(draft, file)
    except FileExistsError:
        return
    finally:
        for leftover in (draft, Path(f"{draft}-wal"), Path(f"{draft}-shm")):
            leftover.unlink(missing_ok=True)


def _refuse_newer(found: str | None, newest: str) -> None:
    if found is not None and found > newest:
        msg = f"the database has schema {found}, this firstfault knows {newest}: install a newer firstfault"
        raise NewerSchemaError(msg)


class _Upgrades(Protocol):
    def upgrade(self, connection: Connection, migrations: Path) -> None: ...


def _upgrades() -> _Upgrades:
    """Return the module that runs migrations, loaded only when there is one to run: Alembic is slow to import."""
    return cast("_Upgrades", import_module("firstfault.agent.store.upgrades"))
