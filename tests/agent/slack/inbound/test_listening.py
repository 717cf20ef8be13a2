"""The listener ends although the library does not."""

import threading
from collections.abc import Generator

import pytest
from slack_bolt import App
from slack_bolt.adapter.socket_mode import SocketModeHandler
from slack_sdk import WebClient

from firstfault.agent.slack.inbound import listening
from firstfault.agent.slack.inbound.listening import hang_up
from tests.slackworld.slack import APP_TOKEN, BOT_TOKEN
from tests.slackworld.world import SlackWorld


@pytest.fixture(name="handler")
def handler_fixture() -> Generator[SocketModeHandler]:
    with SlackWorld() as world:
        client = WebClient(BOT_TOKEN, base_url=world.api_url)
        app = App(client=client, token_verification_enabled=False)
        handler = SocketModeHandler(app, APP_TOKEN, web_client=client, ping_interval=0.2)
        yield handler
        SocketModeHandler.close(handler)


def test_a_connection_is_closed(handler: SocketModeHandler) -> None:
    handler.connect()
    hang_up(handler)
    assert not handler.client.is_connected()


def test_a_library_that_never_ends_is_left_behind(
    handler: SocketModeHandler, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = threading.Event()
    monkeypatch.setattr(handler, "close", ended.wait)
    monkeypatch.setattr(listening, "HANG_UP_S", 0.1)
    hang_up(handler)
    assert not ended.is_set()
    ended.set()
