"""What people do reaches an app made with Slack's own libraries, and what the app answers reaches the people."""

import json
import threading
from collections.abc import Callable, Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from slack_bolt import Ack, App
from slack_bolt.adapter.socket_mode import SocketModeHandler
from slack_sdk import WebClient
from slack_sdk.socket_mode import SocketModeClient

from firstfault.agent.slack.inbound.listening import hang_up
from firstfault.evals.sim.kube_json import Body
from tests.slackworld.caller import Caller
from tests.slackworld.deliveries import HttpWay, signature
from tests.slackworld.manifest import Manifest
from tests.slackworld.slack import APP_TOKEN, BOT_TOKEN, SIGNING_SECRET
from tests.slackworld.world import SlackWorld, has_button, wall_clock


def heard_by(heard: list[Body]) -> Callable[[Body], None]:
    """Return a listener as bolt wants it: its argument's name says what it gets."""

    def hear(event: Body) -> None:
        heard.append(event)

    return hear


BUTTON = {
    "type": "actions",
    "block_id": "decide",
    "elements": [
        {
            "type": "button",
            "action_id": "approve",
            "text": {"type": "plain_text", "text": "Approve"},
            "value": "d-1",
        }
    ],
}
REASON = {
    "type": "input",
    "block_id": "why",
    "label": {"type": "plain_text", "text": "Why"},
    "element": {"type": "plain_text_input", "action_id": "reason"},
}
MODAL = {
    "type": "modal",
    "callback_id": "reject",
    "title": {"type": "plain_text", "text": "Reject"},
    "submit": {"type": "plain_text", "text": "Reject"},
    "blocks": [REASON],
}


@pytest.fixture(name="world")
def world_fixture() -> Generator[SlackWorld]:
    manifest = Manifest(shortcuts=frozenset({"investigate"}))
    with SlackWorld(manifest=manifest, ack_within_s=1.0, retry_after_s=(0.0, 0.05)) as world:
        yield world


@pytest.fixture(name="app")
def app_fixture(world: SlackWorld) -> Generator[App]:
    client = WebClient(BOT_TOKEN, base_url=world.api_url)
    app = App(client=client, signing_secret=SIGNING_SECRET)
    handler = SocketModeHandler(app, APP_TOKEN, web_client=client, ping_interval=0.2)
    handler.connect()
    world.hub.wait_for_connections(1)
    yield app
    leave(handler, world)


def leave(handler: SocketModeHandler, world: SlackWorld) -> None:
    """Close; the library waits three seconds for a socket that is silent, so it is broken first."""
    client = handler.client
    assert isinstance(client, SocketModeClient)
    client.default_auto_reconnect_enabled = client.auto_reconnect_enabled = False
    client.closed = True
    client.enqueue_message("")
    world.hub.drop()
    hang_up(handler)


def test_a_mention_reaches_the_app_once_as_each_event(world: SlackWorld, app: App) -> None:
    heard: list[Body] = []
    app.event("app_mention")(heard_by(heard))  # pyright: ignore[reportUnknownMemberType]  # the library has no type here
    channel = world.channel("gpu-oncall")
    alice = world.person("alice", channel)
    top = alice.posts(channel, "node down")
    alice.mentions(channel, "why?", thread=top["ts"])
    assert [each.kind for each in world.postman.sent] == ["events_api"] * 3
    mention = world.postman.sent[-1]
    assert mention.ack() == {}
    assert heard[0]["thread_ts"] == top["ts"]
    assert heard[0]["channel"] == channel.id


def test_where_the_app_is_not_it_hears_nothing(world: SlackWorld) -> None:
    channel = world.channel("strangers", has_app=False)
    world.person("alice", channel).mentions(channel, "hello?")
    assert world.postman.sent == []


def test_a_click_a_modal_and_an_error_in_it(world: SlackWorld, app: App) -> None:
    client = Caller(world.api_url)

    def open_modal(ack: Ack, body: Body) -> None:
        ack()
        client.ok("views.open", trigger_id=body["trigger_id"], view=MODAL)

    def check(ack: Ack, view: Body) -> None:
        said = view["state"]["values"]["why"]["reason"]["value"]
        if said == "no":
            ack(response_action="errors", errors={"why": "say more"})
        else:
            ack()

    app.action("approve")(open_modal)  # pyright: ignore[reportUnknownMemberType]  # the library has no type here
    app.view("reject")(check)  # pyright: ignore[reportUnknownMemberType]  # as above
    channel = world.channel("gpu-oncall")
    alice = world.person("alice", channel)
    posted = client.ok("chat.postMessage", channel=channel.id, text="?", blocks=[BUTTON])["ts"]
    assert has_button(channel.messages[posted], "approve")
    alice.clicks(channel, posted, "approve")
    assert alice.top_modal()["callback_id"] == "reject"
    with pytest.raises(AssertionError, match="must be filled in"):
        alice.submits()
    alice.submits({"reason": "no"})
    assert alice.errors == {"why": "say more"}
    assert len(alice.modals()) == 1
    alice.submits({"reason": "not on a holiday"})
    assert alice.modals() == []


