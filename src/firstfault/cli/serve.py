"""`firstfault serve`: receives alerts, keeps them, investigates, publishes."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from firstfault.agent.findings import Incident
from firstfault.agent.report.contract import Report
from firstfault.agent.serve.alert_source import AlertSource
from firstfault.agent.serve.audit_intake import AuditIntake
from firstfault.agent.serve.dispatch import Dispatcher
from firstfault.agent.serve.health import Health, SourceNews, store_health
from firstfault.agent.serve.reception import Reception
from firstfault.agent.serve.server import ListenError, run
from firstfault.agent.serve.surveys import Rounds, Survey, Turn
from firstfault.agent.serve.web import Front, make_app
from firstfault.agent.serve.work import Counters, Worker
from firstfault.agent.settings import Settings
from firstfault.agent.store import Store, StoreError
from firstfault.cli.configuration import NothingUsable, settings_in_force, state
from firstfault.cli.gatehouse import live_gate
from firstfault.cli.live import audit_file, cluster_name, kube_settings, live_sources, scope_of
from firstfault.cli.thinking import load_thinking
from firstfault.cli.vigil import Vigil
from firstfault.cli.workbench import Workbench, open_workbench, redactor
from firstfault.policies.cedar import PolicyError
from firstfault.policies.limits import LimitError
from firstfault.tools.alerts.alert import Alert
from firstfault.tools.context import ReadContext
from firstfault.tools.kube.door import ReadDoor

if TYPE_CHECKING:
    from firstfault.agent.slack.service import ChatService


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
    except (StoreError, PolicyError, LimitError, ListenError) as error:
        raise NothingUsable(str(error)) from error


def _run(settings: Settings, bench: Workbench, token: str | None) -> None:
    with ThreadPoolExecutor(max_workers=8, thread_name_prefix="chat-errand") as errands:
        _serve(settings, bench, token, _chat(settings, bench, errands))


def _chat(settings: Settings, bench: Workbench, errands: Executor) -> "ChatService | None":
    from firstfault.cli.chat import is_chat_wanted, open_chat

    return open_chat(settings, bench, errands) if is_chat_wanted(settings) else None


def _serve(settings: Settings, bench: Workbench, token: str | None, chat: "ChatService | None") -> None:
    counters = Counters()
    news = SourceNews(_source_names(settings))

    def published(report: Report) -> None:
        _published(report, settings)
        news.heard(report, _now())
        if chat is not None:
            chat.publish(report.incident.id)

    dispatcher = Dispatcher(
        store=bench.store, investigate=_investigation(settings, bench), published=published
    )
    worker = Worker(dispatcher=dispatcher, counters=counters, clock=_now, said=_said)
    reception = Reception(store=bench.store, token=token, clock=_now, arrived=worker.wake.set)
    front = Front(
        reception=reception,
        readiness=lambda: _health(bench.store, worker, thread, news),
        metrics=lambda: counters.text() + _chat_counters(chat),
        audit=_audit_intake(settings),
        chat=None if chat is None else chat.answer_http,
    )
    thread = threading.Thread(target=worker.work, name="dispatcher")
    rounds = _rounds(settings, bench.store, counters)
    turning = [threading.Thread(target=each.work, name="rounds") for each in rounds]

    def ready(port: int) -> None:
        thread.start()
        for each in turning:
            each.start()
        if chat is not None:
            chat.start()
        address = f"http://{settings.serve.host}:{port}"
        click.echo(f"listening on {address}; Alertmanager posts to {address}/webhooks/alertmanager", err=True)

    try:
        run(make_app(front), settings.serve.host, settings.serve.port, ready=ready)
    finally:
        worker.stop()
        _end(rounds, turning)
        if thread.ident is not None:
            thread.join()
        if chat is not None:
            chat.stop()


def _end(rounds: Sequence[Rounds], threads: Sequence[threading.Thread]) -> None:
    for each in rounds:
        each.stop()
    for thread in threads:
        if thread.ident is not None:
            thread.join()


def _rounds(settings: Settings, store: Store, counters: Counters) -> tuple[Rounds, ...]:
    """Return what is done again and again: snapshots of the machines, and scores of promoted cells, where wanted."""
    survey = Survey(
        store=store,
        door=lambda: ReadDoor(kube_settings(settings, "snapshot")),
        cluster=cluster_name(settings),
        clock=_now,
        counters=counters,
        said=_said,
    )
    vigil = Vigil(store=store, state=state(), clock=_now, counters=counters, said=_said)
    snapshot_s = settings.kubernetes.snapshot_every_s if settings.kubernetes.enabled else 0
    turns: tuple[tuple[Turn, float], ...] = ((survey, snapshot_s), (vigil, settings.serve.score_every_s))
    return tuple(Rounds(survey=turn, interval_s=every_s) for turn, every_s in turns if every_s)


def _investigation(settings: Settings, bench: Workbench) -> Callable[[Incident, Sequence[Alert]], Report]:
    def investigate(incident: Incident, alerts: Sequence[Alert]) -> Report:
        sources = (
            AlertSource(alerts=alerts),
            *live_sources(settings, scope_of(alerts), incident.id, bench.store),
        )
        context = ReadContext(opened_at=incident.opened_at, zone="UTC")
        gate = live_gate(state(), bench.store, settings, _now)
        return bench.investigate(incident, sources, context, now=_now(), gate=gate)

    return investigate


def _published(report: Report, settings: Settings) -> None:
    serve = settings.serve
    base = serve.public_url or (f"http://{serve.host}:{serve.port}" if serve.port else None)
    page = f" {base}/incidents/{report.incident.id}" if base else ""
    click.echo(f"{report.incident.id} {report.verdict} {report.diagnosis.failure_class}{page}", err=True)


def _chat_counters(chat: "ChatService | None") -> str:
    counts = {} if chat is None else dict(chat.sender.counts)
    return "".join(
        f"firstfault_chat_messages_{name}_total {count}\n" for name, count in sorted(counts.items())
    )


def _said(line: str) -> None:
    click.echo(f"firstfault: {line}", err=True)


def _health(store: Store, worker: Worker, thread: threading.Thread, news: SourceNews) -> Health:
    kept = store_health(store, _now())
    dispatcher = worker.stands if thread.is_alive() else "not running: restart the process, alerts are kept"
    return Health(is_ready=kept.is_ready, parts={**kept.parts, "dispatcher": dispatcher, **news.parts})


def _source_names(settings: Settings) -> tuple[str, ...]:
    configured = {
        "kubernetes": settings.kubernetes.enabled,
        "prometheus": settings.prometheus.url is not None,
        "loki": settings.loki.url is not None,
        "silences": settings.alertmanager.url is not None,
        "audit log": audit_file(settings) is not None,
    }
    return tuple(name for name, is_there in configured.items() if is_there)


def _audit_intake(settings: Settings) -> Callable[[bytes], int] | None:
    file = audit_file(settings)
    return AuditIntake(file=file).take if settings.audit_log.receive and file is not None else None


def _now() -> datetime:
    return datetime.now(UTC)
