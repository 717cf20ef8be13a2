"""`firstfault explain`: why a class is, or is not, the diagnosis, with every line that was weighed."""

import json
from pathlib import Path

import click

from firstfault.agent.classes.definitions import load_classes
from firstfault.agent.correlate.echoes import load_echo_rules
from firstfault.agent.explain.explanation import NoSuchClassError
from firstfault.agent.explain.explanation import explain as explained
from firstfault.agent.explain.known import Known, NoRunError, known_of_answer, known_of_incident
from firstfault.agent.explain.plain import document_of
from firstfault.agent.explain.words import lines_of
from firstfault.agent.store import StoreError
from firstfault.cli.configuration import NothingUsable, opened_store, settings_in_force
from firstfault.cli.workbench import redactor
from firstfault.tools.recording import RecordingError, open_recording
from firstfault.tools.redaction.excerpts import excerpts_of
from firstfault.tools.sources import Question
from firstfault.tools.times import Window


@click.command()
@click.argument("path_or_incident", metavar="PATH|INCIDENT")
@click.option("--why", metavar="CLASS", help="Why this class is the diagnosis.")
@click.option("--why-not", "why_not", metavar="CLASS", help="Why this class is not the diagnosis.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON (schema firstfault.explanation/v1).")
def explain(path_or_incident: str, why: str | None, why_not: str | None, *, as_json: bool) -> None:
    """Print the evidence table behind a verdict, to argue with: what was looked for, found, missing and weighed.

    PATH is anything that `investigate` takes; INCIDENT is one that was investigated. Without a class, the
    diagnosis itself is explained.
    """
    if why is not None and why_not is not None:
        msg = "give either `--why` or `--why-not`"
        raise click.UsageError(msg)
    known = _known(path_or_incident)
    try:
        found = explained(why or why_not, load_classes(), known)
    except NoSuchClassError as error:
        raise NothingUsable(str(error)) from error
    excerpts = excerpts_of(known.documents, redactor(settings_in_force()))
    if as_json:
        click.echo(json.dumps(document_of(found, excerpts.shown), indent=2, ensure_ascii=False))
        return
    for line in lines_of(found, excerpts.shown):
        click.echo(excerpts.text(line))


def _known(given: str) -> Known:
    path = Path(given)
    try:
        if path.exists():
            return _of_recording(path)
        with opened_store() as store:
            return known_of_incident(store, given)
    except (RecordingError, StoreError, NoRunError) as error:
        raise NothingUsable(str(error)) from error


def _of_recording(path: Path) -> Known:
    recording = open_recording(path)
    manifest = recording.manifest
    answer = recording.read(Question(), Window(start=None, end=None), manifest.as_of)
    return known_of_answer(answer, recording.context, load_echo_rules(), manifest.question, manifest.as_of)
