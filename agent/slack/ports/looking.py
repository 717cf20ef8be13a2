"""A look at Slack: whether it lets the bot in, what the bot may do there, and whether its channels can be reached.

Nothing is posted. Who may answer is found out by asking for the address of a socket, which is not connected.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from firstfault.agent.slack.ports.calls import Calls
from firstfault.agent.slack.ports.client import METHODS
from firstfault.agent.slack.ports.port import ChatError

SCOPES = frozenset(scope for scopes in METHODS.values() for scope in scopes)
"""What the bot's token must carry for all that is called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatLook:
    """problem: why the bot is not let in, None when it is. lacking: scopes; None when Slack does not tell.

    channels: id of each channel, and what keeps the bot from it, None when nothing does. socket: why nobody is heard
    over the socket, None when people are, or when no socket is set.
    """

    problem: str | None = None
    bot: str = ""
    lacking: frozenset[str] | None = frozenset()
    channels: tuple[tuple[str, str | None], ...] = ()
    socket: str | None = None


def look(calls: Calls, channels: Iterable[str], app_token: str | None) -> ChatLook:
    """Return what Slack says; never raises for the world."""
    try:
        said, granted = calls.identity()
    except ChatError as error:
        return ChatLook(problem=str(error))
    return ChatLook(
        bot=f"{said.get('user')} of {said.get('team')}",
        lacking=None if granted is None else SCOPES - granted,
        channels=tuple((channel, _reached(calls, channel)) for channel in sorted(channels)),
        socket=None if app_token is None else _heard(calls, app_token),
    )


def _reached(calls: Calls, channel: str) -> str | None:
    try:
        calls.read("conversations.history", channel=channel, limit=1)
    except ChatError as error:
        return str(error)
    return None


def _heard(calls: Calls, app_token: str) -> str | None:
    try:
        calls.socket_address(app_token)
    except ChatError as error:
        return str(error)
    return None
