"""Puts the chat together from what a process has."""

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from datetime import datetime

from firstfault.agent.settings.chat_sections import SlackSettings
from firstfault.agent.slack.desk import Desk, Planner
from firstfault.agent.slack.inbound.app import App, make_app
from firstfault.agent.slack.inbound.clicks import Clicks
from firstfault.agent.slack.inbound.forms import Forms
from firstfault.agent.slack.inbound.listening import Identity, Listener
from firstfault.agent.slack.inbound.reception import Reception
from firstfault.agent.slack.outbound.channels import Channels
from firstfault.agent.slack.outbound.publication import Publication
from firstfault.agent.slack.outbound.sender import Sender
from firstfault.agent.slack.people import People
from firstfault.agent.slack.ports.calls import Calls, connect
from firstfault.agent.slack.ports.client import SlackPort
from firstfault.agent.slack.ports.port import Port
from firstfault.agent.slack.service import ChatService
from firstfault.agent.slack.work.commands import Commands
from firstfault.agent.slack.work.inquiry import Inquiries, Investigate
from firstfault.agent.slack.work.rehearsal import Rehearsals
from firstfault.agent.slack.work.worker import RequestWorker
from firstfault.agent.store import Store
from firstfault.policies.approvals import Roster


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What the chat needs of the process it runs in.

    cluster: what the process reads. ports: further places for messages, by name. planner: None where no cluster is read.
    settle: told of an incident of which nothing waits any more. said: takes one line for the operator.
    """

    store: Store
    roster: Roster
    redact: Callable[[str], str]
    clock: Callable[[], datetime]
    said: Callable[[str], None]
    errands: Executor
    investigate: Investigate
    score: Callable[[], str]
    settle: Callable[[str], None]
    planner: Planner | None = None
    cluster: str | None = None
    public_url: str | None = None
    ports: Mapping[str, Port] = field(default_factory=dict[str, Port])


def wire(settings: SlackSettings, around: Surroundings) -> ChatService:
    """Return the chat, not started yet; without a bot token only the further places get messages."""
    token = settings.bot_token
    slack = None if token is None else SlackPort(Calls(connect(token.get_secret_value(), settings.base_url)))
    publication = Publication(
        store=around.store,
        channels=Channels(settings=settings, cluster=around.cluster),
        people=People(
            names=settings.people,
            roster=around.roster,
            groups=settings.groups,
            members_of=None if slack is None else slack.members_of,
        ),
        redact=around.redact,
        public_url=around.public_url,
        elsewhere=tuple(around.ports),
    )
    sender = Sender(
        store=around.store,
        port=slack,
        draw=publication.pictures.draw,
        said=around.said,
        interval_s=settings.post_interval_s,
        ports=around.ports,
    )
    service = ChatService(
        store=around.store,
        publication=publication,
        sender=sender,
        clock=around.clock,
        said=around.said,
        settle=around.settle,
    )
    if around.planner is not None and around.store.database.is_sqlite:
        service.rehearsals = Rehearsals(store=around.store, planner=around.planner)
    if slack is not None:
        _let_people_answer(settings, around, service, slack)
    return service


def _let_people_answer(
    settings: SlackSettings, around: Surroundings, service: ChatService, slack: SlackPort
) -> None:
    desk = _desk(around, service, slack)
    service.worker = RequestWorker(
        desk=desk,
        commands=Commands(desk=desk, score=around.score),
        inquiries=Inquiries(
            store=around.store,
            conversation=slack,
            visible=lambda channel, incident: desk.channels.may_hear(around.store, channel, incident),
        ),
        investigate=around.investigate,
    )
    secret, app_token = settings.signing_secret, settings.app_token
    if secret is None and app_token is None:
        around.said(
            "Slack: nobody can answer: set `slack.app_token` (socket) or `slack.signing_secret` (HTTP)"
        )
        return

    def build(me: Identity) -> App:
        is_polite = settings.strangers == "polite"
        reception = Reception(desk=desk, team=me.team, me=me.user, is_polite=is_polite)
        signing = None if secret is None else secret.get_secret_value()
        return make_app(slack.calls.client, signing, reception, Clicks(desk), Forms(desk))

    service.listener = Listener(
        port=slack,
        build=build,
        app_token=None if app_token is None else app_token.get_secret_value(),
        said=around.said,
        is_signed=secret is not None,
    )


def _desk(around: Surroundings, service: ChatService, slack: SlackPort) -> Desk:
    return Desk(
        store=around.store,
        conversation=slack,
        publication=service.publication,
        channels=service.publication.channels,
        people=service.publication.people,
        redact=around.redact,
        clock=around.clock,
        said=around.said,
        errands=around.errands,
        planner=around.planner,
        wake=service.wake,
        changed=service.changed,
    )
