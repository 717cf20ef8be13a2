"""The chat as it runs, before a Slack on loopback with people in it. Time is real, and can be moved forward."""

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from pydantic import SecretStr

from firstfault.agent.executor.steps import NoPlanError, Plan
from firstfault.agent.findings import Incident
from firstfault.agent.gate.approving import ApprovalDesk
from firstfault.agent.report.contract import Report
from firstfault.agent.settings.chat_sections import SlackSettings
from firstfault.agent.slack.ports.port import Port
from firstfault.agent.slack.service import ChatService
from firstfault.agent.slack.wiring import Surroundings, wire
from firstfault.agent.slack.work.inquiry import Inquiry
from firstfault.agent.store import Status, Store, open_store
from firstfault.agent.store.decisions import DecisionRecord, Origin, decision_record
from firstfault.policies import Action, History, Proposal
from firstfault.policies.approvals import Approval, Roster
from firstfault.policies.engine import inputs_of
from firstfault.tools.alerts.alert import Alert
from firstfault.tools.redaction import redact
from tests.agent.render import samples as demo
from tests.agent.slack import samples
from tests.policies.worlds import NOW, facts, gate, limits, policies, proposal
from tests.slackworld.manifest import manifest_from
from tests.slackworld.person import Person
from tests.slackworld.slack import APP_TOKEN, BOT_TOKEN
from tests.slackworld.workspace import Channel
from tests.slackworld.world import SlackWorld

MANIFEST = Path(__file__).parents[3] / "deploy" / "slack-manifest.yaml"
INCIDENT = "inc-1"
CLUSTER = "blue"
PATIENCE_S = 30.0
LOOK_S = 0.05
Found = TypeVar("Found")


