"""How the store stands: what it is, whether it takes a write, whether its audit ends as it was signed, room on the disk."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from firstfault.agent.store.errors import StoreError
from firstfault.agent.store.machines import Snapshots
from firstfault.agent.store.schema import newest_revision
from firstfault.agent.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """Bytes of the disk that a folder is on."""

    folder: Path
    free_bytes: int
    total_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStanding:
    """problem: why it cannot be used, None when it can. audit: what is wrong with the end of the audit.

    room: where the SQLite file is; with Postgres, where the state folder is. snapshots: what is kept of machines.
    """

    problem: str | None = None
    what: str = ""
    schema: str = ""
    events: int = 0
    audit: tuple[str, ...] = ()
    room: Room | None = None
    snapshots: Snapshots | None = None


def standing(
    opened: Callable[[], Store], folder: Path, now: datetime, cluster: str | None = None
) -> StoreStanding:
    """Return how the store stands; opening it makes and migrates a SQLite file, and it is written to without a trace.

    cluster: whose snapshots are looked at as well; None: nobody's.
    """
    try:
        with opened() as store:
            store.inbox.receive((), now)
            check = store.audit.verify_end()
            file = store.database.engine.url.database
            is_sqlite = store.database.is_sqlite
            kept = None if cluster is None else store.machines.kept(cluster)
    except StoreError as error:
        return StoreStanding(problem=str(error), room=_room(folder))
    return StoreStanding(
        what=f"SQLite file {file}" if is_sqlite else "Postgres",
        schema=newest_revision(),
        events=check.events,
        audit=tuple(fault.what for fault in check.faults),
        room=_room(Path(file).parent if is_sqlite and file else folder),
        snapshots=kept,
    )


def _room(folder: Path) -> Room | None:
    try:
        usage = shutil.disk_usage(folder)
    except OSError:
        return None
    return Room(folder=folder, free_bytes=usage.free, total_bytes=usage.total)
