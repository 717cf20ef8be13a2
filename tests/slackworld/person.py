"""A person in Slack: posts, mentions, clicks, types, submits. What they see is what Slack would show them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from firstfault.evals.sim.kube_json import Body, Value
from tests.slackworld import payloads, typing_in, views
from tests.slackworld.chat import message_event
from tests.slackworld.deliveries import Delivery, Postman
from tests.slackworld.slack import Slack
from tests.slackworld.workspace import Channel


@dataclass(slots=True, kw_only=True)
class Person:
    """One member. errors: what the last submitted modal complained about, by block id."""

    slack: Slack
    postman: Postman
    user: Body
    errors: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def id(self) -> str:
        """Return the user id."""
        return str(self.user["id"])

    def joins(self, channel: Channel) -> None:
        """Become a member."""
        with self.slack.workspace.changed:
            channel.members.append(self.id)

    def posts(self, channel: Channel, text: str, *, thread: str | None = None, **more: Value) -> Body:
        """Return a new message of theirs; the app hears of it if it is in the channel."""
        message: Body = {
            "user": self.id,
            "client_msg_id": self.slack.workspace.new_id("m"),
            "text": text,
            "team": self.user["team_id"],
            "blocks": _rich(text),
            **more,
        }
        if thread is not None:
            message["thread_ts"] = thread
        if self.user["is_bot"]:
            message |= {"bot_id": f"B{self.id[1:]}", "subtype": "bot_message"}
        stored = self.slack.workspace.add(channel, message)
        self._tell(channel, stored)
        return stored

    def mentions(self, channel: Channel, text: str = "", *, thread: str | None = None) -> Body:
        """Return a new message that names the app."""
        return self.posts(channel, f"<@{self.slack.bot_user_id}> {text}".rstrip(), thread=thread)

    def edits(self, channel: Channel, ts: str, text: str) -> None:
        """Change a message of theirs."""
        before = dict(channel.messages[ts])
        after = self.slack.workspace.edit(channel, ts, {"text": text, "blocks": _rich(text)}, self.id)
        self._changed(channel, "message_changed", {"message": dict(after), "previous_message": before})

    def deletes(self, channel: Channel, ts: str) -> None:
        """Delete a message (anybody's, as an admin may)."""
        before = self.slack.workspace.remove(channel, ts)
        self._changed(channel, "message_deleted", {"previous_message": before, "deleted_ts": ts})

    def clicks(
        self, channel: Channel, ts: str, action_id: str, *, choice: Value = None, wait: bool = True
    ) -> Delivery:
        """Act on a message's element. Raises AssertionError when the message has none of this name."""
        return self._click_in(channel, channel.messages[ts], action_id, choice, wait=wait)

    def submits(self, typed: Mapping[str, Value] | None = None, *, wait: bool = True) -> Delivery:
        """Fill the open modal's fields (by action id) and submit; what the app answers is done to the modal."""
        view = self.top_modal()
        view["state"] = typing_in.state(view, typed or {})
        delivery = self._sent(
            Delivery(kind="interactive", payload=payloads.submitted(self.slack, self.user, view)), wait=wait
        )
        if wait:
            self._after(view, delivery.ack())
        return delivery

    def closes(self) -> None:
        """Close the open modal; the app hears of it if it asked to."""
        with self.slack.workspace.changed:
            view = self.slack.modals[self.id].pop()
        if view["notify_on_close"]:
            self._sent(
                Delivery(kind="interactive", payload=payloads.closed(self.slack, self.user, view)), wait=True
            )

    def runs(self, command: str, text: str, channel: Channel) -> Delivery:
        """Invoke a slash command; text in the acknowledgement is shown to them."""
        assert command in self.slack.manifest.commands, f"{command} is not a command of the app"
        payload = payloads.command(self.slack, self.user, command, text, channel)
        delivery = self._sent(Delivery(kind="slash_commands", payload=payload), wait=True)
        self._show(channel, delivery.ack() or {})
        return delivery

    def uses_shortcut(self, callback_id: str, channel: Channel, ts: str) -> Delivery:
        """Invoke a message shortcut."""
        assert callback_id in self.slack.manifest.shortcuts, f"{callback_id} is not a shortcut of the app"
        message = channel.messages[ts]
        payload = payloads.shortcut_on(self.slack, self.user, callback_id, channel, message)
        return self._sent(Delivery(kind="interactive", payload=payload), wait=True)

    def top_modal(self, patience_s: float = 20.0) -> Body:
        """Return the modal that is open, once one is. Raises AssertionError."""
        stack = self.slack.workspace.wait_for(self.modals, patience_s=patience_s)
        return stack[-1]

    def modals(self) -> list[Body]:
        """Return the modals that are open, the top last."""
        return self.slack.modals.get(self.id, [])

    def shown(self, channel: Channel) -> list[Body]:
        """Return what only they were shown in a channel."""
        rows = self.slack.workspace.ephemerals
        return [each for each in rows if each["user_shown"] == self.id and each["channel"] == channel.id]

    def _click_in(
        self, channel: Channel, message: Body, action_id: str, choice: Value, *, wait: bool
    ) -> Delivery:
        assert self.id in channel.members, "who is not in the channel cannot see the message"
        block, part = typing_in.element(message.get("blocks", []), action_id)
        held = {} if choice is None else typing_in.chosen(part, choice)
        action = payloads.action_of(block, part, self.slack.workspace.new_ts(), held)
        payload = payloads.clicked_in_message(self.slack, self.user, channel, message, action)
        return self._sent(Delivery(kind="interactive", payload=payload), wait=wait)

    def _sent(self, delivery: Delivery, *, wait: bool) -> Delivery:
        assert self.slack.manifest.is_interactive, "the app takes no interactions"
        assert not self.user["deleted"], "who is deactivated cannot act"
        self.postman.carry(delivery)
        if wait:
            delivery.ack()
        return delivery

    def _after(self, view: Body, ack: Body | None) -> None:
        if ack is None:
            return
        stack = self.slack.modals[self.id]
        with self.slack.workspace.changed:
            self.errors = dict(ack.get("errors", {}))
            match ack.get("response_action"):
                case None if view in stack:
                    stack.remove(view)
                case "clear":
                    stack.clear()
                case "update":
                    views.refuse_bad(ack["view"])
                    views.replace(self.slack, view, ack["view"])
                case "push":
                    views.refuse_bad(ack["view"])
                    stack.append(views.made(self.slack, ack["view"], below=stack))
                case _:
                    names = {block["block_id"] for block in view["blocks"]}
                    assert names >= set(self.errors), "errors name blocks that are not there"
            self.slack.workspace.changed.notify_all()

    def _show(self, channel: Channel, ack: Body) -> None:
        if ack.get("text") or ack.get("blocks"):
            with self.slack.workspace.changed:
                shown = {
                    **ack,
                    "user_shown": self.id,
                    "channel": channel.id,
                    "ts": self.slack.workspace.new_ts(),
                }
                self.slack.workspace.ephemerals.append(shown)
                self.slack.workspace.changed.notify_all()

    def _tell(self, channel: Channel, message: Body) -> None:
        said = {**message, "channel": channel.id, "event_ts": message["ts"]}
        parent = channel.messages.get(message.get("thread_ts", ""))
        if parent is not None and parent is not message:
            said["parent_user_id"] = parent.get("user")
        if self.slack.bot_user_id not in channel.members:
            return
        self.slack.announce(
            message_event(channel),
            {**said, "channel_type": channel.kind},
        )
        if f"<@{self.slack.bot_user_id}>" in message["text"] and channel.kind != "im":
            self.slack.announce("app_mention", {**said, "type": "app_mention"})

    def _changed(self, channel: Channel, subtype: str, what: Body) -> None:
        if self.slack.bot_user_id not in channel.members:
            return
        ts = self.slack.workspace.new_ts()
        event: Body = {
            "type": "message",
            "subtype": subtype,
            **what,
            "channel": channel.id,
            "hidden": True,
            "ts": ts,
            "event_ts": ts,
            "channel_type": channel.kind,
        }
        self.slack.announce(
            message_event(channel),
            event,
        )


def _rich(text: str) -> list[Body]:
    section = {"type": "rich_text_section", "elements": [{"type": "text", "text": text}]}
    return [{"type": "rich_text", "block_id": "b0", "elements": [section]}]
