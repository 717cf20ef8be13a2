"""Writes that both databases understand."""

from collections.abc import Mapping, Sequence

from sqlalchemy import literal
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import InstrumentedAttribute, Session

from firstfault.agent.store.errors import UnknownIncidentError
from firstfault.agent.store.tables import IncidentRow, Table


def insert_new(session: Session, table: type[Table], values: Mapping[str, object]) -> bool:
    """Return whether the row was new; a row that is already there is left as it is."""
    statement = _insert(session, table).values(dict(values)).returning(literal(1))
    return session.connection().execute(statement).first() is not None


def insert_many_new(session: Session, table: type[Table], rows: Sequence[Mapping[str, object]]) -> None:
    """Write the rows that are new; rows that are there are left as they are."""
    if rows:
        session.connection().execute(_insert(session, table), [dict(row) for row in rows])


def insert_all_new(
    session: Session,
    table: type[Table],
    key: InstrumentedAttribute[str],
    rows: Sequence[Mapping[str, object]],
) -> frozenset[str]:
    """Return the keys of the rows that were new, written together; rows that are there are left as they are."""
    if not rows:
        return frozenset()
    # One statement for any number of rows: one with the values inside would be compiled again for each number.
    statement = _insert(session, table).returning(key)
    return frozenset(session.connection().execute(statement, [dict(row) for row in rows]).scalars())


def _insert(session: Session, table: type[Table]) -> sqlite.Insert | postgresql.Insert:
    """Return the statement that leaves a row that is there as it is, in the words of the database."""
    dialect = sqlite if session.get_bind().dialect.name == "sqlite" else postgresql
    return dialect.insert(table).on_conflict_do_nothing()


def required_incident(session: Session, incident_id: str) -> IncidentRow:
    """Return the row of an incident. Raises UnknownIncidentError."""
    row = session.get(IncidentRow, incident_id, populate_existing=True)
    if row is None:
        msg = f"there is no incident `{incident_id}`: see `firstfault incidents list`"
        raise UnknownIncidentError(msg)
    return row