def test_a_button_that_is_not_there_cannot_be_clicked(world: SlackWorld) -> None:
    channel = world.channel("gpu-oncall")
    alice = world.person("alice", channel)
    client = Caller(world.api_url)
    posted = client.ok("chat.postMessage", channel=channel.id, text="?", blocks=[BUTTON])["ts"]
    with pytest.raises(AssertionError):
        alice.clicks(channel, posted, "reject")
    with pytest.raises(AssertionError):
        world.person("stranger").clicks(channel, posted, "approve")


def test_a_command_answers_the_person_alone(world: SlackWorld, app: App) -> None:
    def status(ack: Ack, respond: Callable[[str], Any], command: Body) -> None:
        ack("one moment")
        respond(f"you said {command['text']}")

    app.command("/firstfault")(status)  # pyright: ignore[reportUnknownMemberType]  # the library has no type here
    channel = world.channel("gpu-oncall")
    alice = world.person("alice", channel)
    alice.runs("/firstfault", "status", channel)
    world.wait_for(lambda: len(alice.shown(channel)) == 2)
    assert {each["text"] for each in alice.shown(channel)} == {"one moment", "you said status"}
    assert world.posts_of_app(channel) == []


def test_a_shortcut_carries_the_message(world: SlackWorld, app: App) -> None:
    heard: list[Body] = []

    def investigate(ack: Ack, shortcut: Body) -> None:
        heard.append(shortcut)
        ack()

    app.shortcut("investigate")(investigate)  # pyright: ignore[reportUnknownMemberType]  # the library has no type here
    channel = world.channel("gpu-oncall")
    alice = world.person("alice", channel)
    message = alice.posts(channel, "GPU has fallen off the bus")
    alice.uses_shortcut("investigate", channel, message["ts"])
    assert heard[0]["message"]["text"] == "GPU has fallen off the bus"


def test_events_come_again_until_acknowledged(world: SlackWorld, app: App) -> None:
    del app
    world.hub.is_deaf = True
    channel = world.channel("gpu-oncall")
    world.person("alice", channel).posts(channel, "hello")
    (delivery,) = world.postman.sent
    assert delivery.ack() is None
    assert delivery.attempts == 3


def test_after_a_warning_and_after_a_break_the_app_is_there_again(world: SlackWorld, app: App) -> None:
    heard: list[Body] = []
    app.event("message")(heard_by(heard))  # pyright: ignore[reportUnknownMemberType]  # the library has no type here
    world.hub.say_goodbye("refresh_requested")
    world.hub.wait_for_connections(1, opened=2)
    world.hub.drop()
    world.hub.wait_for_connections(1, opened=3)
    channel = world.channel("gpu-oncall")
    world.person("alice", channel).posts(channel, "hello")
    assert world.postman.sent[-1].ack() == {}


def test_two_connections_take_turns(world: SlackWorld, app: App) -> None:
    client = WebClient(BOT_TOKEN, base_url=world.api_url)
    heard: list[Body] = []
    other = App(client=client, signing_secret=SIGNING_SECRET)
    other.event("message")(heard_by(heard))  # pyright: ignore[reportUnknownMemberType]  # the library has no type here
    app.event("message")(heard_by(heard))  # pyright: ignore[reportUnknownMemberType]  # the library has no type here
    handler = SocketModeHandler(other, APP_TOKEN, web_client=client, ping_interval=0.2)
    handler.connect()
    world.hub.wait_for_connections(2)
    channel = world.channel("gpu-oncall")
    alice = world.person("alice", channel)
    for number in range(4):
        alice.posts(channel, str(number))
        assert world.postman.sent[-1].ack() == {}
    leave(handler, world)
    assert sorted(each["text"] for each in heard) == list("0123")


class Receiver:
    """An app over HTTP that fails the first `failing` requests."""

    def __init__(self, failing: int) -> None:
        self.seen: list[tuple[dict[str, str], bytes]] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.seen.append(({name.lower(): value for name, value in self.headers.items()}, content))
                self.send_response(500 if len(receiver.seen) <= failing else 200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class names it so
                del format, args

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def test_over_http_requests_are_signed_and_retries_numbered(world: SlackWorld) -> None:
    receiver = Receiver(failing=2)
    world.speak_http(f"http://127.0.0.1:{receiver.server.server_port}/slack/events")
    channel = world.channel("gpu-oncall")
    world.person("alice", channel).posts(channel, "hello")
    assert world.postman.sent[-1].ack() == {}
    receiver.close()
    numbers = [headers.get("x-slack-retry-num") for headers, _ in receiver.seen]
    assert numbers == [None, "1", "2"]
    headers, content = receiver.seen[0]
    proof = signature(content, int(headers["x-slack-request-timestamp"]), SIGNING_SECRET)
    assert headers["x-slack-signature"] == proof["X-Slack-Signature"]
    assert json.loads(content)["event"]["text"] == "hello"
    assert isinstance(world.postman.way, HttpWay)
    assert abs(int(headers["x-slack-request-timestamp"]) - wall_clock()) < 60
