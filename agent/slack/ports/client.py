"""Slack behind the port: one method of the Web API each."""

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from firstfault.agent.slack.ports.calls import Calls, answer_at, put_bytes
from firstfault.agent.slack.ports.payloads import Values, part, rows, spoken, text
from firstfault.agent.slack.ports.port import BadBlocksError, Found, Outgoing, Picture, RefusedError, Said

METADATA = "firstfault_message"
"""`event_type` of the metadata by which our own messages are found again."""
_PAGE = 200
_PAGES = 25
"""Pages that are looked through for one message: 5,000 messages since it was begun with."""
METHODS: Mapping[str, tuple[str, ...]] = {
    "auth.test": (),
    "chat.postEphemeral": ("chat:write",),
    "chat.postMessage": ("chat:write",),
    "chat.update": ("chat:write",),
    "conversations.history": ("channels:history", "groups:history"),
    "conversations.replies": ("channels:history", "groups:history"),
    "files.completeUploadExternal": ("files:write",),
    "files.getUploadURLExternal": ("files:write",),
    "reactions.add": ("reactions:write",),
    "usergroups.users.list": ("usergroups:read",),
    "views.open": (),
    "views.update": (),
}
"""Every method that is called with the bot token → the scopes it needs here. The shipped manifest asks for these.

Source: Slack, the page of each method ("Required scopes"); channels may be public or private.
"""


@dataclass(frozen=True)
class SlackPort:
    """Implements `Port` and `Conversation`."""

    calls: Calls

    def who_am_i(self) -> Values:
        """Return what Slack says of the bot: `team_id`, `user_id`."""
        return self.calls.send("auth.test")

    def post(self, channel: str, message: Outgoing, thread: str | None) -> str:
        """Return the stamp (`ts`) under which the message is shown."""
        try:
            return self._post(channel, message, message.content, thread)
        except BadBlocksError:
            return self._post(channel, message, {"text": message.content["text"]}, thread)

    def _post(self, channel: str, message: Outgoing, content: Mapping[str, Any], thread: str | None) -> str:
        answer = self.calls.send(
            "chat.postMessage",
            channel=channel,
            thread_ts=thread,
            metadata=_metadata(message),
            unfurl_links=False,
            unfurl_media=False,
            **content,
        )
        return str(answer["ts"])

    def update(self, channel: str, stamp: str, message: Outgoing) -> None:
        """Show something else in place of a message."""
        try:
            self._update(channel, stamp, message, message.content)
        except BadBlocksError:
            self._update(channel, stamp, message, {"text": message.content["text"], "blocks": []})

    def _update(self, channel: str, stamp: str, message: Outgoing, content: Mapping[str, Any]) -> None:
        self.calls.send("chat.update", channel=channel, ts=stamp, metadata=_metadata(message), **content)

    def find(self, channel: str, key: str, thread: str | None, since: datetime) -> Found | None:
        """Return the message whose metadata names `key`, or None."""
        for each in self._messages(channel, thread, oldest=f"{since.timestamp():.6f}", metadata=True):
            payload = part(each, "metadata", "event_payload")
            if payload.get("key") == key:
                return Found(stamp=text(each, "ts"), digest=text(payload, "digest"))
        return None

    def upload(self, channel: str, thread: str | None, picture: Picture) -> str:
        """Return the id of the file, put in the thread."""
        place = self.calls.read(
            "files.getUploadURLExternal",
            filename=picture.name,
            length=len(picture.data),
            alt_txt=picture.alt,
        )
        put_bytes(str(place["upload_url"]), picture.data)
        file_id = str(place["file_id"])
        self.calls.send(
            "files.completeUploadExternal",
            files=[{"id": file_id, "title": picture.title}],
            channel_id=channel,
            thread_ts=thread,
        )
        return file_id

    def find_picture(self, channel: str, thread: str | None, name: str) -> str | None:
        """Return the id of the file of that name in the thread, or None."""
        for each in self._messages(channel, thread, oldest="0", metadata=False):
            for file in rows(each, "files"):
                if file.get("name") == name:
                    return text(file, "id") or name
        return None

    def react(self, channel: str, stamp: str, name: str) -> None:
        """Put an emoji on a message; one that is there already stays."""
        with contextlib.suppress(RefusedError):
            self.calls.send("reactions.add", channel=channel, timestamp=stamp, name=name)

    def whisper(self, channel: str, person: str, said: str, thread: str | None = None) -> None:
        """Tell one person something that others do not see."""
        self.calls.send("chat.postEphemeral", channel=channel, user=person, text=said, thread_ts=thread)

    def answer(self, url: str, content: Mapping[str, Any]) -> None:
        """Answer a command at its `response_url`."""
        answer_at(url, content)

    def open_view(self, trigger: str, view: Mapping[str, Any]) -> str:
        """Return the id of the modal that is shown."""
        return str(self.calls.send("views.open", trigger_id=trigger, view=dict(view))["view"]["id"])

    def update_view(self, view_id: str, view: Mapping[str, Any]) -> None:
        """Show something else in a modal."""
        self.calls.send("views.update", view_id=view_id, view=dict(view))

    def thread(self, channel: str, stamp: str) -> tuple[Said, ...]:
        """Return what was said in a thread, the oldest first."""
        return tuple(
            Said(
                stamp=text(each, "ts"),
                person=None if each.get("bot_id") else text(each, "user"),
                text=spoken(each),
            )
            for each in self._messages(channel, stamp, oldest="0", metadata=False)
        )

    def members_of(self, group: str) -> frozenset[str]:
        """Return the ids of the people in a user group."""
        return frozenset(
            map(str, self.calls.read("usergroups.users.list", usergroup=group).get("users") or [])
        )

    def _messages(self, channel: str, thread: str | None, *, oldest: str, metadata: bool) -> Iterator[Values]:
        cursor: str | None = None
        further = {} if thread is None else {"ts": thread}
        for _ in range(_PAGES):
            answer = self.calls.read(
                "conversations.history" if thread is None else "conversations.replies",
                channel=channel,
                oldest=oldest,
                limit=_PAGE,
                cursor=cursor,
                include_all_metadata=metadata,
                **further,
            )
            yield from rows(answer, "messages")
            cursor = text(part(answer, "response_metadata"), "next_cursor")
            if not cursor:
                return


def _metadata(message: Outgoing) -> dict[str, Any]:
    return {"event_type": METADATA, "event_payload": {"key": message.key, "digest": message.digest}}
