"""`firstfault capture`: a case folder from live sources, redacted, to be replayed offline."""

import re
import shutil
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from firstfault.agent.settings import Settings
from firstfault.agent.store import Store, StoreError, open_store
from firstfault.cli.configuration import NothingUsable, settings_in_force, state
from firstfault.tools.alerts.alert import Alert
from firstfault.tools.evidence import Gap
from firstfault.tools.sources import Answer, Question, Source
from firstfault.tools.times import Window

_LENGTH = re.compile(r"(?P<count>\d{1,6})(?P<unit>[smhd])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
SCOPES = ("node", "namespace")


@click.command()
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--since", required=True, help="How far back: `90m`, `2h`, `3d`, or an ISO time.")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    metavar="node=NAME|namespace=NAME",
    help="What it is about; may be given several times.",
)
@click.option(
    "--alert",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="What Alertmanager posted: its alerts go into the case, and what they name into the scope.",
)
@click.option("--question", default="What happened first, and why?", help="What the case asks.")
def capture(out: Path, since: str, scopes: tuple[str, ...], alert: Path | None, question: str) -> None:
    """Write everything the live sources have of a scope to the new folder OUT; `firstfault investigate OUT` replays it."""
    from firstfault.agent.capture.case import CaseHeader, case_files
    from firstfault.cli.workbench import redactor

    settings, now = settings_in_force(), datetime.now(UTC)
    if out.exists():
        msg = f"`{out}` is there already: name a new folder"
        raise NothingUsable(msg)
    window = Window(start=_start(since, now), end=now)
    alerts = _alerts(alert)
    with ExitStack() as opened:
        store, lacking = _snapshots(settings, opened)
        sources = _sources(settings, scopes, alerts, store)
        with ThreadPoolExecutor(max_workers=len(sources)) as pool:
            answers = [each.result() for each in [pool.submit(_read, source, window) for source in sources]]
    answers.append(Answer(gaps=lacking))
    header = CaseHeader(
        id=out.name,
        question=question,
        opened_at=min((each.starts_at for each in alerts), default=now),
        environment={"captured": now.isoformat(), "sources": ", ".join(source.name for source in sources)},
    )
    _write(out, case_files(header, answers, redactor(settings)))
    documents = sum(len(answer.documents) for answer in answers)
    gaps = sum(len(answer.gaps) for answer in answers)
    click.echo(
        f"{documents} documents from {len(sources)} sources in {out}; {gaps} gaps are listed in case.yaml"
    )


def _snapshots(settings: Settings, opened: ExitStack) -> tuple[Store | None, tuple[Gap, ...]]:
    """Return the store with the snapshots of machines; without one, that they are not there."""
    if not settings.kubernetes.enabled:
        return None, ()
    try:
        store = open_store(state(), url=settings.address, key_file=settings.signing_key_file)
        return opened.enter_context(store), ()
    except StoreError as error:
        from firstfault.agent.serve.machine_source import unseen

        return None, (unseen(str(error)),)


def _sources(
    settings: Settings, scopes: Iterable[str], alerts: tuple[Alert, ...], store: Store | None
) -> tuple[Source, ...]:
    from firstfault.agent.serve.alert_source import AlertSource
    from firstfault.cli.live import live_sources, scope_of
    from firstfault.tools.kube.errors import KubeConfigError
    from firstfault.tools.kube.plan import Scope

    named = _named(scopes)
    told = scope_of(alerts)
    scope = Scope(
        nodes=tuple(dict.fromkeys((*named["node"], *told.nodes))),
        namespaces=tuple(dict.fromkeys((*named["namespace"], *told.namespaces))),
    )
    if not scope.nodes and not scope.namespaces:
        msg = "nothing is in scope: give `--scope node=NAME`, `--scope namespace=NAME` or `--alert FILE`"
        raise NothingUsable(msg)
    try:
        live = live_sources(settings, scope, "capture", store)
    except KubeConfigError as error:
        raise NothingUsable(str(error)) from error
    if not live:
        msg = "no live source is configured: set `kubernetes.enabled`, `prometheus.url` or `loki.url`"
        raise NothingUsable(msg)
    return (AlertSource(alerts=alerts), *live) if alerts else live


def _named(scopes: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {kind: [] for kind in SCOPES}
    for scope in scopes:
        kind, _, name = scope.partition("=")
        if kind not in found or not name:
            msg = f"`--scope {scope}` is not understood: write `node=NAME` or `namespace=NAME`"
            raise NothingUsable(msg)
        found[kind].append(name)
    return found


def _alerts(file: Path | None) -> tuple[Alert, ...]:
    from firstfault.tools.alerts.webhook import AlertError, read_notification

    if file is None:
        return ()
    try:
        return read_notification(file.read_bytes())
    except (AlertError, OSError) as error:
        msg = f"`{file}` cannot be read: {error}"
        raise NothingUsable(msg) from error


def _read(source: Source, window: Window) -> Answer:
    return source.read(Question(), window, None)


def _start(since: str, now: datetime) -> datetime:
    length = _LENGTH.fullmatch(since)
    if length is not None:
        return now - timedelta(**{_UNITS[length["unit"]]: int(length["count"])})
    try:
        at = datetime.fromisoformat(since)
    except ValueError as error:
        msg = f"`--since {since}` is not understood: write `90m`, `2h`, `3d` or an ISO time"
        raise NothingUsable(msg) from error
    return at.replace(tzinfo=at.tzinfo or UTC)


def _write(out: Path, files: Iterable[tuple[str, str]]) -> None:
    """Write all files or none: the folder has its name only when it is whole."""
    made: Path | None = None
    try:
        made = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
        for path, text in files:
            target = made / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")
        made.chmod(0o755)
        made.rename(out)
    except OSError as error:
        msg = f"`{out}` could not be written ({error.strerror}): give another path or free the disk"
        raise NothingUsable(msg) from error
    finally:
        if made is not None and made.exists():
            shutil.rmtree(made, ignore_errors=True)
