"""Slack on loopback, good enough to be mistaken for it by an app, that fails as a test plans it.

`with SlackWorld() as world:` serves the Web API at `world.api_url` and Socket Mode behind it. People are made by
`world.person(…)`, channels by `world.channel(…)`. Planned trouble is in `world.faults` (paths are `/api/chat.update`),
every call with its answer in `world.calls`, everything sent to the app in `world.postman.sent`.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Self

from firstfault.evals.sim.kube_faults import Fault
from firstfault.evals.sim.kube_http import LoopbackServer
from firstfault.evals.sim.kube_json import Body
from tests.slackworld.api import Call, Said, answer
from tests.slackworld.deliveries import ACK_WITHIN_S, RETRY_AFTER_S, Delivery, HttpWay, Postman, SocketWay
from tests.slackworld.http import handler_for
from tests.slackworld.manifest import Manifest
from tests.slackworld.payloads import event_callback
from tests.slackworld.person import Person
from tests.slackworld.rates import Gatekeeper, Rate
from tests.slackworld.slack import Slack
from tests.slackworld.sockets import Hub
from tests.slackworld.typing_in import element
from tests.slackworld.workspace import PATIENCE_S, Channel, Found, Workspace


def wall_clock() -> float:
    """Return UTC seconds."""
    return datetime.now(UTC).timestamp()  # noqa: TID251  # stands where Slack's own clock does


class SlackWorld:
    """The server with everybody in it."""

    def __init__(
        self,
        *,
        manifest: Manifest | None = None,
        rates: Mapping[str, Rate] | None = None,
        clock: Callable[[], float] = wall_clock,
        ack_within_s: float = ACK_WITHIN_S,
        retry_after_s: Sequence[float] = RETRY_AFTER_S,
    ) -> None:
        """Take what the app is allowed, how often it may call, and how patient Slack is."""
        self.workspace = Workspace(clock)
        self.hub = Hub()
        self.faults: list[Fault] = []
        self.calls: list[Call] = []
        self.ack_within_s = ack_within_s
        self.gatekeeper = Gatekeeper(clock=self._now, rates=rates or {})
        self.postman = Postman(
            SocketWay(send_envelope=self.hub.send, ack_within_s=ack_within_s), retry_after_s=retry_after_s
        )
        self.slack = Slack(
            workspace=self.workspace,
            manifest=manifest or Manifest(),
            bot=self.workspace.add_user("firstfault", is_bot=True),
            bot_id=self.workspace.new_id("B"),
            announce=self._announce,
            url=lambda: self.url,
            socket_url=self.hub.url,
        )
        self._server = LoopbackServer(("127.0.0.1", 0), handler_for(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        """Return the address of the server."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def api_url(self) -> str:
        """Return what an app takes as the base of the Web API."""
        return f"{self.url}/api/"

    def __enter__(self) -> Self:
        """Start to serve."""
        self.hub.start()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop, and let go of everything that waits."""
        for fault in self.faults:
            fault.release.set()
        self.hub.stop()
        self.postman.stop()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def speak_http(self, url: str) -> None:
        """Send to the app's own address from now on, signed."""
        self.postman.way = HttpWay(url=url, clock=self.workspace.clock, ack_within_s=self.ack_within_s)

    def person(
        self, name: str, *channels: Channel, is_bot: bool = False, team_id: str | None = None
    ) -> Person:
        """Return a new member of the workspace (or a guest from `team_id`) who is in these channels."""
        user = self.workspace.add_user(name, is_bot=is_bot, team_id=team_id)
        for channel in channels:
            channel.members.append(user["id"])
        return Person(slack=self.slack, postman=self.postman, user=user)

    def channel(self, name: str, *, kind: str = "channel", has_app: bool = True) -> Channel:
        """Return a new channel."""
        return self.workspace.add_channel(
            name, kind=kind, members=(self.slack.bot_user_id,) if has_app else ()
        )

    def direct(self, person: Person) -> Channel:
        """Return the conversation of a person and the app."""
        return self.workspace.direct(person.id, self.slack.bot_user_id)

    def group(self, *people: Person) -> str:
        """Return the id of a new user group."""
        group_id = self.workspace.new_id("S")
        self.workspace.groups[group_id] = [each.id for each in people]
        return group_id

    def archive(self, channel: Channel) -> None:
        """Archive a channel."""
        with self.workspace.changed:
            channel.is_archived = True
        event = {"type": "channel_archive", "channel": channel.id, "user": "U000000000"}
        self._announce("channel_archive", {**event, "event_ts": self.workspace.new_ts()})

    def wait_for(self, seen: Callable[[], Found], *, patience_s: float = PATIENCE_S) -> Found:
        """Return what `seen` returns once that is true. Raises AssertionError."""
        return self.workspace.wait_for(seen, patience_s=patience_s)

    def posts_of_app(self, channel: Channel) -> list[Body]:
        """Return what the app said in a channel and its threads, oldest first."""
        return [each for each in channel.messages.values() if each.get("bot_id") == self.slack.bot_id]

    def calls_of(self, method: str) -> list[Call]:
        """Return the calls of one method, in order."""
        return [each for each in self.calls if each.method == method]

    def fault_for(self, http_method: str, path: str) -> Fault | None:
        """Return the first planned trouble that takes this request."""
        with self.workspace.changed:
            return next((fault for fault in self.faults if fault.takes(http_method, path)), None)

    def call(self, name: str, args: Body, token: str) -> Said:
        """Return what a method answers, and keep the call."""
        said = answer(self.slack, self.gatekeeper, name, args, token)
        with self.workspace.changed:
            self.calls.append(Call(method=name, args=args, said=said, at=self.workspace.clock()))
            self.workspace.changed.notify_all()
        return said

    def _now(self) -> float:
        return self.workspace.clock()

    def _announce(self, name: str, event: Body) -> None:
        if self.slack.manifest.hears(name):
            self.postman.carry(Delivery(kind="events_api", payload=event_callback(self.slack, event)))


def has_button(message: Body, action_id: str) -> bool:
    """Return whether a message offers this action."""
    try:
        element(message.get("blocks", []), action_id)
    except AssertionError:
        return False
    return True
