"""`firstfault shadow`: how good it would have been, on past and on live incidents, and what follows for the modes."""

import difflib
import json
import re
from datetime import UTC, datetime
from pathlib import Path

import click

from firstfault.agent.feedback.labels import About, Label
from firstfault.agent.ledger.reading import read_ledger
from firstfault.agent.ledger.rows import LedgerError
from firstfault.agent.version import agent_version
from firstfault.cli.configuration import NothingUsable, opened_store, state
from firstfault.cli.files import write_whole
from firstfault.cli.shadow_runs import backtest_folder, parse_offsets, score_everything, standing_of
from firstfault.cli.shadow_words import pages_of, postmortem_of, week_of
from firstfault.cli.taxonomy import known_class
from firstfault.evals.cases import CasesError
from firstfault.evals.promotion.moves import PromotionRefused, demote_where_due, promote_cell
from firstfault.evals.promotion.promotion import CellNameError, parse_cell
from firstfault.evals.promotion.standings import mode_marks
from firstfault.evals.shadow import pages
from firstfault.evals.shadow.history import unknowns
from firstfault.evals.shadow.imports import HistoryError, read_history
from firstfault.evals.shadow.journal import JournalError
from firstfault.evals.shadow.records import ShadowRecords, Watched
from firstfault.evals.truth import TruthError
from firstfault.policies.modes import Mode
from firstfault.tools.recording import RecordingError
from firstfault.tools.redaction import redact

_WEEK = re.compile(r"\d{4}-W(?:0[1-9]|[1-4]\d|5[0-3])", re.ASCII)
_BY = click.option("--by", required=True, metavar="WHO", help="Your name, as it will stand in the audit.")
_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
_HTML = click.option(
    "--html", type=click.Path(path_type=Path, dir_okay=False), default=None, help="Also write one HTML file."
)


@click.group()
def shadow() -> None:
    """Run beside the people on call, keep score, and let them decide what it may do."""


@shadow.command("import")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--by", default="import", metavar="WHO", show_default=True, help="Who brings it in.")
def import_(file: Path, by: str) -> None:
    """Take in past incidents (CSV, JSON), Alertmanager notifications, or an API server's audit log."""
    try:
        found = read_history(file.read_text(encoding="utf-8", errors="replace"), file.name)
    except HistoryError as error:
        raise NothingUsable(str(error)) from error
    now = datetime.now(UTC)
    with opened_store() as store:
        records = ShadowRecords(store, redact)
        new_incidents = records.keep_incidents(found.incidents, now, by=by)
        watched = Watched(start=found.span[0], end=found.span[1], source=file.name) if found.span else None
        new_actions = records.keep_actions(found.actions, now, by=by, watched=watched)
    click.echo(
        f"{new_incidents} of {len(found.incidents)} incidents are new, {new_actions} of {len(found.actions)} actions"
    )
    asked = {incident.id: unknowns(incident) for incident in found.incidents if unknowns(incident)}
    for incident_id, missing in list(asked.items())[:20]:
        click.echo(
            f"  {incident_id}: please tell {', '.join(missing)} (`firstfault shadow label {incident_id} …`)"
        )
    if len(asked) > 20:  # noqa: PLR2004 - a screen full
        click.echo(f"  and {len(asked) - 20} more")


@shadow.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False), required=False)
@click.option(
    "--from", "start", type=click.DateTime(), default=None, help="Imported incidents from this UTC time on."
)
@click.option(
    "--to", "end", type=click.DateTime(), default=None, help="Imported incidents up to this UTC time."
)
@click.option(
    "--offsets", default="0,5,15,60", show_default=True, help="Minutes after the alert that are replayed."
)
@click.option("--workers", type=click.IntRange(1, 64), default=2, show_default=True, help="Processes.")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), default=None, help="Where results are kept."
)
@_HTML
@_JSON
def backtest(
    folder: Path | None,
    start: datetime | None,
    end: datetime | None,
    offsets: str,
    workers: int,
    out: Path | None,
    html: Path | None,
    as_json: bool,
) -> None:
    """Replay past incidents as of their alert and a little later, and score what would have been said.

    FOLDER holds `history.json`, `history.csv` or cases. The same command goes on after it was stopped.
    """
    if folder is None and start is None and end is None:
        msg = "give a folder, or `--from` and `--to` for imported incidents"
        raise NothingUsable(msg)
    try:
        result = backtest_folder(folder, (_utc(start), _utc(end)), parse_offsets(offsets), workers, out)
    except (HistoryError, CasesError, TruthError, JournalError, RecordingError) as error:
        raise NothingUsable(str(error)) from error
    title = f"Backtest of {result.source}"
    page = html or result.out / "scorecard.html"
    write_whole(page, pages.html(result.scorecard, result.cells, title, mode_marks()))
    click.echo(pages_of(result.scorecard, result.cells, as_json=as_json))
    for line in result.notes:
        click.echo(line, err=True)
    click.echo(f"written to {page} and {result.out}", err=True)


@shadow.command()
@_HTML
@_JSON
def score(html: Path | None, as_json: bool) -> None:
    """Score the incidents of this installation, keep the scorecard, and send cells back that got worse."""
    now = datetime.now(UTC)
    with opened_store() as store:
        records = ShadowRecords(store, redact)
        result = score_everything(store, records, now)
        try:
            demoted = demote_where_due(store, state(), result.scorecard, now, version=result.version)
        except LedgerError as error:
            demoted = ()
            click.echo(
                f"firstfault: the ledger cannot be trusted ({error}): every cell is in shadow", err=True
            )
        cells = standing_of(store, result.scorecard)
    if html is not None:
        write_whole(html, pages.html(result.scorecard, cells, "Shadow scorecard", mode_marks()))
    click.echo(pages_of(result.scorecard, cells, as_json=as_json))
    for row in demoted:
        click.echo(f"{row.move.name} went back to {row.move.mode} mode: {row.move.why}", err=True)


