"""The composition root of the chat: settings to Slack, a webhook or the terminal; none when none is set."""

from collections.abc import Callable
from concurrent.futures import Executor
from datetime import UTC, datetime

import click

from firstfault.agent.executor.plans import plan_for
from firstfault.agent.executor.plans.planning import PlanSettings
from firstfault.agent.executor.steps import Plan
from firstfault.agent.facts.live import read_snapshot
from firstfault.agent.report.contract import Report
from firstfault.agent.serve.alert_source import AlertSource
from firstfault.agent.settings import Settings
from firstfault.agent.slack.app import App, make_app
from firstfault.agent.slack.calls import Calls, connect
from firstfault.agent.slack.channels import Channels
from firstfault.agent.slack.clicks import Clicks
from firstfault.agent.slack.client import SlackPort
from firstfault.agent.slack.commands import Commands
from firstfault.agent.slack.desk import Desk, Planner
from firstfault.agent.slack.forms import Forms
from firstfault.agent.slack.inquiry import Inquiries, Inquiry
from firstfault.agent.slack.listening import Identity, Listener
from firstfault.agent.slack.people import People
from firstfault.agent.slack.port import Port
from firstfault.agent.slack.publication import Publication
from firstfault.agent.slack.reception import Reception
from firstfault.agent.slack.sender import Sender
from firstfault.agent.slack.service import ChatService
from firstfault.agent.slack.terminal import NAME as TERMINAL
from firstfault.agent.slack.terminal import TerminalPort
from firstfault.agent.slack.webhook import NAME as WEBHOOK
from firstfault.agent.slack.webhook import WebhookPort
from firstfault.agent.slack.worker import RequestWorker
from firstfault.agent.store.decisions import DecisionRecord
from firstfault.cli.configuration import state
from firstfault.cli.gatehouse import fact_settings, live_gate, repairs_in_force, roster
from firstfault.cli.live import kube_settings, live_sources, scope_of
from firstfault.cli.workbench import Workbench
from firstfault.tools.context import ReadContext
from firstfault.tools.kube.door import ReadDoor
from firstfault.tools.kube.source import Scope


def is_chat_wanted(settings: Settings) -> bool:
    """Return whether anything is to be said anywhere but in the report."""
    messages = settings.messages
    return settings.slack.bot_token is not None or messages.webhook_url is not None or messages.terminal


def open_chat(settings: Settings, bench: Workbench, errands: Executor) -> ChatService:
    """Return the chat that the settings ask for; it is not started yet."""
    ports = _ports(settings)
    token = settings.slack.bot_token
    base_url = settings.slack.base_url
    slack = None if token is None else SlackPort(Calls(connect(token.get_secret_value(), base_url)))
    people = People(
        names=settings.slack.people,
        roster=roster(settings),
        groups=settings.slack.groups,
        members_of=None if slack is None else slack.members_of,
    )
    publication = Publication(
        store=bench.store,
        channels=Channels(settings=settings.slack, cluster=settings.kubernetes.cluster),
        people=people,
        redact=bench.redact,
        public_url=settings.serve.public_url,
        elsewhere=tuple(ports),
    )
    sender = Sender(
        store=bench.store,
        port=slack,
        draw=publication.pictures.draw,
        interval_s=settings.slack.post_interval_s,
        ports=ports,
    )
    service = ChatService(
        store=bench.store,
        publication=publication,
        sender=sender,
        clock=_now,
        said=_said,
        settle=lambda incident_id: _settle(bench, incident_id),
    )
    if slack is not None:
        _listen(settings, bench, service, slack, errands)
    return service


