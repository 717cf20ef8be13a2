"""What the rest of firstfault knows of a chat: a small port. Slack, an outgoing webhook and the terminal stand behind it.

Errors
└── ChatError                 one line that says what happened
    ├── BusyError             too many calls; says when to come again
    ├── UnreachableChatError  nothing was sent
    ├── UnclearError          it may have been done: look before it is done again
    └── RefusedError          it can never be done like this
        ├── BadBlocksError    it cannot be shown as it is
        ├── PlaceGoneError    the channel is archived, gone, or the bot is not in it
        └── MessageGoneError  the message was deleted
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol


class ChatError(Exception):
    """A call was not done, or it is not known whether it was."""


class BusyError(ChatError):
    """The method is called too often. wait_s: when it may be called again."""

    def __init__(self, message: str, wait_s: float) -> None:
        """Take the line and the wait."""
        super().__init__(message)
        self.wait_s = wait_s


class UnreachableChatError(ChatError):
    """Nothing was sent: the server could not be reached."""


class UnclearError(ChatError):
    """It was sent and nothing came back: it may have been done."""


class RefusedError(ChatError):
    """The call is refused, and would be again."""


class BadBlocksError(RefusedError):
    """The server cannot show the message as it is; its words alone may do."""


class PlaceGoneError(RefusedError):
    """The channel cannot be written to."""


class MessageGoneError(RefusedError):
    """The message is not there any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture to be put in a thread. name: the file's, made from what it shows: by it a picture is found again."""

    name: str
    title: str
    alt: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """A message to be shown. key, digest: by them it is found again when it is not known whether it was posted."""

    key: str
    digest: str
    content: Mapping[str, Any] = field(repr=False)
    incident_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A message of ours that is shown: where, and what it says there."""

    stamp: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message of a thread. person: None for what a program said."""

    stamp: str
    person: str | None
    text: str


class Port(Protocol):
    """Shows messages. Every call raises a ChatError when it is not known to be done."""

    def post(self, channel: str, message: Outgoing, thread: str | None) -> str:
        """Return the stamp under which the message is shown."""
        ...

    def update(self, channel: str, stamp: str, message: Outgoing) -> None:
        """Show something else in place of a message."""
        ...

    def find(self, channel: str, key: str, thread: str | None, since: datetime) -> Found | None:
        """Return the message with this key that is shown in a channel or thread since then, or None."""
        ...

    def upload(self, channel: str, thread: str | None, picture: Picture) -> str:
        """Return the stamp, or what stands for it, of a picture put in a thread."""
        ...

    def find_picture(self, channel: str, thread: str | None, name: str) -> str | None:
        """Return the stamp of a picture that was put in a thread, or None."""
        ...


class Conversation(Protocol):
    """Talks with people; only where there is a server that lets them answer."""

    def react(self, channel: str, stamp: str, name: str) -> None:
        """Put a sign on a message; one that is there already stays."""
        ...

    def whisper(self, channel: str, person: str, said: str, thread: str | None = None) -> None:
        """Tell one person something that others do not see and that is not kept."""
        ...

    def answer(self, url: str, content: Mapping[str, Any]) -> None:
        """Answer a command where only who gave it sees it."""
        ...

    def open_view(self, trigger: str, view: Mapping[str, Any]) -> str:
        """Return the id of a modal that is shown to who clicked."""
        ...

    def update_view(self, view_id: str, view: Mapping[str, Any]) -> None:
        """Show something else in a modal."""
        ...

    def thread(self, channel: str, stamp: str) -> tuple[Said, ...]:
        """Return what was said in a thread, the oldest first."""
        ...

    def members_of(self, group: str) -> frozenset[str]:
        """Return the ids of the people in a user group."""
        ...
