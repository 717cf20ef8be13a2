"""`firstfault doctor`: can what is configured be read, may nothing be written, and what stays unseen."""

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime

import click

from firstfault.agent.classes.definitions import load_classes
from firstfault.agent.doctor.findings import Finding, State, findings, worst
from firstfault.agent.settings import Settings
from firstfault.agent.store import StoreError, open_store
from firstfault.cli.configuration import settings_in_force, state
from firstfault.cli.live import kube_settings, loki_headers, secrets_of
from firstfault.tools.probes import Probe

FAILED = 1
MARKS = {State.OK: "ok  ", State.WARN: "warn", State.FAIL: "FAIL"}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
@click.option("--strict", is_flag=True, help="Warnings fail too.")
def doctor(*, as_json: bool, strict: bool) -> None:
    """Check every configured source, our rights, clocks and blind spots; exit code 1 when something fails."""
    from firstfault.agent.render.safety import one_line

    settings = settings_in_force()
    probes = tuple(_probes(settings))
    problems = [("database", _database(settings))]
    if not probes:
        none = "none is configured: set `kubernetes.enabled`, `prometheus.url` or `loki.url`"
        problems.append(("sources", none))
    rows = findings(probes, problems, load_classes())
    if as_json:
        click.echo(json.dumps([_plain(row) for row in rows], indent=2))
    else:
        width = max(len(row.part) for row in rows)
        for row in rows:
            click.echo(f"{MARKS[row.state]}  {row.part:<{width}}  {one_line(row.said)}")
    bad = {State.FAIL, State.WARN} if strict else {State.FAIL}
    if worst(rows) in bad:
        sys.exit(FAILED)


def _plain(row: Finding) -> dict[str, str]:
    return {"part": row.part, "state": row.state.value, "said": row.said}


def _probes(settings: Settings) -> Iterator[Probe]:
    if settings.kubernetes.enabled:
        from firstfault.tools.kube.rights import probe_cluster

        yield probe_cluster(kube_settings(settings, "doctor"), _now)
    if settings.prometheus.url is not None:
        from firstfault.tools.prometheus.probe import probe_prometheus

        yield probe_prometheus(settings.prometheus.url, secrets_of(settings.prometheus.headers), _now)
    if settings.loki.url is not None:
        from firstfault.tools.loki.client import connect
        from firstfault.tools.loki.probe import probe_loki

        with connect(settings.loki.url, loki_headers(settings)) as client:
            yield probe_loki(client, _now)


def _database(settings: Settings) -> str:
    try:
        with open_store(state(), url=settings.address, key_file=settings.signing_key_file):
            return ""
    except StoreError as error:
        return str(error)


def _now() -> datetime:
    return datetime.now(UTC)
