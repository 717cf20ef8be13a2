"""Writes that both databases understand."""

from collections.abc import Mapping

from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from firstfault.agent.store.tables import Table


def insert_new(session: Session, table: type[Table], values: Mapping[str, object]) -> bool:
    """Return whether the row was new; a row that is already there is left as it is."""
    dialect = sqlite if session.get_bind().dialect.name == "sqlite" else postgresql
    statement = dialect.insert(table).values(dict(values)).on_conflict_do_nothing()
    return bool(session.execute(statement).rowcount)
