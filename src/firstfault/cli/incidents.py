"""`firstfault incidents`: what was investigated."""

import json
from collections.abc import Sequence

import click

from firstfault.agent.store import IncidentRecord, Status, StoreError
from firstfault.cli.configuration import NothingUsable, opened_store

_WIDTHS = (28, 19, 9, 13, 28)
_HEADINGS = ("INCIDENT", "SEEN", "STATUS", "VERDICT", "CLASS", "SUMMARY")


@click.group()
def incidents() -> None:
    """List and show past investigations."""


@incidents.command("list")
@click.option("--status", type=click.Choice([each.value for each in Status]), help="Only these.")
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True, help="How many at most.")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def list_(status: str | None, limit: int, *, as_json: bool) -> None:
    """Print the newest incidents."""
    with opened_store() as store:
        records = store.incidents.recent(status=Status(status) if status else None, limit=limit)
    if as_json:
        click.echo(json.dumps([_plain(record) for record in records], indent=2))
        return
    for row in [_HEADINGS, *(_row(record) for record in records)] if records else []:
        click.echo(_columns(row))
    if not records:
        click.echo("no incidents", err=True)


@incidents.command()
@click.argument("incident")
@click.option("--version", "version", type=click.IntRange(min=1), help="An earlier report; see the JSON.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON, as it was published.")
def show(incident: str, version: int | None, *, as_json: bool) -> None:
    """Print the newest report of INCIDENT."""
    from firstfault.agent.render.terminal import render

    with opened_store() as store:
        try:
            record = store.incidents.get(incident)
            report = store.reports.get(incident, version)
        except StoreError as error:
            raise NothingUsable(str(error)) from error
    if report is None:
        versions = f"it has {record.reports} reports" if record.reports else "it has no report yet"
        msg = f"there is no such report of `{incident}`: {versions}"
        raise NothingUsable(msg)
    if as_json:
        click.echo(report.model_dump_json(by_alias=True, indent=2))
    else:
        render(report)


def _plain(record: IncidentRecord) -> dict[str, object]:
    closed = record.closed_at
    return {
        "id": record.incident.id,
        "question": record.incident.question,
        "correlation_id": record.incident.correlation_id,
        "status": record.status.value,
        "created_at": record.created_at.isoformat(),
        "closed_at": closed.isoformat() if closed else None,
        "reports": record.reports,
        "verdict": record.verdict,
        "failure_class": record.failure_class,
        "summary": record.summary,
    }


def _row(record: IncidentRecord) -> Sequence[str]:
    return (
        record.incident.id,
        record.created_at.strftime("%Y-%m-%d %H:%M:%S"),
        record.status.value,
        record.verdict or "",
        record.failure_class or "",
        record.summary or record.incident.question,
    )


def _columns(row: Sequence[str]) -> str:
    from firstfault.agent.render.safety import one_line

    *cells, last = row
    padded = (f"{one_line(cell, width):<{width}}" for cell, width in zip(cells, _WIDTHS, strict=True))
    return "  ".join((*padded, one_line(last, 80))).rstrip()
