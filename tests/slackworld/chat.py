"""`chat.*` and what a response_url does."""

from typing import cast

from firstfault.evals.sim.kube_json import Body
from tests.slackworld.errors import Error, Refused
from tests.slackworld.limits import faults_in_blocks
from tests.slackworld.slack import APP_ID, RESPONSE_URL_USES, ResponseUrl, Slack
from tests.slackworld.workspace import Channel

TEXT_CHARS = 40_000
TRUNCATED = "message_truncated"
_KEPT = ("blocks", "attachments", "metadata", "thread_ts")


def post_message(slack: Slack, args: Body) -> Body:
    """Post as the bot."""
    channel = _channel_to_post(slack, str(args.get("channel", "")))
    message = _checked(args)
    thread_ts = message.get("thread_ts")
    if thread_ts is not None and not _is_ts(thread_ts):
        raise Refused(Error.INVALID_THREAD_TS)
    stored = slack.workspace.add(channel, {**message, **byline(slack)})
    _tell(slack, channel, stored)
    return _truncation(args) | {"channel": channel.id, "ts": stored["ts"], "message": stored}


def post_ephemeral(slack: Slack, args: Body) -> Body:
    """Show something to one person."""
    channel = slack.channel(args.get("channel"), is_writing=True)
    if args.get("user") not in channel.members:
        raise Refused(Error.USER_NOT_IN_CHANNEL)
    return {"message_ts": _show(slack, channel, str(args["user"]), _checked(args))}


def update(slack: Slack, args: Body) -> Body:
    """Change a message of the bot. Blocks stay when neither text nor blocks are given anew."""
    channel = slack.channel(args.get("channel"), is_writing=True)
    message = channel.messages.get(str(args.get("ts")))
    if message is None:
        raise Refused(Error.MESSAGE_NOT_FOUND)
    if message.get("bot_id") != slack.bot_id:
        raise Refused(Error.CANT_UPDATE_MESSAGE)
    changes = _checked(args)
    changes.pop("thread_ts", None)
    before = dict(message)
    if "blocks" not in changes and message.get("blocks") and "text" in changes:
        changes["blocks"] = []
    after = slack.workspace.edit(channel, message["ts"], changes, slack.bot_user_id)
    _announce_change(slack, channel, after, before)
    return _truncation(args) | {
        "channel": channel.id,
        "ts": after["ts"],
        "text": after.get("text", ""),
        "message": after,
    }


def delete(slack: Slack, args: Body) -> Body:
    """Delete a message of the bot."""
    channel = slack.channel(args.get("channel"))
    message = channel.messages.get(str(args.get("ts")))
    if message is None:
        raise Refused(Error.MESSAGE_NOT_FOUND)
    if message.get("bot_id") != slack.bot_id:
        raise Refused(Error.CANT_DELETE_MESSAGE)
    slack.workspace.remove(channel, message["ts"])
    return {"channel": channel.id, "ts": message["ts"]}


def get_permalink(slack: Slack, args: Body) -> Body:
    """Return the address of a message."""
    channel = slack.channel(args.get("channel"), needs_member=False)
    message = channel.messages.get(str(args.get("message_ts")))
    if message is None:
        raise Refused(Error.MESSAGE_NOT_FOUND)
    link = (
        f"https://{slack.workspace.domain}.slack.com/archives/{channel.id}/p{message['ts'].replace('.', '')}"
    )
    if message.get("thread_ts") not in {None, message["ts"]}:
        link += f"?thread_ts={message['thread_ts']}&cid={channel.id}"
    return {"channel": channel.id, "permalink": link}


def respond(slack: Slack, key: str, args: Body) -> str:
    """Return what a response_url answers; the message is replaced, deleted, posted or shown to one person."""
    right = slack.response_urls.get(key)
    if right is None or slack.workspace.clock() > right.until:
        raise Refused(Error.EXPIRED_URL)
    if right.uses >= RESPONSE_URL_USES:
        raise Refused(Error.USED_URL)
    right.uses += 1
    channel = slack.workspace.channels[right.channel_id]
    original = right.message_ts
    if args.get("delete_original") and original in channel.messages:
        slack.workspace.remove(channel, original)
    elif args.get("replace_original") and original in channel.messages:
        slack.workspace.edit(channel, original, _checked(args), slack.bot_user_id)
    elif args.get("response_type") == "in_channel":
        slack.workspace.add(channel, {**_checked(args), **byline(slack)})
    else:
        _show(slack, channel, right.user_id, _threaded(args, right))
    return "ok"


