"""What the server, the methods and the people of the stand-in share."""

import itertools
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from firstfault.evals.sim.kube_json import Body
from tests.slackworld.errors import Error, Refused
from tests.slackworld.manifest import Manifest
from tests.slackworld.workspace import Channel, Workspace

APP_ID = "A0FIRST0001"
BOT_TOKEN = "xoxb-0000-stand-in"  # noqa: S105  # of a server that exists for a test only
APP_TOKEN = "xapp-0000-stand-in"  # noqa: S105  # as above
SIGNING_SECRET = "0123456789abcdef0123456789abcdef"  # noqa: S105  # as above
TRIGGER_LIVES_S = 3.0
RESPONSE_URL_LIVES_S = 30 * 60
RESPONSE_URL_USES = 5


class Announcing(Protocol):
    """Tells the app what happened."""

    def __call__(self, name: str, event: Body) -> None:
        """Send the event, if the app hears of it."""


@dataclass(slots=True, kw_only=True)
class Trigger:
    """A right to open one modal."""

    user_id: str
    until: float
    is_used: bool = False


@dataclass(slots=True, kw_only=True)
class ResponseUrl:
    """A right to answer where somebody acted. message_ts: what `replace_original` means."""

    user_id: str
    channel_id: str
    until: float
    message_ts: str | None = None
    thread_ts: str | None = None
    uses: int = 0


@dataclass(slots=True, kw_only=True)
class Slack:
    """The state. url: where it is served. modals: each person's stack, the top last."""

    workspace: Workspace
    manifest: Manifest
    bot: Body
    bot_id: str
    announce: Announcing
    url: Callable[[], str]
    socket_url: Callable[[], str]
    triggers: dict[str, Trigger] = field(default_factory=dict[str, Trigger])
    response_urls: dict[str, ResponseUrl] = field(default_factory=dict[str, ResponseUrl])
    modals: dict[str, list[Body]] = field(default_factory=dict[str, list[Body]])
    _numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    @property
    def bot_user_id(self) -> str:
        """Return who the app is in the workspace."""
        return str(self.bot["id"])

    def new_trigger(self, user_id: str) -> str:
        """Return a trigger id for one person."""
        until = self.workspace.clock() + TRIGGER_LIVES_S
        name = f"{next(self._numbers)}.{APP_ID}.{uuid.uuid4().hex}"
        self.triggers[name] = Trigger(user_id=user_id, until=until)
        return name

    def trigger(self, name: str) -> Trigger:
        """Return a trigger that is still good. Raises Refused."""
        trigger = self.triggers.get(name)
        if trigger is None:
            raise Refused(Error.INVALID_TRIGGER_ID)
        if trigger.is_used:
            raise Refused(Error.EXCHANGED_TRIGGER_ID)
        if self.workspace.clock() > trigger.until:
            raise Refused(Error.EXPIRED_TRIGGER_ID)
        return trigger

    def new_response_url(self, user_id: str, channel: Channel, message: Body | None = None) -> str:
        """Return an address to answer at."""
        key = uuid.uuid4().hex
        self.response_urls[key] = ResponseUrl(
            user_id=user_id,
            channel_id=channel.id,
            until=self.workspace.clock() + RESPONSE_URL_LIVES_S,
            message_ts=None if message is None else message["ts"],
            thread_ts=None if message is None else message.get("thread_ts"),
        )
        return f"{self.url()}/actions/{self.workspace.team_id}/{key}"

    def channel(self, name: str | None, *, is_writing: bool = False, needs_member: bool = True) -> Channel:
        """Return a conversation by its id. Raises Refused as Slack does."""
        channel = self.workspace.channels.get(name or "")
        if channel is None or (channel.kind != "channel" and self.bot_user_id not in channel.members):
            raise Refused(Error.CHANNEL_NOT_FOUND)
        if is_writing and channel.is_archived:
            raise Refused(Error.IS_ARCHIVED)
        if needs_member and self.bot_user_id not in channel.members:
            raise Refused(Error.NOT_IN_CHANNEL)
        return channel

    def user(self, name: str | None) -> Body:
        """Return a member by id. Raises Refused."""
        user = self.workspace.users.get(name or "")
        if user is None:
            raise Refused(Error.USER_NOT_FOUND)
        return user
