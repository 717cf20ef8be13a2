"""What is investigated because somebody asked: from a kept request to an incident with its sources, the same after a crash."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from firstfault.agent.findings import Incident
from firstfault.agent.report.contract import Report
from firstfault.agent.slack.blocks.names import Ask
from firstfault.agent.slack.ports.port import ChatError, Conversation, Said
from firstfault.agent.slack.work.evidence import PeopleSource, linked, links_in, names_in, question_in
from firstfault.agent.store import Store
from firstfault.agent.store.requests import Request
from firstfault.tools.alerts.alert import Alert
from firstfault.tools.sources import Source

LOOK_BACK = timedelta(hours=1)
"""How far before a question the window of its incident begins."""
_RECENT = 50
"""Incidents whose alerts are looked through for a link."""
_DEFAULT = "What is wrong, and what happened first?"


@dataclass(frozen=True, kw_only=True)
class Inquiry:
    """One investigation that somebody asked for. incident: opened. nodes, namespaces: what live sources are aimed at."""

    incident: Incident
    sources: tuple[Source, ...] = ()
    alerts: tuple[Alert, ...] = ()
    nodes: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()


Investigate = Callable[[Inquiry, Callable[[str], None]], Report]
"""Runs an inquiry to its report; told of each stage that ended."""


@dataclass(frozen=True, kw_only=True)
class Inquiries:
    """Makes inquiries of requests."""

    store: Store
    conversation: Conversation | None
    visible: Callable[[str, str], bool] = field(repr=False)

    def incident_of(self, request: Request) -> str:
        """Return the incident that a request is about: the one of its thread, else a new one made from its key."""
        named = request.content.get("incident")
        if named:
            return str(named)
        known = self._of_thread(request)
        if known is not None:
            return known
        at = request.received_at
        day = f"{at:%Y%m%d-%H%M%S}" if at else "asked"
        return f"inc-{day}-{_digest(request.key)[:6]}"

    def is_early(self, request: Request) -> bool:
        """Return whether a thread is asked in whose first message may be one that is being posted at this moment."""
        named = request.content.get("incident") or not request.content.get("thread")
        return (
            not named
            and self._of_thread(request) is None
            and self.store.messages.may_have_begun(request.channel)
        )

    def begin(self, request: Request, now: datetime) -> Inquiry:
        """Return the inquiry, its incident open under the request's own trail: a run that was killed goes on."""
        incident_id = self.incident_of(request)
        known = self.store.incidents.find(incident_id)
        text = str(request.content.get("text", ""))
        question = question_of(request)
        at = request.received_at or now
        incident = Incident(
            id=incident_id,
            question=known.incident.question if known else question,
            correlation_id=_digest(request.key)[:32],
            opened_at=known.incident.opened_at if known else at,
            window_start=known.incident.window_start if known else at - LOOK_BACK,
            environment=dict(known.incident.environment) if known else {},
        )
        if known is None or known.incident.correlation_id != incident.correlation_id:
            incident = self.store.incidents.reopen(incident, now)
        return self._with_sources(request, incident, text, is_known=known is not None)

    def _with_sources(self, request: Request, incident: Incident, text: str, *, is_known: bool) -> Inquiry:
        said = self._said(request)
        everything = "\n".join((text, *(each.text for each in said)))
        nodes, namespaces = names_in(everything)
        alerts = (*self.store.inbox.of(incident.id), *self._linked(request.channel, everything))
        place = (
            f"{request.channel}-{request.content.get('thread') or request.content.get('stamp') or 'asked'}"
        )
        sources: list[Source] = [PeopleSource(place=place, said=said)] if said else []
        if is_known:
            sources.append(self.store.source(incident.id))
        unique = {alert.key: alert for alert in alerts}
        return Inquiry(
            incident=incident,
            sources=tuple(sources),
            alerts=tuple(unique.values()),
            nodes=nodes,
            namespaces=namespaces,
        )

    def _said(self, request: Request) -> tuple[Said, ...]:
        """Return what people said in the thread; without an answer from Slack, what came with the request."""
        mine = Said(
            stamp=str(request.content.get("stamp") or ""),
            person=str(request.content.get("person") or ""),
            text=str(request.content.get("text") or ""),
        )
        thread = request.content.get("thread")
        if not thread or self.conversation is None:
            return (mine,) if mine.text else ()
        try:
            found = self.conversation.thread(request.channel, str(thread))
        except ChatError:
            found = ()
        people = tuple(each for each in found if each.person is not None or each.stamp == str(thread))
        ours = self.store.messages.at(request.channel, str(thread))
        heard = tuple(each for each in people if ours is None or each.stamp != str(thread))
        return heard if any(each.stamp == mine.stamp for each in heard) else (*heard, mine)

    def _linked(self, channel: str, text: str) -> tuple[Alert, ...]:
        links = links_in(text)
        if not links:
            return ()
        return tuple(
            alert
            for record in self.store.incidents.recent(limit=_RECENT)
            if self.visible(channel, record.incident.id)
            for alert in linked(self.store.inbox.of(record.incident.id), links)
        )

    def _of_thread(self, request: Request) -> str | None:
        thread = request.content.get("thread")
        if not thread:
            return None
        kept = self.store.messages.at(request.channel, str(thread))
        if kept is not None:
            return kept.incident_id
        return self.store.messages.incident_of_thread(request.channel, str(thread))


def words_of(request: Request) -> str:
    """Return the words of a request, without the name of a command and without what was pasted."""
    text = question_in(str(request.content.get("text", "")))
    return text.partition(" ")[2] if request.kind == Ask.COMMAND else text


def question_of(request: Request) -> str:
    """Return the question that is asked, the usual one where none is."""
    return words_of(request) or _DEFAULT


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
