"""A whole site in one process: a Slack, a cluster, a Loki, and firstfault as `serve` puts it together, with a clock to set."""

import json
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from firstfault.agent.ledger.rows import Move
from firstfault.agent.ledger.writing import move_cell
from firstfault.agent.serve.dispatch import SETTLE_S, Dispatcher
from firstfault.agent.serve.reception import Reception
from firstfault.agent.settings import load_settings
from firstfault.agent.slack.service import ChatService
from firstfault.agent.store import Store
from firstfault.agent.store.ledger import Execution
from firstfault.cli import chat, live, serve
from firstfault.cli.workbench import Workbench, open_workbench
from firstfault.evals.sim.kube_api import ADMIN_TOKEN, KubeApi
from firstfault.evals.sim.kube_json import Body
from firstfault.evals.sim.kube_kinds import CUSTOM
from firstfault.evals.sim.recorded_http import RecordedServer, Said
from firstfault.policies import Action, Mode
from tests.agent.executor.kit import Bench, ScriptedClock, kind, load_cluster, pod
from tests.live import NOTHING, XID, kubeconfig, loki_streams
from tests.slackworld.manifest import manifest_from
from tests.slackworld.person import Person
from tests.slackworld.slack import APP_TOKEN, BOT_TOKEN
from tests.slackworld.workspace import Channel
from tests.slackworld.world import SlackWorld, wall_clock

ROOT = Path(__file__).resolve().parents[2]
MANIFEST = ROOT / "deploy" / "slack-manifest.yaml"
CLASS = "gpu.fell_off_bus"
_NODE = re.compile(r"gpu\W+(\d{5})")
APART = timedelta(hours=6)
"""Between two incidents, so that cooldowns and rates of the gate are over."""
CELLS = (Action.CORDON_NODE, Action.DRAIN_NODE)


