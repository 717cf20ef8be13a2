"""What is to be shown about an incident, worked out anew from the database whenever anything about it changed.

Asking for it again changes nothing that is already so: that is how a process that starts makes up for what the one before
it did not get to.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime

from firstfault.agent.report.contract import Report
from firstfault.agent.slack.blocks.card import card
from firstfault.agent.slack.blocks.details import details
from firstfault.agent.slack.blocks.view import View
from firstfault.agent.slack.outbound.channels import Channels, is_out_of_shadow
from firstfault.agent.slack.outbound.cleaning import cleaned, cleaned_asked
from firstfault.agent.slack.outbound.pictures import Pictures
from firstfault.agent.slack.outbound.sender import PICTURE
from firstfault.agent.slack.people import People
from firstfault.agent.slack.standing import Standing, standing_of
from firstfault.agent.store import Store
from firstfault.agent.store.messages import Delivery, Wish
from firstfault.agent.store.requests import Silence
from firstfault.tools.alerts.alert import Alert, scope_keys

CARD = "card"
DETAILS = "details"
ASKED = "ask/"
"""How the keys of answers to questions begin."""


@dataclass(frozen=True, kw_only=True)
class Publication:
    """Puts into the outbox what is to be shown. public_url: where the pages of incidents are."""

    store: Store
    channels: Channels
    people: People
    redact: Callable[[str], str]
    public_url: str | None = None
    elsewhere: tuple[str, ...] = ()
    pictures: Pictures = field(init=False)

    def __post_init__(self) -> None:
        """Make the pictures over the same store."""
        object.__setattr__(self, "pictures", Pictures(self.store))

    def refresh(self, incident_id: str, now: datetime) -> bool:
        """Bring everything that is shown about an incident up to date; return whether it can still change by itself."""
        report = self.store.reports.get(incident_id)
        if report is None:
            return False
        standing = standing_of(self.store, incident_id, now)
        alerts = self.store.inbox.of(incident_id)
        cards = [kept for kept in self.store.messages.of_incident(incident_id) if kept.kind == CARD]
        for kept in cards:
            if kept.state is not Delivery.LOST:
                self._show(report, standing, kept.channel, kept.key, kept.thread_given, now)
        places = {kept.channel for kept in cards}
        for channel in self._destinations(report, alerts):
            if channel not in places and not self._is_silenced(report, alerts, channel, now):
                self._show(report, standing, channel, f"{incident_id}/{channel}/card", None, now)
        return not standing.is_settled

    def view(self, report: Report, standing: Standing, channel: str, now: datetime, *, asked: bool) -> View:
        """Return a report as a channel sees it. asked: it is the answer to a question."""
        incident_id = report.incident.id
        quiet = next(
            (s for s in self.store.requests.silences(channel, now) if s.subject == incident_id), None
        )
        known = frozenset(
            part.id
            for part in report.similar_incidents
            if self.channels.may_hear(self.store, channel, part.id)
        )
        with_shadow = asked or self.channels.is_shadow(channel)
        return View(
            report=report,
            standing=self._shown(
                _quieted(_here(standing, is_shadow=self.channels.is_shadow(channel)), quiet)
            ),
            with_shadow=with_shadow,
            page=None if self.public_url is None else f"{self.public_url}/incidents/{incident_id}",
            members=self.people.members,
            known=known,
        )

    def _shown(self, standing: Standing) -> Standing:
        return replace(standing, asked=tuple(cleaned_asked(each, self.redact) for each in standing.asked))

    def _destinations(self, report: Report, alerts: tuple[Alert, ...]) -> tuple[str, ...]:
        if not alerts:
            # Somebody asked, here or on the command line, and was answered there.
            return ()
        channel = self.channels.destination(report, alerts)
        others = self.elsewhere if is_out_of_shadow(report) else ()
        return (*((channel,) if channel else ()), *others)

    def _show(  # noqa: PLR0913, PLR0917  # one private place where a message and its thread are put together
        self,
        report: Report,
        standing: Standing,
        channel: str,
        key: str,
        thread: str | None,
        now: datetime,
    ) -> None:
        incident_id = report.incident.id
        view = self.view(report, standing, channel, now, asked=key.startswith(ASKED))
        self._want(key, CARD, channel, card(view), incident_id, None, thread, now)
        parent = None if thread is not None else key
        self._want(f"{key}/details", DETAILS, channel, details(view), incident_id, parent, thread, now)
        described = self.pictures.describe(report, standing.version)
        if described is not None:
            name, picture = described
            self._want(f"{key}/{name}", PICTURE, channel, picture, incident_id, parent, thread, now)

    def _want(  # noqa: PLR0913, PLR0917  # the fields of a wish
        self,
        key: str,
        kind: str,
        channel: str,
        content: dict[str, object],
        incident_id: str,
        parent: str | None,
        thread: str | None,
        now: datetime,
    ) -> None:
        self.store.messages.want(
            Wish(
                key=key,
                kind=kind,
                channel=channel,
                content=cleaned(content, self.redact),
                incident_id=incident_id,
                parent=parent,
                thread=thread,
            ),
            now,
        )

    def _is_silenced(self, report: Report, alerts: tuple[Alert, ...], channel: str, now: datetime) -> bool:
        subjects = {silence.subject for silence in self.store.requests.silences(channel, now)}
        return bool(subjects & subjects_of(report, alerts))


def subjects_of(report: Report, alerts: tuple[Alert, ...]) -> frozenset[str]:
    """Return the words by which an incident can be silenced: its id, its class, its rules, the things it is about."""
    named = {report.incident.id, report.diagnosis.failure_class}
    if report.diagnosis.culprit is not None:
        named.add(report.diagnosis.culprit.name)
    for alert in alerts:
        named.add(alert.name)
        named |= {key.rpartition("/")[2] for key in scope_keys(alert)}
    return frozenset(named)


def _quieted(standing: Standing, silence: Silence | None) -> Standing:
    if silence is None:
        return standing
    return replace(standing, quiet_until=silence.until, quiet_by=silence.by)


def _here(standing: Standing, *, is_shadow: bool) -> Standing:
    """Return the standing as a channel sees it: nothing can be approved in the shadow channel."""
    return replace(standing, asked=()) if is_shadow else standing