@shadow.command()
@click.argument("incident")
@click.option("--class", "failure_class", help="What was really wrong: a class of the taxonomy.")
@click.option("--layer", help="The layer, when the class is not known.")
@click.option("--owner", type=click.Choice(["platform", "application", "shared"]), help="Who had to act.")
@click.option("--culprit", metavar="KIND/NAME", help="The thing at fault.")
@click.option("--first-fault", metavar="PATH:LINE", help="The line of the first fault.")
@click.option("--false-alarm/--real", default=None, help="Whether nothing was wrong.")
@click.option("--resolution", help="What was done.")
@click.option("--outcome", help="Whether it helped.")
@click.option(
    "--source", default="firstfault shadow label", show_default=True, help="Where you know it from."
)
@_BY
def label(incident: str, by: str, source: str, **told: str | bool | None) -> None:
    """Say what was really wrong in INCIDENT. A later label of the same person replaces the earlier one."""
    names = {"failure_class": About.FAILURE_CLASS} | {field.value: field for field in About}
    values = {
        names[name]: str(value).lower() if isinstance(value, bool) else value
        for name, value in told.items()
        if value is not None
    }
    known_class(values.get(About.FAILURE_CLASS))
    if not values:
        msg = "nothing was said: give at least one of --class, --owner, --culprit, --false-alarm …"
        raise NothingUsable(msg)
    now = datetime.now(UTC)
    labels = [
        Label(incident=incident, field=field, value=value, author=by, source=source, at=now)
        for field, value in values.items()
    ]
    with opened_store() as store:
        records = ShadowRecords(store, redact)
        added = records.keep_labels(labels, now)
        known = {each.id for each in records.incidents()} | {
            each.incident.id for each in store.incidents.recent()
        }
    click.echo(f"{added} of {len(labels)} statements on {incident} are new")
    if incident not in known:
        near = difflib.get_close_matches(incident, sorted(known), n=1)
        hint = f"did you mean `{near[0]}`?" if near else "see `firstfault incidents list`"
        click.echo(f"no incident `{incident}` is known here yet, the label waits for it: {hint}", err=True)


@shadow.command()
@click.option("--week", metavar="YYYY-Www", default=None, help="Only this ISO week.")
@click.option("--incident", default=None, help="A draft post-mortem of this incident instead.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["markdown", "slack", "json"]),
    default="markdown",
    show_default=True,
)
@_HTML
def report(week: str | None, incident: str | None, form: str, html: Path | None) -> None:
    """Write the weekly scorecard, or a draft post-mortem of one incident."""
    if week is not None and _WEEK.fullmatch(week) is None:
        msg = f"`{week}` is no ISO week: write `2026-W07`"
        raise NothingUsable(msg)
    with opened_store() as store:
        records = ShadowRecords(store, redact)
        text, page = (
            postmortem_of(store, records, incident) if incident else week_of(store, records, week, form)
        )
    if html is not None:
        write_whole(html, page)
    click.echo(text)


@shadow.command()
@click.option("--cell", required=True, metavar="CLASS:ACTION", help="Which cell.")
@click.option(
    "--to", "mode", type=click.Choice([mode.value for mode in Mode]), required=True, help="Which mode."
)
@click.option("--why", required=True, metavar="TEXT", help="Your reason, kept in the audit.")
@click.option("--scorecard", metavar="DIGEST", default=None, help="A kept scorecard; the newest by default.")
@_BY
@_JSON
def promote(cell: str, mode: str, why: str, scorecard: str | None, by: str, as_json: bool) -> None:
    """Move one cell to another mode. Refused unless a kept scorecard meets every number; going back is always allowed."""
    try:
        failure_class, action = parse_cell(cell)
    except CellNameError as error:
        raise NothingUsable(str(error)) from error
    with opened_store() as store:
        kept = ShadowRecords(store, redact).scorecards()
        try:
            row = promote_cell(
                store,
                state(),
                kept,
                (failure_class, action),
                Mode(mode),
                by=by,
                why=why,
                digest=scorecard,
                version=agent_version(),
                now=datetime.now(UTC),
            )
        except PromotionRefused as refusal:
            if as_json:
                click.echo(
                    json.dumps(
                        {"cell": cell, "to": mode, "promoted": False, "reasons": list(refusal.reasons)}
                    )
                )
            raise NothingUsable(str(refusal)) from refusal
        except LedgerError as error:
            msg = (
                f"the ledger cannot be trusted, nothing may be moved: {error}; run `firstfault audit verify`"
            )
            raise NothingUsable(msg) from error
        trouble = read_ledger(store, state()).trouble
    if trouble:
        raise NothingUsable(trouble)
    moved = f"{cell} is in {mode} mode now (audit event {row.seq}, scorecard {row.move.scorecard[:12]})"
    click.echo(
        json.dumps({"cell": cell, "to": mode, "promoted": True, "audit": row.seq}) if as_json else moved
    )


def _utc(at: datetime | None) -> datetime | None:
    return None if at is None else at.replace(tzinfo=at.tzinfo or UTC)
