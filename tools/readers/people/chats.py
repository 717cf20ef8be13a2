"""Exports of chats: Slack's JSON, one message per object."""

from collections.abc import Iterator

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.readers.kube.stamping import is_later
from firstfault.tools.readers.located import Node
from firstfault.tools.readers.metrics.answers import moment_of
from firstfault.tools.readings import Note
from firstfault.tools.times import Clock, Stamp


def is_chat(node: Node) -> bool:
    """Return whether `node` is a list of chat messages."""
    messages = _messages(node)
    return bool(messages) and all(
        message.text("ts") and message.child("text") is not None for message in messages
    )


def chat_notes(node: Node, document: Document, context: ReadContext) -> Iterator[Note]:
    """Yield one note per message with its author and time; messages later than `as_of` are left out."""
    for message in _messages(node):
        line = (message.child("text") or message).line
        stamp = _stamp(message.text("ts"), document, line)
        if is_later(stamp, context) or not message.text("text").strip():
            continue
        author = (
            message.text("user_profile", "real_name")
            or message.text("username")
            or message.text("user")
            or None
        )
        yield Note(
            text=message.text("text"), document=document, line=line, line_end=line, author=author, stamp=stamp
        )


def _messages(node: Node) -> list[Node]:
    listed = node.elements if node.elements is not None else node.list("messages")
    return [message for message in listed if message.keys is not None]


def _stamp(text: str, document: Document, line: int) -> Stamp | None:
    at = moment_of(text)
    if at is None:
        return None
    return Stamp(clock=Clock.UTC, raw=text, at=at, uncertainty_s=1.0, series=document.path, position=line)