class Clock:
    """The real time, moved forward as a test likes."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def __call__(self) -> datetime:
        return datetime.fromtimestamp(wall_clock(), UTC) + self.ahead


@dataclass(kw_only=True)
class Site:
    """Everything that a test of the chat looks at."""

    folder: Path
    world: SlackWorld
    api: KubeApi
    channel: Channel
    shadow: Channel
    people: Mapping[str, Person]
    clock: Clock
    bench: Workbench
    service: ChatService
    dispatcher: Dispatcher
    reception: Reception
    said: list[str] = field(default_factory=list[str])

    @property
    def store(self) -> Store:
        return self.bench.store

    def alert(self, node: str, *, number: int = 1, **labels: str) -> str:
        """Return the incident that an alert on a node was investigated as."""
        self.clock.ahead += APART
        self.reception.take(notification(node, self.clock(), number=number, **labels))
        self.dispatcher.assign(self.clock())
        self.clock.ahead += timedelta(seconds=SETTLE_S + 1)
        (incident_id,) = self.dispatcher.due(self.clock())
        self.dispatcher.begin(incident_id)
        self.dispatcher.run(incident_id)
        self.dispatcher.finish(incident_id, self.clock())
        return incident_id

    def card(self, incident_id: str, channel: Channel | None = None) -> Body:
        """Return the message about an incident, once it is there."""
        place = channel or self.channel
        return self.world.wait_for(lambda: self.cards(incident_id, place), patience_s=30)[0]

    def cards(self, incident_id: str, channel: Channel) -> list[Body]:
        """Return the messages about an incident in a channel itself."""
        posts = [each for each in channel.top() if each.get("bot_id")]
        return [each for each in posts if incident_id in json.dumps(each["blocks"])]

    def card_says(self, incident_id: str, *words: str) -> Body:
        """Return the message about an incident, once it says all of this."""
        place = self.channel

        def found() -> list[Body]:
            return [
                each
                for each in self.cards(incident_id, place)
                if all(word in json.dumps(each) for word in words)
            ]

        try:
            return self.world.wait_for(found, patience_s=30)[0]
        except AssertionError:
            raise AssertionError(json.dumps(self.cards(incident_id, place), indent=1)) from None

    def clicks(self, name: str, incident_id: str, action_id: str, *, wait: bool = True) -> None:
        """Have a person click on the message about an incident."""
        self.people[name].clicks(self.channel, self.card(incident_id)["ts"], action_id, wait=wait)

    def whispered(self, name: str, *words: str) -> Body:
        """Return what was shown to one person alone, once it says all of this."""
        person = self.people[name]

        def found() -> list[Body]:
            return [
                each for each in person.shown(self.channel) if all(word in json.dumps(each) for word in words)
            ]

        return self.world.wait_for(found)[0]

    def executor(self) -> Bench:
        """Return an executor over this cluster and this store."""
        clock = ScriptedClock(self.clock())
        bench = Bench(api=self.api, store=self.store, folder=self.folder, clock=clock)
        for action in Action:
            bench.allow(action, CLASS)
        return bench

    def execute(self) -> dict[str, str]:
        """Return what one round of the executor did: decision → word."""
        return {name: str(word) for name, word in self.executor().service.round().items()}

    def executions(self, incident_id: str) -> list[Execution]:
        """Return what was carried out for an incident."""
        approvals = self.store.approvals.of_incident(incident_id)
        found = [self.store.executions.of_decision(each.decision_id) for each in approvals]
        return [each for each in found if each is not None]

    def only_approval(self, incident_id: str) -> str:
        """Return the first approval that was asked for."""
        return self.store.approvals.of_incident(incident_id)[0].id


def notification(node: str, at: datetime, *, number: int = 1, **labels: str) -> bytes:
    """Return what Alertmanager posts for one node."""
    alert = {
        "status": "firing",
        "labels": {"alertname": f"GpuLost on {node}", "cluster": "lab", "node": node, **labels},
        "annotations": {"summary": f"a GPU of {node} is lost"},
        "startsAt": at.isoformat(),
        "endsAt": "0001-01-01T00:00:00Z",
        "fingerprint": f"{number:08x}{abs(hash(node)) % 16**8:08x}",
    }
    body = {"version": "4", "groupKey": "{}", "status": "firing", "alerts": [alert]}
    return json.dumps(body).encode()


def kernel_log(clock: Callable[[], datetime]) -> Callable[[str, dict[str, str]], Said]:
    """Return what answers like a Loki in which every machine lost a GPU ten seconds ago."""

    def answer(path: str, query: dict[str, str]) -> Said:
        found = _NODE.search(" ".join(query.values()))
        node = f"gpu-{found[1] if found else 0}"
        labels = f'{{"job":"systemd-journal","transport":"kernel","node":"{node}"}}'
        if path.endswith("/series"):
            return loki_streams(labels)
        if path == "/config":
            return Said(body=b"limits_config:\n  retention_period: 744h\n", content_type="text/plain")
        at_ns = int((clock() - timedelta(seconds=10)).timestamp()) * 1_000_000_000
        if "{node=" not in query.get("query", "") or not int(query["start"]) <= at_ns < int(query["end"]):
            return Said(body=NOTHING)
        stream = f'{{"stream":{labels},"values":[["{at_ns}","{XID}"]]}}'
        return Said(
            body=f'{{"status":"success","data":{{"resultType":"streams","result":[{stream}]}}}}'.encode()
        )

    return answer


def settings_text(world: SlackWorld, cluster: Path, loki: str, channels: Sequence[Channel], more: str) -> str:
    """Return `firstfault.toml` of the site."""
    main, shadow = channels
    return f"""[kubernetes]
