"""Connections and transactions: the same two words, reading and writing, on SQLite and on Postgres.

A write takes its turn before it reads (SQLite BEGIN IMMEDIATE; on Postgres the writers that need it take an advisory
lock), so that what it read still holds when it commits. A write inside a write joins it: one commit for both.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DatabaseError, OperationalError
from sqlalchemy.orm import Session
from sqlalchemy.pool import ConnectionPoolEntry

from firstfault.agent.store.errors import UnreachableError

BUSY_TIMEOUT_MS = 60_000
"""How long a SQLite writer waits for its turn before it gives up."""

_WRITES = "firstfault_writes"


class Database:
    """An engine and the transactions on it; safe to share between threads."""

    def __init__(self, engine: Engine) -> None:
        """Take the engine of `connect`."""
        self.engine = engine
        self._snapshots = (
            engine if self.is_sqlite else engine.execution_options(isolation_level="REPEATABLE READ")
        )
        self._writes = engine.execution_options(**{_WRITES: True})
        self._current: ContextVar[Session | None] = ContextVar("current write", default=None)

    @property
    def is_sqlite(self) -> bool:
        """Return whether the database is a SQLite file."""
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def reading(self) -> Generator[Session]:
        """Give a session that sees one consistent state (inside a write: what that write sees).

        Raises UnreachableError when the database cannot be used.
        """
        joined = self._current.get()
        if joined is not None:
            yield joined
            return
        with _one_line_errors(self.engine), Session(self._snapshots) as session:
            yield session

    @contextmanager
    def writing(self) -> Generator[Session]:
        """Give a session that is committed at the end, or rolled back on any exception.

        Raises UnreachableError when the database cannot be used.
        """
        joined = self._current.get()
        if joined is not None:
            yield joined
            joined.flush()
            return
        with _one_line_errors(self.engine), Session(self._writes) as session:
            session.connection()
            token = self._current.set(session)
            try:
                yield session
                session.commit()
            finally:
                self._current.reset(token)

    def take_turn(self, session: Session, lock: int) -> None:
        """Wait until no other writer holds `lock`; it is given back at the end of the transaction."""
        if not self.is_sqlite:
            session.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": lock})

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def connect(url: str) -> Engine:
    """Return an engine for a SQLite or Postgres URL; Postgres always goes through psycopg 3.

    Raises UnreachableError for any other URL.
    """
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        msg = "the database URL cannot be read: use `sqlite:///FILE` or `postgresql://USER@HOST/NAME`"
        raise UnreachableError(msg) from error
    backend = parsed.get_backend_name()
    if backend in {"postgres", "postgresql"}:
        return create_engine(parsed.set(drivername="postgresql+psycopg"), pool_pre_ping=True)
    if backend != "sqlite":
        msg = f"`{backend}` is not a database that firstfault knows: use `sqlite:///FILE` or `postgresql://USER@HOST/NAME`"
        raise UnreachableError(msg)
    engine = create_engine(parsed)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


@contextmanager
def _one_line_errors(engine: Engine) -> Generator[None]:
    """Turn what the database refuses for outside reasons into one line; a password in the URL is masked."""
    try:
        yield
    except DatabaseError as error:
        if not isinstance(error, OperationalError) and type(error) is not DatabaseError:
            raise
        cause = str(error.orig).strip().splitlines()
        shown = engine.url.render_as_string(hide_password=True)
        msg = f"cannot use the database `{shown}`: {cause[0] if cause else 'no reason given'}"
        raise UnreachableError(msg) from error


def _prepare_sqlite(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
    connection.isolation_level = None  # pyright: ignore[reportAttributeAccessIssue] - sqlite3: transactions are ours
    cursor = connection.cursor()
    for pragma in (
        f"busy_timeout = {BUSY_TIMEOUT_MS}",
        "journal_mode = WAL",
        "synchronous = FULL",
        "foreign_keys = ON",
        "recursive_triggers = ON",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
