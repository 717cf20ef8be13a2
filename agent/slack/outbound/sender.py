"""Makes what is shown equal to what is wanted: one message a second to a channel, waits as told, looks before it posts again.

Of everything that is due, each channel gets the oldest; what begins a thread comes before replies. A message that was being
posted when the process died, or whose answer never came, is looked for by its metadata; only when it is not there is it posted.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from firstfault.agent.slack.guard import Guard
from firstfault.agent.slack.ports.port import (
    BadBlocksError,
    BusyError,
    ChatError,
    MessageGoneError,
    Outgoing,
    Picture,
    PlaceGoneError,
    Port,
    RefusedError,
    UnclearError,
)
from firstfault.agent.slack.ports.terminal import NAME as TERMINAL
from firstfault.agent.slack.ports.webhook import NAME as WEBHOOK
from firstfault.agent.store import NewEvent, Store, StoreError
from firstfault.agent.store.messages import Delivery, Due, Kept

PLACES = frozenset({TERMINAL, WEBHOOK})
"""What stands for a channel where messages go that are not for Slack."""
PICTURE = "picture"
"""Kind of a message that is a picture: its content says which."""
MAX_ATTEMPTS = 8
"""How often a message that is refused for a reason that may pass is tried."""
FIRST_RETRY_S = 2.0
MAX_RETRY_S = 300.0
SINCE_MARGIN = timedelta(minutes=10)
"""How far before its beginning a message is looked for: clocks differ."""
SETTLE_S = 2.0
"""How long after an unclear call is waited before it is looked for: it may still be under way."""


@dataclass(kw_only=True)
class Sender:
    """Sends what is due. ports: channel → where it goes; the rest goes to `port`. draw: makes a picture from its description.

    said: takes one line for the operator.
    """

    store: Store
    port: Port | None
    draw: Callable[[Mapping[str, object]], Picture | None]
    said: Callable[[str], None]
    interval_s: float = 1.0
    ports: Mapping[str, Port] = field(default_factory=dict[str, Port])
    busy_until: dict[str, datetime] = field(default_factory=dict[str, datetime])
    posted_at: dict[str, datetime] = field(default_factory=dict[str, datetime])
    updated_at: dict[str, datetime] = field(default_factory=dict[str, datetime])
    counts: dict[str, int] = field(default_factory=dict[str, int])

    def step(self, now: datetime, guard: Guard | None = None) -> bool:
        """Send one message to every channel that may have one now; return whether anything is left to send.

        guard: keeps a message that cannot even be made from holding up the others.
        """
        due = [each for each in self.store.messages.due(now) if self._port(each.channel) is not None]
        served: set[str] = set()
        for each in due:
            if each.channel in served or self._waits(each, now):
                continue
            message = self.store.messages.get(each.key)
            if message is None:
                continue
            served.add(each.channel)
            if guard is None:
                self._send(message, now)
                continue
            error = guard.run(message.key, lambda given=message: self._send(given, now))
            if isinstance(error, StoreError):
                raise error
            if error is not None:
                self._again_or_lost(message, str(error), now)
        return bool(due)

    def _port(self, channel: str) -> Port | None:
        """Return what shows messages in a channel; None where nothing does now, and they wait."""
        return self.ports.get(channel, None if channel in PLACES else self.port)

    def _waits(self, due: Due, now: datetime) -> bool:
        if self.busy_until.get(_method(due.kind, is_shown=due.is_shown), now) > now:
            return True
        last = (self.updated_at if due.is_shown else self.posted_at).get(due.channel)
        return last is not None and now - last < timedelta(seconds=self.interval_s)

    def _send(self, message: Kept, now: datetime) -> None:
        port = self._port(message.channel)
        if port is None:
            return
        try:
            self._shown(message, self._show(port, message, now), now)
        except BusyError as error:
            self._count("busy")
            method = _method(message.kind, is_shown=message.stamp is not None)
            self.busy_until[method] = now + timedelta(seconds=error.wait_s)
            self._later(message, now, error.wait_s, str(error), is_sent=False)
        except (BadBlocksError, MessageGoneError, PlaceGoneError) as error:
            self._lost(message, str(error), now)
        except RefusedError as error:
            self._again_or_lost(message, str(error), now)
        except UnclearError as error:
            self._later(message, now, max(SETTLE_S, _pause_s(message)), str(error), is_sent=True)
        except ChatError as error:
            self._later(message, now, _pause_s(message), str(error), is_sent=False)

    def _again_or_lost(self, message: Kept, why: str, now: datetime) -> None:
        if message.attempts + 1 >= MAX_ATTEMPTS:
            self._lost(message, why, now)
        else:
            self._later(message, now, _pause_s(message), why, is_sent=False)

    def _show(self, port: Port, message: Kept, now: datetime) -> tuple[str, str]:
        """Return where the message is shown now and which wish that is."""
        if message.kind == PICTURE:
            return self._picture(port, message, now), message.digest
        outgoing = _outgoing(message)
        if message.stamp is not None:
            self.updated_at[message.channel] = now
            port.update(message.channel, message.stamp, outgoing)
            self._count("updated")
            return message.stamp, message.digest
        if message.state is Delivery.BEGUN:
            since = (message.begun_at or message.created_at) - SINCE_MARGIN
            found = port.find(message.channel, message.key, message.thread, since)
            if found is not None:
                self._count("found")
                return found.stamp, found.digest
        self.posted_at[message.channel] = now
        self.store.messages.begin(message.key, now)
        stamp = port.post(message.channel, outgoing, message.thread)
        self._count("posted")
        return stamp, message.digest

    def _picture(self, port: Port, message: Kept, now: datetime) -> str:
        picture = self.draw(message.content)
        if picture is None:
            msg = "there is nothing to draw"
            raise MessageGoneError(msg)
        if message.state is Delivery.BEGUN:
            found = port.find_picture(message.channel, message.thread, picture.name)
            if found is not None:
                return found
        self.posted_at[message.channel] = now
        self.store.messages.begin(message.key, now)
        stamp = port.upload(message.channel, message.thread, picture)
        self._count("posted")
        return stamp

    def _shown(self, message: Kept, shown: tuple[str, str], now: datetime) -> None:
        stamp, digest = shown
        with self.store.together():
            self.store.messages.shown(message.key, stamp, digest)
            if message.stamp is None:
                self._note(message, "chat.posted", f"{message.kind} to {message.channel}", now)

    def _lost(self, message: Kept, why: str, now: datetime) -> None:
        self._count("lost")
        self.said(f"a message to {message.channel} cannot be shown: {why}")
        with self.store.together():
            self.store.messages.lose(message.key, why)
            self._note(message, "chat.lost", why, now)

    def _later(self, message: Kept, now: datetime, wait_s: float, why: str, *, is_sent: bool) -> None:
        self._count("put_off")
        self.store.messages.put_off(message.key, now + timedelta(seconds=wait_s), why, is_sent=is_sent)

    def _note(self, message: Kept, kind: str, why: str, now: datetime) -> None:
        record = None if message.incident_id is None else self.store.incidents.find(message.incident_id)
        if record is None:
            return
        self.store.audit.append(
            NewEvent(
                correlation_id=record.incident.correlation_id,
                kind=kind,
                key=message.key,
                at=now,
                actor="firstfault",
                subject=record.incident.id,
                why=why,
                payload={"channel": message.channel, "digest": message.digest},
            )
        )

    def _count(self, what: str) -> None:
        self.counts[what] = self.counts.get(what, 0) + 1


def _outgoing(message: Kept) -> Outgoing:
    return Outgoing(
        key=message.key, digest=message.digest, content=message.content, incident_id=message.incident_id
    )


def _method(kind: str, *, is_shown: bool) -> str:
    if kind == PICTURE:
        return "upload"
    return "update" if is_shown else "post"


def _pause_s(message: Kept) -> float:
    return min(MAX_RETRY_S, FIRST_RETRY_S * 2 ** min(message.attempts, MAX_ATTEMPTS))
