"""What every handler works with, and the few things they all do: who it is, what may be heard here, who is told."""

import threading
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from datetime import datetime

from firstfault.agent.executor.steps import Plan
from firstfault.agent.gate.approving import ApprovalDesk
from firstfault.agent.slack.outbound.channels import Channels
from firstfault.agent.slack.outbound.publication import Publication
from firstfault.agent.slack.people import People
from firstfault.agent.slack.ports.port import ChatError, Conversation
from firstfault.agent.store import NewEvent, Store, StoreError
from firstfault.agent.store.decisions import DecisionRecord

Planner = Callable[[DecisionRecord], Plan]
"""Returns what the executor would send now; nothing is sent. Raises NoPlanError or KubeError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who did something, and where. trigger: lets a modal be opened for three seconds."""

    account: str
    channel: str
    stamp: str = ""
    trigger: str = ""


@dataclass(frozen=True, kw_only=True)
class Desk:
    """Everything that handlers use. errands: runs what may wait for the network. wake: there is something to send."""

    store: Store
    conversation: Conversation
    publication: Publication
    channels: Channels
    people: People
    redact: Callable[[str], str]
    clock: Callable[[], datetime]
    said: Callable[[str], None]
    errands: Executor
    planner: Planner | None = None
    wake: threading.Event = field(default_factory=threading.Event)
    changed: set[str] = field(default_factory=set[str])

    def approvals(self) -> ApprovalDesk:
        """Return the desk where votes are taken, with everybody who may approve now."""
        return ApprovalDesk(store=self.store, roster=self.people.roster_now())

    def hears(self, caller: Caller, incident_id: str) -> bool:
        """Return whether the caller's channel may hear of an incident."""
        return self.channels.may_hear(self.store, caller.channel, incident_id)

    def whisper(self, caller: Caller, text: str) -> None:
        """Tell only the caller, soon."""
        shown = self.redact(text)
        self.soon(lambda: self.conversation.whisper(caller.channel, caller.account, shown))

    def soon(self, errand: Callable[[], object]) -> None:
        """Do something that needs the network; what fails is told to the operator and not tried again."""
        self.errands.submit(self._run, errand)

    def _run(self, errand: Callable[[], object]) -> None:
        try:
            errand()
        except (ChatError, StoreError) as error:
            self.said(str(error))

    def touch(self, incident_id: str) -> None:
        """Have everything that is shown about an incident brought up to date."""
        self.changed.add(incident_id)
        self.publication.refresh(incident_id, self.clock())
        self.wake.set()

    def note(self, incident_id: str, kind: str, key: str, caller: Caller, why: str) -> None:
        """Append an event to the trail of an incident; the same again adds nothing."""
        record = self.store.incidents.find(incident_id)
        if record is None:
            return
        self.store.audit.append(
            NewEvent(
                correlation_id=record.incident.correlation_id,
                kind=kind,
                key=key,
                at=self.clock(),
                actor=self.people.name(caller.account),
                subject=incident_id,
                why=self.redact(why),
                payload={"channel": caller.channel},
            )
        )
