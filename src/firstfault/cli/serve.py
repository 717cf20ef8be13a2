"""`firstfault serve`: receives alerts, keeps them, investigates, publishes."""

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import click
import uvicorn

from firstfault.agent.findings import Incident
from firstfault.agent.report.contract import Report
from firstfault.agent.serve.alert_source import AlertSource
from firstfault.agent.serve.dispatch import Dispatcher
from firstfault.agent.serve.reception import Reception
from firstfault.agent.serve.web import Front, make_app
from firstfault.agent.settings import Settings
from firstfault.agent.store import Store, StoreError
from firstfault.cli.configuration import NothingUsable, settings_in_force, state
from firstfault.cli.live import live_sources, scope_of
from firstfault.cli.thinking import load_thinking
from firstfault.cli.workbench import Workbench, open_workbench, redactor
from firstfault.policies.cedar import PolicyError
from firstfault.policies.limits import LimitError
from firstfault.tools.alerts.alert import Alert
from firstfault.tools.context import ReadContext

TICK_S = 1.0
"""How often the dispatcher looks for incidents whose alerts have settled."""


@dataclass
class Counters:
    """What this process did, for /metrics."""

    counts: Counter[str] = field(default_factory=Counter[str])

    def text(self) -> str:
        """Return the counters in Prometheus' text format."""
        lines = [f"firstfault_{name}_total {count}" for name, count in sorted(self.counts.items())]
        return "\n".join([*lines, "firstfault_up 1", ""])


@click.command()
def serve() -> None:
    """Receive Alertmanager webhooks and investigate; unfinished incidents are taken up at start."""
    settings = settings_in_force()
    token = settings.serve.webhook_token
    if token is None and not settings.serve.is_loopback:
        msg = (
            "others can connect to this address: set `FIRSTFAULT_SERVE__WEBHOOK_TOKEN` or listen on 127.0.0.1"
        )
        raise NothingUsable(msg)
    try:
        with open_workbench(
            settings, state(), _now(), thinking=load_thinking(settings.model, redactor(settings))
        ) as bench:
            _run(settings, bench, None if token is None else token.get_secret_value())
    except (StoreError, PolicyError, LimitError) as error:
        raise NothingUsable(str(error)) from error


def _run(settings: Settings, bench: Workbench, token: str | None) -> None:
    wake, stop, counters = threading.Event(), threading.Event(), Counters()
    reception = Reception(store=bench.store, token=token, clock=_now, arrived=wake.set)
    front = Front(reception=reception, readiness=lambda: _ready(bench.store), metrics=counters.text)
    dispatcher = Dispatcher(
        store=bench.store,
        investigate=_investigation(settings, bench),
        published=lambda report: _published(report, counters),
    )
    worker = threading.Thread(target=_work, args=(dispatcher, wake, stop, counters), name="dispatcher")
    worker.start()
    address = f"http://{settings.serve.host}:{settings.serve.port}"
    click.echo(f"listening on {address}; Alertmanager posts to {address}/webhooks/alertmanager", err=True)
    try:
        uvicorn.run(make_app(front), host=settings.serve.host, port=settings.serve.port, log_level="warning")
    finally:
        stop.set()
        wake.set()
        worker.join()


def _work(dispatcher: Dispatcher, wake: threading.Event, stop: threading.Event, counters: Counters) -> None:
    dispatcher.recover(_now())
    while not stop.is_set():
        wake.wait(TICK_S)
        wake.clear()
        try:
            counters.counts["alerts_assigned"] += dispatcher.assign(_now())
            for incident_id in dispatcher.due(_now()):
                dispatcher.run(incident_id)
        except StoreError as error:
            counters.counts["store_errors"] += 1
            click.echo(f"firstfault: {error}; trying again", err=True)


def _investigation(settings: Settings, bench: Workbench) -> Callable[[Incident, Sequence[Alert]], Report]:
    def investigate(incident: Incident, alerts: Sequence[Alert]) -> Report:
        sources = (AlertSource(alerts=alerts), *live_sources(settings, scope_of(alerts), incident.id))
        context = ReadContext(opened_at=incident.opened_at, zone="UTC")
        return bench.investigate(incident, sources, context, now=_now())

    return investigate


def _published(report: Report, counters: Counters) -> None:
    counters.counts["incidents_investigated"] += 1
    click.echo(f"{report.incident.id} {report.verdict} {report.diagnosis.failure_class}", err=True)


def _ready(store: Store) -> dict[str, str]:
    try:
        store.inbox.count()
    except StoreError as error:
        return {"database": str(error)}
    return {"database": "ok"}


def _now() -> datetime:
    return datetime.now(UTC)
