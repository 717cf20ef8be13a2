"""The one thing that the rest of firstfault holds: everything that is kept, behind small repositories."""

from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Self

from sqlalchemy.engine import make_url

from firstfault.agent.store.approvals import Approvals
from firstfault.agent.store.audit import AuditLog
from firstfault.agent.store.backups import Backups
from firstfault.agent.store.blobs import Blobs
from firstfault.agent.store.controls import Controls
from firstfault.agent.store.database import Database, connect
from firstfault.agent.store.decisions import Decisions
from firstfault.agent.store.errors import UnreachableError
from firstfault.agent.store.evidence import EvidenceStore, StoredSource
from firstfault.agent.store.executions import Executions
from firstfault.agent.store.inbox import Inbox
from firstfault.agent.store.incidents import Incidents
from firstfault.agent.store.machines import Machines
from firstfault.agent.store.memories import Memories
from firstfault.agent.store.messages import Messages
from firstfault.agent.store.pruning import Pruning
from firstfault.agent.store.reports import Reports
from firstfault.agent.store.requests import Requests
from firstfault.agent.store.schema import create_sqlite, require_current
from firstfault.agent.store.signing import SigningKey, load_key, load_or_create_key
from firstfault.agent.store.stages import Stages
from firstfault.agent.store.steps import Steps

DATABASE_NAME = "firstfault.sqlite"
KEY_NAME = "signing.key"


def state_folder(environ: Mapping[str, str]) -> Path:
    """Return where state lives without any setting: `$XDG_STATE_HOME/firstfault`, else `~/.local/state/firstfault`.

    Source: XDG Base Directory Specification (a relative value is to be ignored).
    """
    base = Path(environ.get("XDG_STATE_HOME", ""))
    return (base if base.is_absolute() else Path.home() / ".local" / "state") / "firstfault"


class Store:
    """Repositories over one database."""

    def __init__(self, database: Database, key: SigningKey) -> None:
        """Take a database with the current schema, and the key that signs."""
        self.database = database
        self.key = key
        self.audit = AuditLog(database, key)
        self.blobs = Blobs(database)
        self.incidents = Incidents(database)
        self.evidence = EvidenceStore(database, self.blobs)
        self.stages = Stages(database, self.blobs)
        self.reports = Reports(database, self.blobs)
        self.memories = Memories(database)
        self.inbox = Inbox(database)
        self.machines = Machines(database)
        self.messages = Messages(database)
        self.requests = Requests(database)
        self.pruning = Pruning(database)
        self.backups = Backups(database, key)
        self.decisions = Decisions(database, key)
        self.approvals = Approvals(database, key)
        self.executions = Executions(database, key)
        self.steps = Steps(database, key)
        self.controls = Controls(database, key)

    @contextmanager
    def together(self) -> Generator[None]:
        """Make all writes inside one transaction: all are there afterwards, or none."""
        with self.database.writing():
            yield

    def source(self, incident_id: str) -> StoredSource:
        """Return what was kept for an incident as a source."""
        return StoredSource(self.evidence, incident_id)

    def close(self) -> None:
        """Close all connections."""
        self.database.close()

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close all connections."""
        self.close()


def open_store(state: Path, *, url: str | None = None, key_file: Path | None = None) -> Store:
    """Return the store at `url` (None: a SQLite file in the folder `state`).

    A SQLite file is made and migrated as needed.

    Raises StoreError with one line that names the remedy.
    """
    with ExitStack() as undo:
        _make(state)
        database = open_database(state, url)
        undo.callback(database.close)
        key = load_or_create_key(state / KEY_NAME) if key_file is None else load_key(key_file)
        require_current(database)
        undo.pop_all()
    return Store(database, key)


def _make(state: Path) -> None:
    """Make the folder of the state, for its owner only."""
    try:
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        msg = f"cannot make the folder `{state}`: {error.strerror}; set XDG_STATE_HOME to a folder that you may write to"
        raise UnreachableError(msg) from error


def open_database(state: Path, url: str | None = None) -> Database:
    """Return the database at `url`, whatever schema it has; a SQLite file that is not there is made."""
    where = url or f"sqlite:///{state / DATABASE_NAME}"
    engine = connect(where)
    file = make_url(where).database
    if engine.dialect.name == "sqlite" and file and file != ":memory:" and not Path(file).exists():
        create_sqlite(Path(file))
    return Database(engine)
