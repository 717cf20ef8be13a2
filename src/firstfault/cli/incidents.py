"""`firstfault incidents`: what was investigated."""

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import click

from firstfault.agent.recollection.features import said
from firstfault.agent.store import IncidentRecord, Status, StoreError
from firstfault.cli.configuration import NothingUsable, opened_store
from firstfault.cli.memory import Ending, block, matching, plain, resembling
from firstfault.cli.memory import add as remember_unseen
from firstfault.cli.memory import resolve as remember
from firstfault.cli.taxonomy import known_class
from firstfault.cli.ticket import ticket
from firstfault.tools.entities import EntityKind
from firstfault.tools.past_incidents import Outcome, PastIncident

Command = Callable[..., None]

_WIDTHS = (28, 19, 9, 13, 28)
_HEADINGS = ("INCIDENT", "SEEN", "STATUS", "VERDICT", "CLASS", "SUMMARY")


@click.group()
def incidents() -> None:
    """List and show past investigations."""


incidents.add_command(ticket)


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


@incidents.command()
@click.argument("words", nargs=-1)
@click.option("--like", metavar="INCIDENT", help="What resembles this incident; words then break ties.")
@click.option("--limit", type=click.IntRange(min=1), default=5, show_default=True, help="How many at most.")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def search(words: tuple[str, ...], like: str | None, limit: int, *, as_json: bool) -> None:
    """Find past incidents by WORDS, or by what they share with another. Nothing given: the newest."""
    text = " ".join(words)
    with opened_store() as store:
        try:
            found = resembling(store, like, text, limit) if like else matching(store, text, limit)
        except StoreError as error:
            raise NothingUsable(str(error)) from error
    if as_json:
        click.echo(json.dumps([plain(each) for each in found], indent=2))
        return
    for each in found:
        click.echo(block(each))
    if not found:
        click.echo("nothing found", err=True)


def _said(command: Command) -> Command:
    """Add the options that say how an incident ended."""
    outcomes = [each.value for each in Outcome]
    kinds = [each.value for each in EntityKind]
    for option in (
        click.option("--by", "author", required=True, metavar="WHO", help="Who says so."),
        click.option(
            "--culprit", "culprit_kind", type=click.Choice(kinds), help="What kind of thing it was."
        ),
        click.option("--class", "failure_class", metavar="CLASS", help="What it really was."),
        click.option(
            "--outcome", type=click.Choice(outcomes), default="unknown", help="Whether that helped."
        ),
        click.option("--resolution", required=True, metavar="TEXT", help="What was done."),
    ):
        command = option(command)
    return command


@incidents.command()
@click.argument("incident")
@_said
def resolve(
    incident: str,
    resolution: str,
    outcome: str,
    failure_class: str | None,
    culprit_kind: str | None,
    author: str,
) -> None:
    """Say how INCIDENT ended, so that it is remembered when something like it happens again."""
    ending = Ending(
        resolution=resolution,
        outcome=Outcome(outcome),
        author=author,
        failure_class=known_class(failure_class),
        culprit_kind=culprit_kind,
    )
    with opened_store() as store:
        try:
            past = remember(store, incident, ending, datetime.now(UTC))
        except StoreError as error:
            raise NothingUsable(str(error)) from error
    click.echo(f"{past.id} is resolved and remembered by: {', '.join(sorted(past.features)) or 'its words'}")


@incidents.command()
@click.argument("incident")
@click.option("--summary", required=True, metavar="TEXT", help="What happened.")
@click.option(
    "--signal", "signals", multiple=True, metavar="NAME", help="A signal that was seen, e.g. xid.79."
)
@click.option("--at", type=click.DateTime(), help="When it was resolved, in UTC; now if not given.")
@_said
def add(
    incident: str,
    summary: str,
    signals: tuple[str, ...],
    at: datetime | None,
    resolution: str,
    outcome: str,
    failure_class: str | None,
    culprit_kind: str | None,
    author: str,
) -> None:
    """Remember a past INCIDENT that firstfault did not see itself."""
    past = PastIncident(
        id=incident,
        summary=summary,
        features=said(known_class(failure_class), culprit_kind, signals),
        resolution=resolution,
        outcome=Outcome(outcome),
        author=author,
        at=at.replace(tzinfo=UTC) if at else datetime.now(UTC),
    )
    with opened_store() as store:
        if store.incidents.find(incident) is not None:
            msg = f"`{incident}` was investigated here: use `firstfault incidents resolve`"
            raise NothingUsable(msg)
        remember_unseen(store, past)
    click.echo(f"{past.id} is remembered by: {', '.join(sorted(past.features)) or 'its words'}")


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
