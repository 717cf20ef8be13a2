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
from firstfault.agent.slack.desk import Planner
from firstfault.agent.slack.ports.port import Port
from firstfault.agent.slack.ports.terminal import NAME as TERMINAL
from firstfault.agent.slack.ports.terminal import TerminalPort
from firstfault.agent.slack.ports.webhook import NAME as WEBHOOK
from firstfault.agent.slack.ports.webhook import WebhookPort
from firstfault.agent.slack.service import ChatService
from firstfault.agent.slack.wiring import Surroundings, wire
from firstfault.agent.slack.work.inquiry import Inquiry
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
    around = Surroundings(
        store=bench.store,
        roster=roster(settings),
        redact=bench.redact,
        clock=_now,
        said=_said,
        errands=errands,
        investigate=_investigation(settings, bench),
        score=lambda: _score(bench),
        settle=lambda incident_id: _settle(bench, incident_id),
        planner=_planner(settings),
        cluster=settings.kubernetes.cluster,
        public_url=settings.serve.public_url,
        ports=_ports(settings),
    )
    return wire(settings.slack, around)


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
        sources = (
            *inquiry.sources,
            *alerts,
            *live_sources(settings, scope, inquiry.incident.id, bench.store),
        )
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
