"""`firstfault investigate`: from a path to a report."""

import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import click

from firstfault.agent.model.cassette import CassetteError
from firstfault.agent.report.contract import GapPart, Report
from firstfault.agent.store import StoreError
from firstfault.cli.configuration import settings_in_force
from firstfault.cli.files import write_whole
from firstfault.cli.inquiry import Inquiry, investigate_alerts, investigate_recording
from firstfault.cli.progress import reading_progress
from firstfault.cli.thinking import NoModelError, load_thinking
from firstfault.cli.workbench import redactor
from firstfault.policies.cedar import PolicyError
from firstfault.policies.limits import LimitError
from firstfault.tools.alerts.webhook import AlertError, read_notification
from firstfault.tools.kube.errors import KubeConfigError
from firstfault.tools.recording import RecordingError, open_recording
from firstfault.tools.recording.overrides import Override, parse_override

NOTHING_USABLE = 2
SOURCE_FAILED = 3
LIVE_SOURCES = frozenset({"kubernetes", "prometheus", "loki", "silences", "audit log"})
"""Names of sources that are asked only where the settings name them."""


@click.command()
@click.argument("path", type=click.Path(path_type=Path), required=False)
@click.option(
    "--alert",
    "alert",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="What Alertmanager posted, instead of PATH; live sources are read.",
)
@click.option("--question", default=None, help="What you want to know; a case folder brings its own.")
@click.option(
    "--as-of",
    "as_of",
    type=click.DateTime(),
    default=None,
    help="Nothing later than this UTC time is looked at.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print the report as JSON (schema firstfault.report/v1)."
)
@click.option(
    "--html",
    "html",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="Also write the report as one HTML file.",
)
@click.option("--incident-id", default=None, help="Fix the id; an unfinished run under this id is resumed.")
@click.option(
    "--as",
    "overrides",
    multiple=True,
    nargs=2,
    metavar="KIND:ENTITY FILE",
    help="Say what a file is, e.g. --as kernel_log:node=gpu-7 FILE.",
)
@click.option(
    "--record-model",
    "record",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="Write every exchange with the model to this file.",
)
@click.option(
    "--replay-model",
    "replay",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="Play back such a file instead of asking a model; no network is used.",
)
@click.option("--strict", is_flag=True, help="Exit with 3 when a source could not be read.")
def investigate(
    path: Path | None,
    alert: Path | None,
    question: str | None,
    as_of: datetime | None,
    as_json: bool,
    html: Path | None,
    incident_id: str | None,
    overrides: tuple[tuple[str, str], ...],
    record: Path | None,
    replay: Path | None,
    strict: bool,
) -> None:
    """Investigate what was recorded at PATH: a case folder, any folder, an archive, or one file."""
    settings = settings_in_force()
    try:
        inquiry = Inquiry(
            question=question,
            as_of=as_of.replace(tzinfo=as_of.tzinfo or UTC) if as_of else None,
            incident_id=incident_id,
            now=datetime.now(UTC),
            progress=_progress(),
            thinking=load_thinking(settings.model, redactor(settings), record=record, replay=replay),
            settings=settings,
        )
        report = _report(path, alert, overrides, inquiry)
    except (
        RecordingError,
        AlertError,
        KubeConfigError,
        StoreError,
        NoModelError,
        CassetteError,
        PolicyError,
        LimitError,
    ) as error:
        click.echo(f"firstfault: {error}", err=True)
        sys.exit(NOTHING_USABLE)
    if html is not None:
        from firstfault.agent.render.html import render as render_html

        write_whole(html, render_html(report))
    if as_json:
        click.echo(report.model_dump_json(by_alias=True, indent=2))
    else:
        from firstfault.agent.render.terminal import render as render_terminal

        render_terminal(report)
    if strict and any(_is_failure(gap) for gap in report.gaps):
        sys.exit(SOURCE_FAILED)


def _report(
    path: Path | None, alert: Path | None, overrides: tuple[tuple[str, str], ...], inquiry: Inquiry
) -> Report:
    if (path is None) == (alert is None):
        msg = "give either a PATH or `--alert FILE`"
        raise click.UsageError(msg)
    if path is not None:
        return investigate_recording(
            open_recording(path, overrides=_overrides(overrides), progress=reading_progress()), inquiry
        )
    alerts = read_notification(_read(alert or Path()))
    if not alerts:
        msg = f"`{alert}` holds no alert"
        raise AlertError(msg)
    return investigate_alerts(alerts, inquiry)


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        msg = f"`{file}` cannot be read: {error.strerror}"
        raise AlertError(msg) from error


def _is_failure(gap: GapPart) -> bool:
    """Return whether a gap means that a configured source failed, rather than that nobody had collected it."""
    if gap.source.startswith("recording:"):
        return not gap.why.startswith("not collected")
    return gap.source.partition(":")[0] in LIVE_SOURCES


def _overrides(pairs: tuple[tuple[str, str], ...]) -> list[Override]:
    return [parse_override(what, file) for what, file in pairs]


def _progress() -> Callable[[str], None]:
    if not sys.stderr.isatty():
        return lambda _stage: None

    def show(stage: str) -> None:
        click.echo(f"\r\x1b[2K{stage} done", nl=False, err=True)
        if stage == "publish":
            click.echo("\r\x1b[2K", nl=False, err=True)

    return show
