"""The threads of the chat inside `firstfault serve`: one that works out what is to be shown, one that sends, Slack's own.

It starts without Slack: what is to be said waits in the outbox until Slack can be reached.
"""

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from firstfault.agent.slack.guard import Guard
from firstfault.agent.slack.inbound.app import answer_http
from firstfault.agent.slack.inbound.listening import Listener
from firstfault.agent.slack.outbound.publication import Publication
from firstfault.agent.slack.outbound.sender import Sender
from firstfault.agent.slack.standing import Standing, standing_of
from firstfault.agent.slack.work.rehearsal import Rehearsals
from firstfault.agent.slack.work.worker import RequestWorker
from firstfault.agent.store import Store, StoreError
from firstfault.agent.store.turns import turn

TICK_S = 0.5
LOOK_AGAIN_S = 2.0
"""How often incidents whose approvals are open are looked at: votes elsewhere, the executor, the clock."""
LOOK_EACH_S = 0.05
"""Seconds between two looks for each open incident: many of them must not keep a core busy. Ours."""
CATCH_UP = timedelta(hours=6)
"""How old a report may be that was not posted when a process starts; what is older is history. Ours."""
CHAT_LOCK = 0x66_66_0A
_RECENT = 2000


@dataclass(kw_only=True)
class ChatService:
    """Runs the chat.

    worker, listener: None where nobody can answer (webhook, terminal). rehearsals: None where the executor runs for real.
    settle: ends an incident's run.
    """

    store: Store
    publication: Publication
    sender: Sender
    clock: Callable[[], datetime]
    said: Callable[[str], None]
    settle: Callable[[str], None]
    worker: RequestWorker | None = None
    listener: Listener | None = None
    rehearsals: Rehearsals | None = None
    wake: threading.Event = field(default_factory=threading.Event)
    changed: set[str] = field(default_factory=set[str])
    stopping: threading.Event = field(default_factory=threading.Event)
    _guard: Guard = field(init=False)
    _open: set[str] = field(default_factory=set[str])
    _standings: dict[str, Standing] = field(default_factory=dict[str, Standing])
    _looked_at: datetime | None = None
    _caught_up: bool = False
    _sending: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list[threading.Thread])

    def __post_init__(self) -> None:
        """Make what keeps one incident from stopping the others."""
        self._guard = Guard(name="chat", said=self.said)

    def start(self) -> None:
        """Begin; returns at once."""
        for name, target in (("chat", self._work), ("chat-sender", self._send)):
            thread = threading.Thread(target=target, name=name)
            self._threads.append(thread)
            thread.start()
        if self.listener is not None:
            self.listener.start()

    def stop(self) -> None:
        """End: nothing new is taken, the investigation that runs is waited for, what is unsent stays in the outbox."""
        if self.listener is not None:
            self.listener.stop()
        self.stopping.set()
        self.wake.set()
        self._sending.set()
        for thread in self._threads:
            thread.join()
        self._guard.close()

    def publish(self, incident_id: str) -> None:
        """Have a new report shown."""
        self.changed.add(incident_id)
        self.wake.set()

    def answer_http(self, body: str, headers: Mapping[str, str]) -> tuple[int, str, Mapping[str, str]]:
        """Return the answer to what Slack posted; 503 until it is known who the bot is, and Slack sends it again.

        Without a signing secret nobody could tell whether it is Slack that posts: then nothing is taken.
        """
        if self.listener is None or not self.listener.is_signed:
            return 404, "", {}
        app = self.listener.app
        if app is None:
            return 503, "", {}
        return answer_http(app, body, headers)

    def step(self, pool: ThreadPoolExecutor, now: datetime) -> None:
        """Do what is to be done now."""
        if not self._caught_up:
            self._catch_up(now)
        while self.changed:
            self._guarded(self._refresh, self.changed.pop())
        if self._is_time_to_look(now):
            self._looked_at = now
            for incident_id in sorted(self._open):
                self._guarded(self._look, incident_id)
        if self.worker is not None:
            self.worker.step(pool)
        self._sending.set()

    def _guarded(self, work: Callable[[str, datetime], None], incident_id: str) -> None:
        """Do something about one incident; what cannot be shown is told once and not looked at again by itself."""
        error = self._guard.run(incident_id, lambda: work(incident_id, self.clock()))
        if isinstance(error, StoreError):
            self.changed.add(incident_id)
            raise error
        if error is not None:
            self._open.discard(incident_id)

    def _is_time_to_look(self, now: datetime) -> bool:
        """Return whether open incidents are to be looked at: the more there are, the more rarely."""
        wait_s = max(LOOK_AGAIN_S, len(self._open) * LOOK_EACH_S)
        return self._looked_at is None or (now - self._looked_at).total_seconds() >= wait_s

    def _look(self, incident_id: str, now: datetime) -> None:
        """Bring an open incident up to date when people, the executor or the clock changed anything about it."""
        if self.rehearsals is not None:
            self.rehearsals.rehearse(incident_id, now)
        standing = standing_of(self.store, incident_id, now)
        if self._standings.get(incident_id) != standing:
            self._refresh(incident_id, now)
            self._standings[incident_id] = standing

    def _refresh(self, incident_id: str, now: datetime) -> None:
        if self.publication.refresh(incident_id, now):
            self._open.add(incident_id)
        elif incident_id in self._open:
            self._open.discard(incident_id)
            self._standings.pop(incident_id, None)
            self.settle(incident_id)

    def _catch_up(self, now: datetime) -> None:
        """Take up what an earlier process left: reports that were not posted, approvals that are open."""
        for record in self.store.incidents.recent(limit=_RECENT):
            shown = self.store.messages.of_incident(record.incident.id)
            is_fresh = record.closed_at is not None and now - record.closed_at < CATCH_UP
            if shown or is_fresh:
                self.changed.add(record.incident.id)
        self._caught_up = True

    def _work(self) -> None:
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="chat-investigation") as pool:
            while not self.stopping.is_set():
                self.wake.wait(TICK_S)
                self.wake.clear()
                try:
                    self.step(pool, self.clock())
                except StoreError as error:
                    self.said(f"{error}; trying again")
                    self.stopping.wait(LOOK_AGAIN_S)

    def _send(self) -> None:
        """Send as long as the turn is ours: of two processes one sends."""
        sending = Guard(name="chat", said=self.said)
        self._send_with(sending)
        sending.close()

    def _send_with(self, guard: Guard) -> None:
        while not self.stopping.is_set():
            try:
                with turn(self.store.database, CHAT_LOCK) as held:
                    while held is not None and held.is_held() and not self.stopping.is_set():
                        is_left = self.sender.step(self.clock(), guard)
                        self._sending.wait(min(TICK_S, self.sender.interval_s / 4) if is_left else TICK_S)
                        self._sending.clear()
            except StoreError as error:
                self.said(f"{error}; trying again")
            self.stopping.wait(TICK_S)
