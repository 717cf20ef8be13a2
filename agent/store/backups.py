"""Copies the whole store into one SQLite file, from one consistent state, and checks the copy.

The same file comes out of SQLite and Postgres: `sqlite:///FILE` opens it, with the same signing key.
"""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import insert, select

from firstfault.agent.store.audit import AuditLog
from firstfault.agent.store.chain import ChainCheck
from firstfault.agent.store.database import Database, connect
from firstfault.agent.store.errors import StoreError
from firstfault.agent.store.schema import create_sqlite, require_current
from firstfault.agent.store.signing import SigningKey
from firstfault.agent.store.tables import ChunkRow, Table

_ROWS = 500
_CHUNKS = 8
"""Rows copied at once; chunks hold up to a mebibyte each."""


@dataclass(frozen=True, slots=True)
class Backups:
    """Makes copies of a store."""

    database: Database
    key: SigningKey

    def write(self, target: Path) -> ChainCheck:
        """Return the check of the copy's audit chain; `target` is there whole, or not at all.

        Raises StoreError when there is already something, or it cannot be written.
        """
        if not target.parent.is_dir():
            msg = f"cannot write the backup `{target}`: there is no folder `{target.parent}`"
            raise StoreError(msg)
        draft = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
        try:
            if self.database.is_sqlite:
                self._copy_file(draft)
            else:
                create_sqlite(draft)
                self._copy_rows(draft)
            check = self._checked(draft)
            os.link(draft, target)
        except FileExistsError as error:
            msg = f"`{target}` is already there: name another file"
            raise StoreError(msg) from error
        except OSError as error:
            msg = f"cannot write the backup `{target}`: {error.strerror or error}"
            raise StoreError(msg) from error
        finally:
            for leftover in (draft, Path(f"{draft}-wal"), Path(f"{draft}-shm"), Path(f"{draft}-journal")):
                leftover.unlink(missing_ok=True)
        return check

    def _copy_file(self, draft: Path) -> None:
        os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        connection = self.database.engine.raw_connection()
        try:
            connection.cursor().execute("VACUUM INTO ?", (str(draft),))
        finally:
            connection.close()

    def _copy_rows(self, draft: Path) -> None:
        copy = Database(connect(f"sqlite:///{draft}"))
        with self.database.reading() as source, copy.writing() as target:
            for table in Table.metadata.sorted_tables:
                size = _CHUNKS if table is ChunkRow.__table__ else _ROWS
                rows = source.execute(select(table).execution_options(yield_per=size))
                for part in rows.mappings().partitions(size):
                    target.execute(insert(table), [dict(row) for row in part])
        copy.close()

    def _checked(self, draft: Path) -> ChainCheck:
        copy = Database(connect(f"sqlite:///{draft}"))
        try:
            require_current(copy)
            return AuditLog(copy, self.key).verify()
        finally:
            copy.close()
