"""Holds the connection to Slack: connects when Slack can be reached, and again when it is lost."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from slack_bolt import App
from slack_bolt.adapter.socket_mode import SocketModeHandler
from slack_sdk.errors import SlackClientError

from firstfault.agent.slack.ports.client import SlackPort
from firstfault.agent.slack.ports.port import ChatError

FIRST_WAIT_S = 1.0
MAX_WAIT_S = 60.0
PING_S = 2.0
"""How often the connection is tried. The library takes one for lost after four pings without an answer, and reads it without
rest until then: with its usual ten seconds a break went unnoticed for a minute. Ours."""
HANG_UP_S = 5.0
"""How long the library may take to close. One of its threads can begin a session at that moment and forget that it was told
to end (slack_sdk 3, `_run_current_session`); its threads are daemons and are left behind then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who the bot is. team: its workspace. user: its own id."""

    team: str
    user: str


@dataclass(kw_only=True)
class Listener:
    """Finds out who the bot is, then listens. build: makes the app once that is known.

    is_signed: what is posted over HTTP is checked against a signing secret.
    """

    port: SlackPort
    build: Callable[[Identity], App]
    app_token: str | None
    said: Callable[[str], None]
    is_signed: bool = False
    stopping: threading.Event = field(default_factory=threading.Event)
    app: App | None = None
    _handler: SocketModeHandler | None = None
    _thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to listen; returns at once."""
        self._thread = threading.Thread(target=self._listen, name="chat-listener")
        self._thread.start()

    def stop(self) -> None:
        """Hear nothing any more."""
        self.stopping.set()
        if self._thread is not None:
            self._thread.join()
        if self._handler is not None:
            hang_up(self._handler)

    def _listen(self) -> None:
        wait_s = FIRST_WAIT_S
        while not self.stopping.is_set():
            try:
                self._connect()
            except (ChatError, SlackClientError, OSError) as error:
                self.said(f"not connected to Slack: {error}; trying again in {wait_s:.0f} s")
                self.stopping.wait(wait_s)
                wait_s = min(MAX_WAIT_S, wait_s * 2)
                continue
            return

    def _connect(self) -> None:
        if self.app is None:
            answer = self.port.who_am_i()
            self.app = self.build(Identity(team=str(answer["team_id"]), user=str(answer["user_id"])))
        if self.app_token is not None:
            handler = SocketModeHandler(
                self.app, self.app_token, web_client=self.port.calls.client, ping_interval=PING_S
            )
            try:
                handler.connect()
            except (SlackClientError, OSError):
                hang_up(handler)
                raise
            self._handler = handler
            self.said("connected to Slack")


def hang_up(handler: SocketModeHandler) -> None:
    """Close the connection; returns although the library does not."""
    closing = threading.Thread(target=handler.close, name="chat-hang-up", daemon=True)
    closing.start()
    closing.join(HANG_UP_S)
