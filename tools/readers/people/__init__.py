"""Reads what people say: notes, incident channels, exports of chats."""

from firstfault.tools.readers.people.reading import notes_reading

__all__ = ["notes_reading"]
