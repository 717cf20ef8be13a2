"""`firstfault incidents ticket`: a bundle for the vendor, as advice: it is written here, and sent by people."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from firstfault.agent.render.phrases import moment
from firstfault.agent.render.safety import one_line
from firstfault.agent.report.contract import Report
from firstfault.agent.store import Store, StoreError
from firstfault.cli.configuration import NothingUsable, opened_store, settings_in_force
from firstfault.cli.files import write_whole
from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.kinds import Kind
from firstfault.tools.readers import read
from firstfault.tools.readings import Fact

_SAFE = re.compile(r"[^A-Za-z0-9._-]")
_TELLING = frozenset({Kind.NVIDIA_SMI, Kind.HOST_TOOL})
"""Kinds of document in which tools print serial numbers and versions."""


@click.command()
@click.argument("incident")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The archive to write; `INCIDENT-ticket.zip` here if not given.",
)
@click.option("--text", "text_only", is_flag=True, help="Print only the text, and write no archive.")
def ticket(incident: str, out: Path | None, *, text_only: bool) -> None:
    """Write the vendor's ticket for INCIDENT: its text, the report, and the cited evidence, redacted. Nothing is sent."""
    from firstfault.agent.ticket.bundle import bundle
    from firstfault.agent.ticket.identity import identity
    from firstfault.agent.ticket.text import Ticket
    from firstfault.cli.workbench import redactor

    target = out or Path(f"{_SAFE.sub('_', incident)}-ticket.zip")
    if not text_only and target.exists():
        msg = f"`{target}` is there already: name another file with `--out`"
        raise NothingUsable(msg)
    with opened_store() as store:
        report = _report(store, incident)
        documents = store.evidence.documents(incident)
        made = Ticket(
            report=report,
            identity=identity(report.diagnosis.culprit, _facts(report, documents)),
            done=tuple(_done(store, incident)),
        )
        text, archive = bundle(made, documents, redactor(settings_in_force()))
    if not made.is_recommended:
        click.echo(f"note: the report does not advise a ticket for `{incident}`", err=True)
    click.echo(text, nl=False)
    if not text_only:
        write_whole(target, archive)
        click.echo(f"written to {target}: read it through before it leaves", err=True)


def _report(store: Store, incident: str) -> Report:
    try:
        store.incidents.get(incident)
        report = store.reports.get(incident)
    except StoreError as error:
        raise NothingUsable(str(error)) from error
    if report is None:
        msg = f"`{incident}` has no report yet: investigate it first"
        raise NothingUsable(msg)
    return report


def _facts(report: Report, documents: Iterable[Document]) -> Iterator[Fact]:
    context = ReadContext(opened_at=report.incident.opened_at, zone=None, as_of=None)
    for document in documents:
        if document.kind in _TELLING:
            yield from read(document, context).facts


def _done(store: Store, incident: str) -> Iterator[str]:
    """Yield what was carried out for the incident, in one line each."""
    for decision in store.decisions.of_incident(incident):
        execution = store.executions.of_decision(decision.id)
        if execution is not None:
            began, why = moment(execution.begun_at), one_line(execution.why, 120)
            yield f"{began}  {execution.action} on {execution.target}: {execution.ending} ({why})"
