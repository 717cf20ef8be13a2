"""What a Slack workspace holds: people, channels, messages, files. No protocol."""

import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import TypeVar

from firstfault.evals.sim.kube_json import Body

Found = TypeVar("Found")

TICK_S = 0.000_001
PATIENCE_S = 20.0
LOOK_S = 0.05


@dataclass(slots=True, kw_only=True)
class Channel:
    """A conversation. kind: `channel`, `group` (private) or `im`. messages: by ts, oldest first."""

    id: str
    name: str
    kind: str = "channel"
    members: list[str] = field(default_factory=list[str])
    is_archived: bool = False
    created: int = 0
    messages: dict[str, Body] = field(default_factory=dict[str, Body])

    def thread(self, ts: str) -> list[Body]:
        """Return a message and its replies, oldest first."""
        return [each for each in self.messages.values() if ts in {each["ts"], each.get("thread_ts")}]

    def top(self) -> list[Body]:
        """Return what stands in the channel itself, oldest first."""
        return [each for each in self.messages.values() if each.get("thread_ts", each["ts"]) == each["ts"]]


@dataclass(slots=True, kw_only=True)
class Upload:
    """A file on its way, or there."""

    id: str
    name: str
    length: int
    content: bytes | None = None
    title: str = ""
    shared_in: str | None = None


class Workspace:
    """One workspace. Everything is read and changed under `changed`, which is notified of each change."""

    def __init__(
        self, clock: Callable[[], float], *, team_id: str = "T0FIRST0001", domain: str = "acme"
    ) -> None:
        """Take the clock (UTC seconds)."""
        self.clock = clock
        self.team_id = team_id
        self.domain = domain
        self.changed = threading.Condition(threading.RLock())
        self.users: dict[str, Body] = {}
        self.channels: dict[str, Channel] = {}
        self.groups: dict[str, list[str]] = {}
        self.uploads: dict[str, Upload] = {}
        self.ephemerals: list[Body] = []
        self._numbers = itertools.count(1)
        self._last_ts = 0.0

    @property
    def team(self) -> Body:
        """Return the workspace as payloads name it."""
        return {"id": self.team_id, "domain": self.domain}

    def new_id(self, prefix: str) -> str:
        """Return an id as Slack writes them."""
        return f"{prefix}0{next(self._numbers):09d}"

    def new_ts(self) -> str:
        """Return a stamp later than every stamp before."""
        with self.changed:
            self._last_ts = max(self.clock(), self._last_ts + TICK_S)
            return f"{self._last_ts:.6f}"

    def add_user(
        self, name: str, *, is_bot: bool = False, team_id: str | None = None, tz_offset_s: int = 0
    ) -> Body:
        """Return a new member (of another workspace when `team_id` says so)."""
        user_id = self.new_id("U")
        user: Body = {
            "id": user_id,
            "team_id": team_id or self.team_id,
            "name": name,
            "deleted": False,
            "real_name": name.title(),
            "tz": "Etc/UTC",
            "tz_label": "Coordinated Universal Time",
            "tz_offset": tz_offset_s,
            "profile": {"real_name": name.title(), "display_name": name, "team": team_id or self.team_id},
            "is_admin": False,
            "is_bot": is_bot,
            "is_app_user": False,
            "updated": int(self.clock()),
        }
        with self.changed:
            self.users[user_id] = user
        return user

    def add_channel(self, name: str, *, kind: str = "channel", members: tuple[str, ...] = ()) -> Channel:
        """Return a new conversation."""
        prefix = {"channel": "C", "group": "G", "im": "D"}[kind]
        channel = Channel(
            id=self.new_id(prefix), name=name, kind=kind, members=list(members), created=int(self.clock())
        )
        with self.changed:
            self.channels[channel.id] = channel
        return channel

    def direct(self, first: str, second: str) -> Channel:
        """Return the conversation of two, made when it is not there."""
        with self.changed:
            for channel in self.channels.values():
                if channel.kind == "im" and set(channel.members) == {first, second}:
                    return channel
            return self.add_channel(first, kind="im", members=(first, second))

    def add(self, channel: Channel, message: Body) -> Body:
        """Return the message as stored, with its stamp; its parent counts its replies."""
        with self.changed:
            ts = self.new_ts()
            stored = {"type": "message", **message, "ts": ts}
            channel.messages[ts] = stored
            parent = channel.messages.get(stored.get("thread_ts", ""))
            if parent is not None:
                _count_reply(parent, stored)
            self.changed.notify_all()
            return stored

    def edit(self, channel: Channel, ts: str, changes: Body, editor: str) -> Body:
        """Return the message after the change."""
        with self.changed:
            message = channel.messages[ts]
            message |= changes
            message["edited"] = {"user": editor, "ts": self.new_ts()}
            self.changed.notify_all()
            return message

    def remove(self, channel: Channel, ts: str) -> Body:
        """Return the message that is gone."""
        with self.changed:
            gone = channel.messages.pop(ts)
            self.changed.notify_all()
            return gone

    def wait_for(self, seen: Callable[[], Found], *, patience_s: float = PATIENCE_S) -> Found:
        """Return what `seen` returns once that is true; looked at on each change, and often for what is not in here.

        Raises AssertionError when it stays false.
        """
        ends = monotonic() + patience_s
        with self.changed:
            while not (found := seen()) and monotonic() < ends:
                self.changed.wait(LOOK_S)
        assert found, f"not seen in {patience_s} s"
        return found


def _count_reply(parent: Body, reply: Body) -> None:
    users = parent.setdefault("reply_users", [])
    if reply.get("user") not in users:
        users.append(reply.get("user"))
    parent["thread_ts"] = parent["ts"]
    parent["reply_count"] = parent.get("reply_count", 0) + 1
    parent["reply_users_count"] = len(users)
    parent["latest_reply"] = reply["ts"]