def _threaded(args: Body, right: ResponseUrl) -> Body:
    message = _checked(args)
    if right.thread_ts is not None:
        message.setdefault("thread_ts", right.thread_ts)
    return message


def _show(slack: Slack, channel: Channel, user_id: str, message: Body) -> str:
    with slack.workspace.changed:
        ts = slack.workspace.new_ts()
        shown = {**message, **byline(slack), "ts": ts, "user_shown": user_id, "channel": channel.id}
        slack.workspace.ephemerals.append(shown)
        slack.workspace.changed.notify_all()
    return ts


def _channel_to_post(slack: Slack, name: str) -> Channel:
    if name in slack.workspace.users:
        user = slack.workspace.users[name]
        if user["is_bot"] or user["deleted"]:
            raise Refused(Error.CHANNEL_NOT_FOUND)
        return slack.workspace.direct(name, slack.bot_user_id)
    return slack.channel(name, is_writing=True)


def _checked(args: Body) -> Body:
    message = {name: args[name] for name in _KEPT if args.get(name) is not None}
    if not any(args.get(name) for name in ("text", "blocks", "attachments")):
        raise Refused(Error.NO_TEXT)
    if "blocks" in message:
        found = faults_in_blocks(message["blocks"], "message")
        if found:
            messages = [f"[ERROR] {each}" for each in found]
            raise Refused(
                Error.INVALID_BLOCKS, {"errors": found, "response_metadata": {"messages": messages}}
            )
        message["blocks"] = _numbered(message["blocks"])
    if "metadata" in message and not _is_metadata(message["metadata"]):
        raise Refused(Error.INVALID_METADATA_FORMAT)
    return message | {"text": str(args.get("text") or "")[:TEXT_CHARS]}


def _numbered(blocks: list[Body]) -> list[Body]:
    return [
        {**block, "block_id": block.get("block_id") or f"b{number}"} for number, block in enumerate(blocks)
    ]


def _is_metadata(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    content = cast("Body", value)
    return isinstance(content.get("event_type"), str) and isinstance(content.get("event_payload"), dict)


def _is_ts(value: object) -> bool:
    seconds, dot, rest = str(value).partition(".")
    return bool(dot) and seconds.isdigit() and rest.isdigit()


def _truncation(args: Body) -> Body:
    if len(str(args.get("text") or "")) <= TEXT_CHARS:
        return {}
    told = {"warnings": [TRUNCATED], "messages": [f"text of more than {TEXT_CHARS} characters is cut"]}
    return {"warning": TRUNCATED, "response_metadata": told}


def byline(slack: Slack) -> Body:
    """Return how a message of the bot is signed."""
    profile = {
        "id": slack.bot_id,
        "app_id": APP_ID,
        "name": slack.bot["name"],
        "team_id": slack.workspace.team_id,
    }
    return {
        "user": slack.bot_user_id,
        "bot_id": slack.bot_id,
        "app_id": APP_ID,
        "team": slack.workspace.team_id,
        "bot_profile": {**profile, "deleted": False, "updated": 0},
    }


def _tell(slack: Slack, channel: Channel, message: Body) -> None:
    event = {**message, "channel": channel.id, "event_ts": message["ts"], "channel_type": channel.kind}
    slack.announce(message_event(channel), event)


def _announce_change(slack: Slack, channel: Channel, after: Body, before: Body) -> None:
    ts = slack.workspace.new_ts()
    event = {
        "type": "message",
        "subtype": "message_changed",
        "message": dict(after),
        "previous_message": before,
        "channel": channel.id,
        "hidden": True,
        "ts": ts,
        "event_ts": ts,
        "channel_type": channel.kind,
    }
    slack.announce(message_event(channel), event)


def message_event(channel: Channel) -> str:
    """Return the name under which an app subscribes to a channel's messages."""
    return {"channel": "message.channels", "group": "message.groups", "im": "message.im"}[channel.kind]