class MovedClock:
    """Goes on from NOW as time does; `skip` moves it forward."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._skipped = timedelta(0)

    def __call__(self) -> datetime:
        return NOW + timedelta(seconds=time.monotonic() - self._began) + self._skipped

    def skip(self, span: timedelta) -> None:
        self._skipped += span


@dataclass(kw_only=True)
class Stage:
    """Everything a test acts with. inquiries: what was asked to be investigated. report_of: makes the report of one."""

    world: SlackWorld
    store: Store
    clock: MovedClock
    incidents: Channel
    shadow: Channel
    other: Channel
    settings: SlackSettings
    people: dict[str, Person]
    roster: Roster
    said: list[str] = field(default_factory=list[str])
    settled: list[str] = field(default_factory=list[str])
    inquiries: list[Inquiry] = field(default_factory=list[Inquiry])
    report_of: Callable[[Inquiry], Report] = lambda inquiry: report(inquiry.incident.id)
    planner: Callable[[DecisionRecord], Plan] | None = lambda _: samples.plan()

    def until(self, seen: Callable[[], Found | None]) -> Found:
        """Return what `seen` returns once that is true, whether Slack or the store made it so. Raises AssertionError."""
        changed = self.world.workspace.changed
        for _ in range(int(PATIENCE_S / LOOK_S)):
            found = seen()
            if found:
                return found
            with changed:
                changed.wait(LOOK_S)
        raise AssertionError(self._state())

    def _state(self) -> str:
        """Return what there is instead of what was waited for."""
        kept = self.store.requests
        heard = [each.key for each in (*kept.unaccepted(), *kept.unfinished())]
        acks = [(each.kind, [ack is not None for ack in each.acks]) for each in self.world.postman.sent]
        posts = [str(each.get("text", ""))[:80] for each in self.world.posts_of_app(self.incidents)]
        return f"not seen in {PATIENCE_S} s; said {self.said}; sent {acks}; not done {heard}; posted {posts}"

    @contextmanager
    def running(self) -> Generator[ChatService]:
        """Give the chat, running and known to Slack; again for another process over the same store."""
        hub = self.world.hub
        opened = hub.opened
        with ThreadPoolExecutor(max_workers=4) as errands:
            chat = wire(self.settings, self.surroundings(errands))
            chat.start()
            try:
                self.until(lambda: "connected to Slack" in self.said)
                # The app is connected before Slack has noted the connection: what is sent in between reaches nobody.
                if self.settings.app_token is not None:
                    hub.wait_for_connections(1, opened=opened + 1)
                yield chat
            finally:
                chat.stop()
                self.said.clear()
                hub.wait_for_silence()

    def reported(self, made: Report | None = None, *, cluster: str | None = CLUSTER) -> Report:
        """Return a report that is in the store as the pipeline leaves it, with the alert that it began with."""
        found = made or report(INCIDENT)
        incident_id, now = found.incident.id, self.clock()
        if self.store.incidents.find(incident_id) is None:
            self.store.incidents.open(incident(incident_id), now)
            labels = {"alertname": "GPUXid", "node": "gpu-n7", **({"cluster": cluster} if cluster else {})}
            alert = Alert(fingerprint=incident_id, starts_at=NOW, is_firing=True, labels=labels)
            self.store.inbox.receive([alert], now)
            self.store.inbox.assign([alert.key], incident_id)
        self.store.reports.put(found, now)
        self.store.incidents.set_status(incident_id, Status.CLOSED, now)
        return found

    def asked(self, action: Action = Action.CORDON_NODE, **changes: object) -> Approval:
        """Return an approval that people are asked for."""
        record = self.decided(action, **changes)
        approval = ApprovalDesk(store=self.store, roster=self.roster).ask(record, self.clock())
        assert approval is not None
        return approval

    def decided(self, action: Action = Action.CORDON_NODE, **changes: object) -> DecisionRecord:
        """Return a decision that needs approval, kept."""
        asked: Proposal = proposal(action, incident_id=INCIDENT, **changes)
        inputs = inputs_of(asked, facts(), History.of([], []), limits(), policies())
        record = decision_record(
            inputs, gate(asked), correlation_id="c-1", made_at=self.clock(), origin=Origin.LIVE
        )
        return self.store.decisions.put(record)

    def card(self, channel: Channel | None = None, *, says: str = "") -> dict[str, Any]:
        """Return the message about the incident in a channel, once it is there and says so."""
        place = channel or self.incidents

        def found() -> dict[str, Any] | None:
            cards = [
                each
                for each in self.world.posts_of_app(place)
                if "thread_ts" not in each or each["thread_ts"] == each["ts"]
            ]
            return next((each for each in cards if says in str(each)), None)

        return self.until(found)

    def reply(self, channel: Channel, thread: str, *, says: str) -> dict[str, Any]:
        """Return what the app said in a thread, once it says so."""

        def found() -> dict[str, Any] | None:
            said = [each for each in self.world.posts_of_app(channel) if each.get("thread_ts") == thread]
            return next((each for each in said if says in str(each)), None)

        return self.until(found)

    def whispers(self, name: str, channel: Channel | None = None) -> list[str]:
        """Return what only one person was told."""
        return [str(each) for each in self.people[name].shown(channel or self.incidents)]

    def surroundings(
        self, errands: ThreadPoolExecutor, *, ports: Mapping[str, Port] | None = None
    ) -> Surroundings:
        """Return what the chat gets of this stage."""
        return Surroundings(
            store=self.store,
            roster=self.roster,
            redact=redact,
            clock=self.clock,
            said=self.said.append,
            errands=errands,
            investigate=self._investigate,
            score=lambda: "Shadow scorecard: 3 of 4",
            settle=self.settled.append,
            planner=self._plan if self.planner else None,
            cluster=CLUSTER,
            public_url="https://firstfault.example",
            ports=ports or {},
        )

    def _plan(self, record: DecisionRecord) -> Plan:
        if self.planner is None:
            msg = "no cluster"
            raise NoPlanError(msg)
        return self.planner(record)

    def _investigate(self, inquiry: Inquiry, progress: Callable[[str], None]) -> Report:
        self.inquiries.append(inquiry)
        for stage in ("intake", "collect", "publish"):
            progress(stage)
        made = self.report_of(inquiry)
        self.store.reports.put(made, self.clock())
        self.store.incidents.set_status(made.incident.id, Status.CLOSED, self.clock())
        return made


@contextmanager
def stage(
    folder: Path, *, people: Sequence[str] = ("ada", "grace", "joan"), **settings: object
) -> Generator[Stage]:
    """Give a stage: ada and grace may approve, joan may not; `incidents` is the channel of cluster blue."""
    clock = MovedClock()
    with (
        SlackWorld(manifest=manifest_from(MANIFEST), clock=lambda: clock().timestamp()) as world,
        open_store(folder / "state") as store,
    ):
        incidents, shadow, other = (world.channel(name) for name in ("incidents", "shadow", "other"))
        known = {name: world.person(name, incidents, shadow, other) for name in people}
        yield Stage(
            world=world,
            store=store,
            clock=clock,
            incidents=incidents,
            shadow=shadow,
            other=other,
            people=known,
            roster=Roster(
                groups={"sre": frozenset({"ada", "grace"})},
                actions={
                    Action.CORDON_NODE: frozenset({"group:sre"}),
                    Action.NODE_REPLACE: frozenset({"group:sre"}),
                },
            ),
            settings=SlackSettings.model_validate(
                {
                    "bot_token": SecretStr(BOT_TOKEN),
                    "app_token": SecretStr(APP_TOKEN),
                    "base_url": world.api_url,
                    "shadow_channel": shadow.id,
                    "routes": [
                        {"channel": incidents.id, "cluster": CLUSTER},
                        {"channel": other.id, "cluster": "green"},
                    ],
                    "people": {person.id: name for name, person in known.items()},
                    "post_interval_s": 0.02,
                    **settings,
                }
            ),
        )


def incident(incident_id: str) -> Incident:
    """Return an incident."""
    return Incident(id=incident_id, question="why?", correlation_id=f"c-{incident_id}", opened_at=NOW)


def report(incident_id: str, **changes: object) -> Report:
    """Return a report whose class is out of shadow."""
    made = samples.offered()
    part = made.incident.model_copy(update={"id": incident_id, "correlation_id": f"c-{incident_id}"})
    return made.model_copy(update={"incident": part, **changes})


def in_shadow(incident_id: str) -> Report:
    """Return a report whose class is in shadow."""
    return report(incident_id, recommendations=demo.gpu_079().recommendations)
