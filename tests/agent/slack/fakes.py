"""A chat in memory that fails as a test plans it; the sender cannot tell it from another."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from firstfault.agent.slack.ports.port import Found, Outgoing, Picture


@dataclass(kw_only=True)
class FakePort:
    """Implements `Port`. before, after: called with the method's name before and after it takes effect; may raise."""

    shown: dict[str, Outgoing] = field(default_factory=dict[str, Outgoing])
    threads: dict[str, str | None] = field(default_factory=dict[str, str | None])
    calls: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    pictures: list[str] = field(default_factory=list[str])
    before: Callable[[str], None] = lambda _: None
    after: Callable[[str], None] = lambda _: None

    def post(self, channel: str, message: Outgoing, thread: str | None) -> str:
        self.before("post")
        stamp = f"{channel}-{len(self.shown) + 1}"
        self.shown[stamp], self.threads[stamp] = message, thread
        self.calls.append(("post", message.key))
        self.after("post")
        return stamp

    def update(self, channel: str, stamp: str, message: Outgoing) -> None:
        del channel
        self.before("update")
        self.shown[stamp] = message
        self.calls.append(("update", message.key))
        self.after("update")

    def find(self, channel: str, key: str, thread: str | None, since: datetime) -> Found | None:
        del channel, thread, since
        self.before("find")
        self.calls.append(("find", key))
        found = ((stamp, each) for stamp, each in self.shown.items() if each.key == key)
        return next((Found(stamp=stamp, digest=each.digest) for stamp, each in found), None)

    def upload(self, channel: str, thread: str | None, picture: Picture) -> str:
        del channel, thread
        self.before("upload")
        self.pictures.append(picture.name)
        self.after("upload")
        return picture.name

    def find_picture(self, channel: str, thread: str | None, name: str) -> str | None:
        del channel, thread
        return name if name in self.pictures else None

    def posts_of(self, key: str) -> int:
        return sum(call == ("post", key) for call in self.calls)
