"""Runs migrations, and tells what they would have to change."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection


def upgrade(connection: Connection, migrations: Path) -> None:
    """Bring the database to the newest revision, inside the transaction of `connection`."""
    config = _config(migrations)
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def revisions(migrations: Path) -> tuple[str, ...]:
    """Return all revisions, the newest first; there is exactly one line of them."""
    return tuple(
        script.revision for script in ScriptDirectory.from_config(_config(migrations)).walk_revisions()
    )


def _config(migrations: Path) -> Config:
    config = Config()
    config.set_main_option("script_location", str(migrations).replace("%", "%%"))
    return config
