"""`firstfault db`: upkeep of the database."""

from datetime import UTC, datetime
from pathlib import Path

import click

from firstfault.agent.settings import Settings, masked_url
from firstfault.agent.store import NewEvent, StoreError
from firstfault.agent.store.pruning import Pruned, Retention
from firstfault.cli.configuration import NothingUsable, opened_store, settings_in_force, state

KEY_REMINDER = "the signing key is not in the backup: keep a copy of it apart"


@click.group()
def db() -> None:
    """Migrate, back up and prune the database."""


@db.command()
def migrate() -> None:
    """Bring the database to the schema of this firstfault."""
    from firstfault.agent.store.schema import migrate as migrate_database
    from firstfault.agent.store.store import open_database

    settings = settings_in_force()
    try:
        database = open_database(state(), settings.address)
        try:
            before, after = migrate_database(database)
        finally:
            database.close()
    except StoreError as error:
        raise NothingUsable(str(error)) from error
    where = masked_url(settings.address or str(state()))
    if before == after:
        click.echo(f"schema {after}, nothing to do: {where}")
    else:
        click.echo(f"schema {before or 'none'} -> {after}: {where}")


@db.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def backup(file: Path) -> None:
    """Write a copy of everything to FILE, a SQLite database, and check it."""
    with opened_store() as store:
        try:
            check = store.backups.write(file)
        except StoreError as error:
            raise NothingUsable(str(error)) from error
    click.echo(f"{file}: {check.events} audit events, {'sound' if check.sound else 'NOT SOUND'}")
    click.echo(KEY_REMINDER, err=True)


@db.command()
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
def prune(*, dry_run: bool) -> None:
    """Remove what closed incidents left, once it is older than the settings keep it. Never the audit."""
    settings = settings_in_force()
    now = datetime.now(UTC)
    with opened_store(settings) as store:
        pruned = store.pruning.prune(_retention(settings), now, dry_run=dry_run)
        if not dry_run:
            store.audit.append(_pruned_event(pruned, now))
    verb = "would remove" if dry_run else "removed"
    kinds = ", ".join(f"{count} {kind}" for kind, count in pruned.rows.items() if count)
    click.echo(f"{verb} {kinds or 'nothing'} ({pruned.stored_bytes:,} bytes)")


def _retention(settings: Settings) -> Retention:
    kept = settings.retention
    return Retention(
        evidence_days=kept.evidence_days,
        stages_days=kept.stages_days,
        reports_days=kept.reports_days,
        snapshots_days=kept.snapshots_days,
    )


def _pruned_event(pruned: Pruned, now: datetime) -> NewEvent:
    return NewEvent(
        correlation_id=f"db-prune-{now.isoformat()}",
        kind="db.pruned",
        key="",
        at=now,
        actor="firstfault db prune",
        subject="database",
        why="older than the settings keep it",
        payload={"rows": dict(pruned.rows), "stored_bytes": pruned.stored_bytes},
    )
