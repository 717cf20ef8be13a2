"""One at a time, across processes: a lock that Postgres gives back by itself when the process that holds it dies.

On SQLite there is nothing to wait for: executing for real is refused there, and dry runs disturb nobody.
"""

from collections.abc import Generator
from contextlib import contextmanager

from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError

from firstfault.agent.store.database import Database

EXECUTOR_LOCK = 0x66_66_06


class Turn:
    """The lock, as long as its connection lives."""

    def __init__(self, connection: Connection | None) -> None:
        """Take the connection whose end gives the lock back; None when there is nothing to hold."""
        self._connection = connection

    def is_held(self) -> bool:
        """Return whether the lock is still ours: its connection still answers."""
        if self._connection is None:
            return True
        try:
            self._connection.execute(text("SELECT 1"))
        except SQLAlchemyError:
            return False
        return True


@contextmanager
def turn(database: Database, lock: int) -> Generator[Turn | None]:
    """Give the lock, or None when another process has it."""
    if database.is_sqlite:
        yield Turn(None)
        return
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        taken = connection.execute(text("SELECT pg_try_advisory_lock(:lock)"), {"lock": lock}).scalar_one()
        yield Turn(connection) if taken else None
        if taken:
            connection.execute(text("SELECT pg_advisory_unlock(:lock)"), {"lock": lock})
