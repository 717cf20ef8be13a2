"""The messages on a terminal, for teams without a chat."""

from collections.abc import Callable
from dataclasses import dataclass

from firstfault.agent.render.safety import visible
from firstfault.agent.slack.blocks.text import plain
from firstfault.agent.slack.ports.oneway import OneWay
from firstfault.agent.slack.ports.port import Outgoing

NAME = "terminal"


@dataclass(frozen=True)
class TerminalPort(OneWay):
    """Implements `Port`. say: prints one or several lines."""

    say: Callable[[str], None]

    def post(self, channel: str, message: Outgoing, thread: str | None) -> str:
        """Print the message; its key stands for its place."""
        del channel, thread
        self._print(message)
        return message.key

    def update(self, channel: str, stamp: str, message: Outgoing) -> None:
        """Print the message again."""
        del channel, stamp
        self._print(message)

    def _print(self, message: Outgoing) -> None:
        texts = [
            block["text"]["text"] for block in message.content.get("blocks", []) if block["type"] == "section"
        ]
        lines = "\n".join(texts) or str(message.content["text"])
        self.say(visible(plain(lines).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")))
