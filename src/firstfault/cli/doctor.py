"""`firstfault doctor`: can what is configured be read, may nothing be written, and what stays unseen."""

import json
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from textwrap import wrap

import click

from firstfault.agent.classes.definitions import load_classes
from firstfault.agent.doctor.finding import Finding, State, worst
from firstfault.agent.doctor.findings import findings
from firstfault.agent.settings import Settings
from firstfault.agent.store import Store, open_store
from firstfault.cli.configuration import settings_in_force, state
from firstfault.cli.live import audit_file, cluster_name, kube_settings, loki_headers, secrets_of
from firstfault.tools.probes import Probe

FAILED = 1
MARKS = {State.OK: "ok  ", State.WARN: "warn", State.FAIL: "FAIL"}
USUAL_WIDTH = 100
LEAST_TEXT = 40


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
@click.option("--strict", is_flag=True, help="Warnings fail too.")
def doctor(*, as_json: bool, strict: bool) -> None:
    """Check every configured source, our rights, clocks and blind spots; exit code 1 when something fails."""
    settings = settings_in_force()
    looks = tuple(_probes(settings))
    with ThreadPoolExecutor(max_workers=len(looks) + 2) as pool:
        probes = [pool.submit(look) for look in looks]
        kept, chat = pool.submit(_kept, settings), pool.submit(_chat, settings)
        others = (*_sources(looks), *kept.result(), *chat.result())
        rows = findings([each.result() for each in probes], others, load_classes())
    if as_json:
        click.echo(json.dumps([_plain(row) for row in rows], indent=2))
    else:
        for line in _table(rows):
            click.echo(line)
    bad = {State.FAIL, State.WARN} if strict else {State.FAIL}
    if worst(rows) in bad:
        sys.exit(FAILED)


def _plain(row: Finding) -> dict[str, str]:
    return {
        "part": row.part,
        "state": row.state.value,
        "said": row.said,
        "blind": row.blind,
        "remedy": row.remedy,
    }


def _table(rows: tuple[Finding, ...]) -> Iterator[str]:
    """Yield the lines of the table; what does not fit goes on below, and what to do stands on a line of its own."""
    from firstfault.agent.render.safety import one_line

    width = max(len(row.part) for row in rows)
    columns = shutil.get_terminal_size((USUAL_WIDTH, 24)).columns
    room = max(LEAST_TEXT, columns - width - len("FAIL    ") - len("not seen: "))
    margin = " " * (width + len("FAIL    "))
    for row in rows:
        first, *more = wrap(one_line(row.said), room + len("not seen: ")) or [""]
        yield f"{MARKS[row.state]}  {row.part:<{width}}  {first}"
        yield from (margin + line for line in more)
        for name, text in (("not seen: ", row.blind), ("do:       ", row.remedy)):
            for number, line in enumerate(wrap(one_line(text), room)):
                yield margin + (name if number == 0 else " " * len(name)) + line
    counts = Counter(row.state for row in rows)
    yield f"{counts[State.FAIL]} failed, {counts[State.WARN]} warnings"


def _probes(settings: Settings) -> Iterator[Callable[[], Probe]]:
    if settings.kubernetes.enabled:
        from firstfault.tools.kube.rights import probe_cluster

        yield lambda: probe_cluster(kube_settings(settings, "doctor"), _now)
    if (prometheus := settings.prometheus.url) is not None:
        from firstfault.tools.prometheus.probe import probe_prometheus

        yield lambda: probe_prometheus(prometheus, secrets_of(settings.prometheus.headers), _now)
    if (loki := settings.loki.url) is not None:
        from firstfault.tools.loki.client import Asker, connect
        from firstfault.tools.loki.probe import probe_loki

        def probe() -> Probe:
            with connect(loki, loki_headers(settings)) as client:
                return probe_loki(Asker(client=client), _now)

        yield probe
    if (alertmanager := settings.alertmanager.url) is not None:
        from firstfault.tools.prometheus.silences import SilenceSource
        from firstfault.tools.prometheus.silences_probe import probe_silences

        headers = secrets_of(settings.alertmanager.headers)
        yield lambda: probe_silences(SilenceSource(url=alertmanager, headers=headers, clock=_now))
    if (file := audit_file(settings)) is not None:
        from firstfault.tools.auditlog.probe import probe_audit_log
        from firstfault.tools.auditlog.source import AuditLogSource

        log = AuditLogSource(file=file, nodes=(), namespaces=(), clock=_now)
        yield lambda: probe_audit_log(log, is_received=settings.audit_log.receive)


def _sources(looks: tuple[Callable[[], Probe], ...]) -> Iterator[Finding]:
    if not looks:
        yield Finding(
            part="sources",
            state=State.FAIL,
            said="none is configured",
            blind="everything but what an alert says itself",
            remedy="set `kubernetes.enabled`, `prometheus.url` or `loki.url` in firstfault.toml (docs/settings.md)",
        )


def _kept(settings: Settings) -> tuple[Finding, ...]:
    from firstfault.agent.doctor.keeping import database_rows, snapshot_row
    from firstfault.agent.store.standing import standing

    def opened() -> Store:
        return open_store(state(), url=settings.address, key_file=settings.signing_key_file)

    cluster = cluster_name(settings) if settings.kubernetes.enabled else None
    found = standing(opened, state(), _now(), cluster)
    rows = tuple(database_rows(found))
    if cluster is None or found.problem is not None:
        return rows
    return (*rows, snapshot_row(found.snapshots, settings.kubernetes.snapshot_every_s, _now()))


def _chat(settings: Settings) -> tuple[Finding, ...]:
    token, app_token = settings.slack.bot_token, settings.slack.app_token
    if token is None:
        return ()
    from firstfault.agent.doctor.chat import chat_rows
    from firstfault.agent.slack.ports.calls import Calls, connect
    from firstfault.agent.slack.ports.looking import look

    calls = Calls(connect(token.get_secret_value(), settings.slack.base_url))
    found = look(calls, settings.slack.channels, app_token.get_secret_value() if app_token else None)
    can_hear = app_token is not None or settings.slack.signing_secret is not None
    return tuple(chat_rows(found, can_hear=can_hear))


def _now() -> datetime:
    return datetime.now(UTC)
