"""What people set: breakers and kill switches, as signed rows. Modes are rows of the promotion ledger in the audit."""

from datetime import datetime

from sqlalchemy import select

from firstfault.agent.store.database import Database
from firstfault.agent.store.gate_tables import BreakerRow, Signed, SwitchRow
from firstfault.agent.store.seals import require_sealed, seal
from firstfault.agent.store.signing import SigningKey
from firstfault.agent.store.tables import Table
from firstfault.policies.breakers import Breaker, BreakerState

_BREAKER, _SWITCH = "breaker", "switch"
_BREAKER_FIELDS = ("scope", "state", "since", "why", "by")
_SWITCH_FIELDS = ("name", "is_on", "by", "why", "at")


class Controls:
    """Puts and gets what people set."""

    def __init__(self, database: Database, key: SigningKey) -> None:
        """Take the database and the key that signs."""
        self._database = database
        self._key = key

    def set_breaker(self, breaker: Breaker) -> None:
        """Write the state of one scope's breaker."""
        values: dict[str, object] = {
            "scope": breaker.scope,
            "state": breaker.state.value,
            "since": breaker.since,
            "why": breaker.why,
            "by": breaker.by,
        }
        self._write(BreakerRow, _BREAKER, values)

    def breakers(self) -> tuple[Breaker, ...]:
        """Return every breaker that was ever set, by scope. Raises ForgedRowError."""
        with self._database.reading() as session:
            rows = session.scalars(select(BreakerRow).order_by(BreakerRow.scope)).all()
            for row in rows:
                self._check(_BREAKER, _BREAKER_FIELDS, row)
            return tuple(
                Breaker(
                    scope=row.scope, state=BreakerState(row.state), since=row.since, why=row.why, by=row.by
                )
                for row in rows
            )

    def set_switch(self, name: str, *, is_on: bool, by: str, why: str, at: datetime) -> None:
        """Write a kill switch."""
        self._write(SwitchRow, _SWITCH, {"name": name, "is_on": int(is_on), "by": by, "why": why, "at": at})

    def switch_is_on(self) -> bool:
        """Return whether any kill switch in the database is on. Raises ForgedRowError."""
        with self._database.reading() as session:
            rows = session.scalars(select(SwitchRow).order_by(SwitchRow.name)).all()
            for row in rows:
                self._check(_SWITCH, _SWITCH_FIELDS, row)
            return any(row.is_on for row in rows)

    def _write(self, table: type[Table], purpose: str, values: dict[str, object]) -> None:
        with self._database.writing() as session:
            session.merge(table(**seal(self._key, purpose, values)))

    def _check(self, purpose: str, names: tuple[str, ...], row: Signed) -> None:
        require_sealed(self._key, purpose, {name: getattr(row, name) for name in names}, row)