enabled = true
cluster = "lab"
kubeconfig = "{cluster}"
[loki]
url = "{loki}"
[slack]
bot_token = "{BOT_TOKEN}"
app_token = "{APP_TOKEN}"
base_url = "{world.api_url}"
channel = "{main.id}"
shadow_channel = "{shadow.id}"
post_interval_s = 0.05
{more}
[approvers.groups]
sre = ["ada", "grace"]
[approvers.actions]
default = ["group:sre"]
"""


@contextmanager
def open_site(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    mode: Mode | None = Mode.APPROVE,
    world: SlackWorld | None = None,
    more: str = "",
) -> Generator[Site]:
    """Give a site that has been started. mode: of the two gentle cells of a GPU that fell off the bus; None: shadow."""
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    clock = Clock()
    for module in (chat, live, serve):
        monkeypatch.setattr(module, "_now", clock)
    with ExitStack() as stack:
        slack = stack.enter_context(world or SlackWorld(manifest=manifest_from(MANIFEST)))
        slack.workspace.clock = lambda: clock().timestamp()
        api = stack.enter_context(KubeApi(served=CUSTOM))
        load_cluster(api)
        api.store.load(kind("Pod"), [pod("trainer-0", "gpu-00003")])
        loki = stack.enter_context(RecordedServer(kernel_log(clock)))
        channels = (slack.channel("gpu-oncall"), slack.channel("gpu-shadow"))
        people = {name: slack.person(name, *channels) for name in ("ada", "grace", "mallory")}
        names = ", ".join(f'{people[name].id} = "{name}"' for name in ("ada", "grace"))
        file = folder / "firstfault.toml"
        cluster = kubeconfig(folder, api.url, ADMIN_TOKEN)
        file.write_text(settings_text(slack, cluster, loki.url, channels, f"people = {{ {names} }}\n{more}"))
        site = stack.enter_context(_started(folder, file, slack, api, channels, people, clock, mode))
        yield site


@contextmanager
def _started(  # the parts of a site
    folder: Path,
    file: Path,
    world: SlackWorld,
    api: KubeApi,
    channels: tuple[Channel, Channel],
    people: Mapping[str, Person],
    clock: Clock,
    mode: Mode | None,
) -> Generator[Site]:
    settings = load_settings(file)
    state = folder / "state" / "firstfault"
    with (
        open_workbench(settings, state, clock()) as bench,
        ThreadPoolExecutor(max_workers=4) as errands,
    ):
        for action in CELLS if mode else ():
            promote(bench.store, state, action, clock(), mode or Mode.SHADOW)
        service = chat.open_chat(settings, bench, errands)
        dispatcher = Dispatcher(
            store=bench.store,
            investigate=serve._investigation(settings, bench),  # pyright: ignore[reportPrivateUsage]  # as `serve` has it
            published=lambda report: service.publish(report.incident.id),
        )
        opened = world.hub.opened
        service.start()
        world.hub.wait_for_connections(1, opened=opened + 1)
        try:
            yield Site(
                folder=folder,
                world=world,
                api=api,
                channel=channels[0],
                shadow=channels[1],
                people=people,
                clock=clock,
                bench=bench,
                service=service,
                dispatcher=dispatcher,
                reception=Reception(store=bench.store, token=None, clock=clock, arrived=lambda: None),
            )
        finally:
            _part(service, world)


def _part(service: ChatService, world: SlackWorld) -> None:
    """End the chat; Slack's library waits three seconds for a socket that is silent, so it is broken first."""
    listener = service.listener
    handler = None if listener is None else listener._handler  # pyright: ignore[reportPrivateUsage]  # as above
    if handler is not None:
        client = handler.client
        client.default_auto_reconnect_enabled = client.auto_reconnect_enabled = False
        client.closed = True
        client.enqueue_message("")
        world.hub.drop()
    service.stop()


def promote(store: Store, state: Path, action: Action, at: datetime, mode: Mode) -> None:
    """Put a cell into a mode, as `firstfault shadow promote` does."""
    move_cell(
        store,
        state,
        Move(
            failure_class=CLASS,
            action=action,
            mode_before=Mode.SHADOW,
            mode=mode,
            by="ada",
            why="test",
            at=at,
            scorecard="",
            source="",
            scored=0,
            successes=0,
            low=0.0,
            version="",
        ),
    )
