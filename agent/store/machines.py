"""What machines looked like over time: a row for as long as nothing changed, so that a quiet fleet costs nothing."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from firstfault.agent.store.canon import storable
from firstfault.agent.store.database import Database
from firstfault.agent.store.machine_tables import MachineRow
from firstfault.tools.topology.machines import Machine, Sighting

_MACHINES_LOCK = 0x66_66_09
_AT_ONCE = 500
"""Names in one statement: databases bound how many values one takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshots:
    """What is kept of one cluster. machines: in the newest snapshot. newest, oldest: aware UTC."""

    machines: int
    newest: datetime
    oldest: datetime


@dataclass(frozen=True, slots=True)
class Machines:
    """Keeps snapshots of machines and tells what they were."""

    database: Database

    def record(self, cluster: str, machines: Iterable[Machine], now: datetime) -> int:
        """Keep a snapshot; return how many machines are new or look otherwise than before."""
        seen = {storable(each.name): each for each in machines if each.name}
        with self.database.writing() as session:
            self.database.take_turn(session, _MACHINES_LOCK)
            newest = {
                row.name: row
                for row in session.scalars(
                    select(MachineRow).where(
                        MachineRow.cluster == storable(cluster), MachineRow.replaced_at.is_(None)
                    )
                )
            }
            changed = [name for name, each in seen.items() if not _is_same(newest.get(name), each)]
            replaced = [name for name in changed if name in newest]
            _touch(session, cluster, sorted(seen.keys() - set(changed)), last_seen=now)
            _touch(session, cluster, replaced, replaced_at=now)
            session.add_all(
                MachineRow(
                    cluster=storable(cluster),
                    name=name,
                    first_seen=now,
                    last_seen=now,
                    replaced_at=None,
                    body=storable(seen[name].body),
                )
                for name in changed
            )
        return len(changed)

    def kept(self, cluster: str) -> Snapshots | None:
        """Return how many machines the newest snapshot holds, and since when there are any; None without one."""
        mine = MachineRow.cluster == storable(cluster)
        with self.database.reading() as session:
            newest = session.scalar(select(func.max(MachineRow.last_seen)).where(mine))
            oldest = session.scalar(select(func.min(MachineRow.first_seen)).where(mine))
            if newest is None or oldest is None:
                return None
            count = session.scalar(
                select(func.count()).select_from(MachineRow).where(mine, MachineRow.last_seen == newest)
            )
        return Snapshots(machines=count or 0, newest=newest, oldest=oldest)

    def history(
        self, cluster: str, names: Sequence[str], since: datetime, until: datetime
    ) -> tuple[Sighting, ...]:
        """Return how the machines looked from `since` to `until`, by name and time; before it, the last look of each."""
        wanted = [storable(name) for name in names]
        with self.database.reading() as session:
            rows = [
                row
                for part in _parts(wanted)
                for row in session.scalars(
                    select(MachineRow)
                    .where(
                        MachineRow.cluster == storable(cluster),
                        MachineRow.name.in_(part),
                        MachineRow.first_seen <= until,
                    )
                    .order_by(MachineRow.name, MachineRow.first_seen)
                )
            ]
            found = [
                Sighting(
                    machine=Machine(name=row.name, body=row.body),
                    first_seen=row.first_seen,
                    last_seen=min(row.last_seen, until),
                )
                for row in rows
            ]
        return tuple(
            each
            for each, following in zip_longest(found, found[1:])
            if each.last_seen >= since or _is_last_before(each, following, since)
        )


def _is_last_before(each: Sighting, following: Sighting | None, since: datetime) -> bool:
    """Return whether the next look at the same machine, if there is one, is inside of what is asked for."""
    return following is None or following.machine.name != each.machine.name or following.first_seen >= since


def _is_same(row: MachineRow | None, machine: Machine) -> bool:
    return row is not None and row.body == storable(machine.body)


def _touch(session: Session, cluster: str, names: Sequence[str], **values: datetime) -> None:
    for part in _parts(names):
        session.execute(
            update(MachineRow)
            .where(
                MachineRow.cluster == storable(cluster),
                MachineRow.name.in_(part),
                MachineRow.replaced_at.is_(None),
            )
            .values(**values),
            execution_options={"synchronize_session": False},
        )


def _parts(names: Sequence[str]) -> Iterator[Sequence[str]]:
    return (names[start : start + _AT_ONCE] for start in range(0, len(names), _AT_ONCE))
