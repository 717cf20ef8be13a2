"""Who may speak to the bot, and what they asked for: kept before Slack is told that it arrived, each delivery once.

What a program says is never answered, so that two of them cannot talk to each other for ever. People of another workspace, in
direct messages and in channels that are not configured get one sentence or nothing, as the settings say, and no data.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from firstfault.agent.slack.blocks.answers import STRANGER
from firstfault.agent.slack.blocks.names import Ask
from firstfault.agent.slack.desk import Caller, Desk
from firstfault.agent.slack.ports.payloads import part, spoken
from firstfault.agent.store.requests import Request

Body = Mapping[str, Any]


class Admission(Enum):
    """Who is at the door."""

    COLLEAGUE = auto()
    STRANGER = auto()
    PROGRAM = auto()


@dataclass(frozen=True, kw_only=True)
class Reception:
    """Takes what people say. team: the workspace of the bot. me: its own user id."""

    desk: Desk
    team: str
    me: str
    is_polite: bool = True

    def mention(self, body: Body) -> None:
        """Keep a question that was asked by naming the bot."""
        event = part(body, "event")
        stamp = str(event.get("ts", ""))
        caller = Caller(
            account=str(event.get("user") or ""), channel=str(event.get("channel", "")), stamp=stamp
        )
        if self._admitted(caller, self.judge_event(body)):
            thread = str(event.get("thread_ts") or "")
            content = {
                "person": caller.account,
                "text": spoken(event),
                "stamp": stamp,
                "thread": thread or stamp,
            }
            self._keep(f"event/{caller.channel}/{stamp}", Ask.MENTION, caller, content)

    def direct(self, body: Body) -> None:
        """Answer a direct message by one sentence, or not at all."""
        event = part(body, "event")
        if event.get("subtype") is None:
            caller = Caller(account=str(event.get("user") or ""), channel=str(event.get("channel", "")))
            judged = self.judge_event(body)
            self._admitted(caller, judged if judged is Admission.PROGRAM else Admission.STRANGER)

    def command(self, body: Body) -> str | None:
        """Keep a command; return what is said at once where it is not taken, None when it is."""
        caller = Caller(account=str(body.get("user_id", "")), channel=str(body.get("channel_id", "")))
        if self.judge(caller, str(body.get("team_id", ""))) is not Admission.COLLEAGUE:
            return STRANGER if self.is_polite else ""
        content = {
            "person": caller.account,
            "text": str(body.get("text", "")),
            "answer_to": str(body.get("response_url", "")),
        }
        self._keep(f"command/{body.get('trigger_id', '')}", Ask.COMMAND, caller, content)
        return None

    def shortcut(self, body: Body) -> None:
        """Keep a message that somebody wants to have looked into."""
        message = part(body, "message")
        stamp = str(message.get("ts", ""))
        caller = Caller(
            account=str(part(body, "user").get("id", "")),
            channel=str(part(body, "channel").get("id", "")),
            stamp=stamp,
        )
        if self._admitted(caller, self.judge(caller, _team(body))):
            content = {
                "person": caller.account,
                "text": spoken(message),
                "stamp": stamp,
                "thread": str(message.get("thread_ts") or "") or stamp,
            }
            self._keep(f"shortcut/{body.get('trigger_id', '')}", Ask.SHORTCUT, caller, content)

    def caller_of(self, body: Body) -> Caller | None:
        """Return who clicked or submitted, or None when it is nobody who may."""
        user = part(body, "user")
        container = part(body, "container")
        caller = Caller(
            account=str(user.get("id", "")),
            channel=str(part(body, "channel").get("id") or container.get("channel_id") or ""),
            stamp=str(part(body, "message").get("ts") or container.get("message_ts") or ""),
            trigger=str(body.get("trigger_id", "")),
        )
        is_form = not caller.channel
        judged = self.judge(caller, _team(body), is_form=is_form)
        return caller if self._admitted(caller, judged) else None

    def judge_event(self, body: Body) -> Admission:
        """Return who sent an event."""
        event = part(body, "event")
        if event.get("bot_id") or event.get("bot_profile") or event.get("subtype") == "bot_message":
            return Admission.PROGRAM
        caller = Caller(account=str(event.get("user") or ""), channel=str(event.get("channel", "")))
        team = str(event.get("user_team") or event.get("team") or body.get("team_id") or "")
        return self.judge(caller, team)

    def judge(self, caller: Caller, team: str, *, is_form: bool = False) -> Admission:
        """Return who a caller is. is_form: a modal, which is in no channel; its ids are looked at when it is used."""
        if not caller.account or caller.account == self.me:
            return Admission.PROGRAM
        if team != self.team:
            return Admission.STRANGER
        if is_form or self.desk.channels.is_configured(caller.channel):
            return Admission.COLLEAGUE
        return Admission.STRANGER

    def _admitted(self, caller: Caller, judged: Admission) -> bool:
        if judged is Admission.STRANGER and self.is_polite and caller.channel:
            self.desk.whisper(caller, STRANGER)
        return judged is Admission.COLLEAGUE

    def _keep(self, key: str, kind: Ask, caller: Caller, content: Mapping[str, Any]) -> None:
        request = Request(key=key, kind=kind, channel=caller.channel, content=content)
        self.desk.store.requests.keep(request, self.desk.clock())
        self.desk.wake.set()


def _team(body: Body) -> str:
    user = part(body, "user")
    return str(user.get("team_id") or part(body, "team").get("id") or "")
