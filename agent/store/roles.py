"""What the executor's database role may do: read everything, write its own tables and the audit, nothing else."""

from sqlalchemy import text

from firstfault.agent.store.database import Database
from firstfault.agent.store.gate_tables import BreakerRow, ExecutionRow, PermitRow, RefusalRow, StepRow
from firstfault.agent.store.tables import AuditHeadRow, AuditRow, Table

_WRITES: dict[type[Table], tuple[str, ...]] = {
    PermitRow: ("INSERT",),
    RefusalRow: ("INSERT",),
    ExecutionRow: ("INSERT", "UPDATE"),
    StepRow: ("INSERT", "UPDATE"),
    BreakerRow: ("INSERT", "UPDATE"),
    AuditRow: ("INSERT",),
    AuditHeadRow: ("INSERT", "UPDATE"),
}
_WRITE_RIGHTS = ("INSERT", "UPDATE", "DELETE", "TRUNCATE")


def grants(role: str) -> tuple[str, ...]:
    """Return the statements that an administrator runs once for the executor's role. The name is quoted."""
    quoted = '"' + role.replace('"', '""') + '"'
    return (
        f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {quoted};",
        f"GRANT USAGE ON SCHEMA public TO {quoted};",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {quoted};",
        *(
            f"GRANT {', '.join(rights)} ON {table.__tablename__} TO {quoted};"
            for table, rights in _WRITES.items()
        ),
    )


def excess_rights(database: Database) -> tuple[str, ...]:
    """Return what the connected role may do beyond `grants`, as `UPDATE approvals`; nothing on SQLite, which has no roles."""
    if database.is_sqlite:
        return ()
    allowed = {(table.__tablename__, right) for table, rights in _WRITES.items() for right in rights}
    query = text("SELECT has_table_privilege(current_user, :name, :right)")
    with database.reading() as session:
        return tuple(
            f"{right} {name}"
            for name in sorted(Table.metadata.tables)
            for right in _WRITE_RIGHTS
            if (name, right) not in allowed
            and session.execute(query, {"name": name, "right": right}).scalar_one()
        )