def _listen(
    settings: Settings, bench: Workbench, service: ChatService, slack: SlackPort, errands: Executor
) -> None:
    """Let people answer: buttons, questions, commands."""
    desk = Desk(
        store=bench.store,
        conversation=slack,
        publication=service.publication,
        channels=service.publication.channels,
        people=service.publication.people,
        redact=bench.redact,
        clock=_now,
        said=_said,
        errands=errands,
        planner=_planner(settings),
        wake=service.wake,
        changed=service.changed,
    )
    service.worker = RequestWorker(
        desk=desk,
        commands=Commands(desk=desk, score=lambda: _score(bench)),
        inquiries=Inquiries(
            store=bench.store,
            conversation=slack,
            visible=lambda channel, incident: desk.channels.may_hear(bench.store, channel, incident),
        ),
        investigate=_investigation(settings, bench),
    )
    secret, app_token = settings.slack.signing_secret, settings.slack.app_token
    if secret is None and app_token is None:
        _said("Slack: nobody can answer: set `slack.app_token` (socket) or `slack.signing_secret` (HTTP)")
        return

    def build(me: Identity) -> App:
        reception = Reception(
            desk=desk, team=me.team, me=me.user, is_polite=settings.slack.strangers == "polite"
        )
        signing = None if secret is None else secret.get_secret_value()
        return make_app(slack.calls.client, signing, reception, Clicks(desk), Forms(desk))

    service.listener = Listener(
        port=slack,
        build=build,
        app_token=None if app_token is None else app_token.get_secret_value(),
        said=_said,
    )


def _investigation(
    settings: Settings, bench: Workbench
) -> Callable[[Inquiry, Callable[[str], None]], Report]:
    def investigate(inquiry: Inquiry, progress: Callable[[str], None]) -> Report:
        aimed = scope_of(inquiry.alerts)
        scope = Scope(
            nodes=tuple(dict.fromkeys((*aimed.nodes, *inquiry.nodes))),
            namespaces=tuple(dict.fromkeys((*aimed.namespaces, *inquiry.namespaces))),
        )
        alerts = (AlertSource(alerts=inquiry.alerts),) if inquiry.alerts else ()
        sources = (*inquiry.sources, *alerts, *live_sources(settings, scope, inquiry.incident.id))
        context = ReadContext(opened_at=inquiry.incident.opened_at, zone="UTC")
        gate = live_gate(state(), bench.store, settings, _now)
        return bench.investigate(inquiry.incident, sources, context, now=_now(), progress=progress, gate=gate)

    return investigate


def _planner(settings: Settings) -> Planner | None:
    """Return what reads the cluster and works out the exact calls; nothing is sent. None without a cluster."""
    if not settings.kubernetes.enabled:
        return None

    def plan(record: DecisionRecord) -> Plan:
        facts = fact_settings(settings.policy)
        plans = PlanSettings(facts=facts, repairs=repairs_in_force(settings))
        door = ReadDoor(kube_settings(settings, "plan"))
        snapshot = read_snapshot(door, record.proposal.target, facts, _now)
        return plan_for(record.proposal, record.id, snapshot, plans)

    return plan


def _settle(bench: Workbench, incident_id: str) -> None:
    """Let the run of an incident end: nothing of it waits for people any more."""
    record = bench.store.incidents.find(incident_id)
    if record is not None:
        context = ReadContext(opened_at=record.incident.opened_at, zone="UTC")
        bench.investigate(record.incident, (), context, now=_now())


def _score(bench: Workbench) -> str:
    from firstfault.cli.shadow_words import week_of
    from firstfault.evals.shadow.records import ShadowRecords

    return week_of(bench.store, ShadowRecords(bench.store, bench.redact), None, "slack")[0]


def _ports(settings: Settings) -> dict[str, Port]:
    found: dict[str, Port] = {}
    messages = settings.messages
    if messages.webhook_url is not None:
        headers = {name: value.get_secret_value() for name, value in messages.webhook_headers.items()}
        found[WEBHOOK] = WebhookPort(url=messages.webhook_url.get_secret_value(), headers=headers)
    if messages.terminal:
        found[TERMINAL] = TerminalPort(click.echo)
    return found


def _said(line: str) -> None:
    click.echo(f"firstfault: {line}", err=True)


def _now() -> datetime:
    return datetime.now(UTC)
