"""`conversations.*`, `reactions.*`, `users.*`, `usergroups.users.list` and `auth.test`."""

from firstfault.evals.sim.kube_json import Body
from tests.slackworld.errors import Error, Refused
from tests.slackworld.slack import APP_ID, Slack
from tests.slackworld.workspace import Channel

PAGE = 100
MOST = 999


def auth_test(slack: Slack, args: Body) -> Body:
    """Return who the token is."""
    del args
    space = slack.workspace
    return {
        "url": f"https://{space.domain}.slack.com/",
        "team": space.domain,
        "user": slack.bot["name"],
        "team_id": space.team_id,
        "user_id": slack.bot_user_id,
        "bot_id": slack.bot_id,
        "is_enterprise_install": False,
    }


def open_connection(slack: Slack, args: Body) -> Body:
    """Return an address for one websocket."""
    del args
    if not slack.manifest.has_socket_mode:
        raise Refused(Error.SOCKET_MODE_NOT_ENABLED, {"app_id": APP_ID})
    return {"url": slack.socket_url()}


def info(slack: Slack, args: Body) -> Body:
    """Return a conversation."""
    return {"channel": _shown(slack, slack.channel(args.get("channel"), needs_member=False))}


def listed(slack: Slack, args: Body) -> Body:
    """Return conversations of the wanted types."""
    wanted = {"public_channel": "channel", "private_channel": "group", "im": "im"}
    kinds = {wanted.get(each) for each in str(args.get("types", "public_channel")).split(",")}
    rows = [
        _shown(slack, channel)
        for channel in slack.workspace.channels.values()
        if channel.kind in kinds and (channel.kind == "channel" or slack.bot_user_id in channel.members)
        if not (channel.is_archived and _is_true(args.get("exclude_archived")))
    ]
    return _page(rows, args, "channels")


def members(slack: Slack, args: Body) -> Body:
    """Return the ids of those in a conversation."""
    channel = slack.channel(args.get("channel"), needs_member=False)
    return _page(list(channel.members), args, "members")


def opened(slack: Slack, args: Body) -> Body:
    """Return the direct conversation with one person."""
    users = str(args.get("users", "")).split(",")
    if len(users) != 1:
        raise Refused(Error.METHOD_NOT_SUPPORTED_FOR_CHANNEL_TYPE)
    user = slack.user(users[0])
    if user["deleted"]:
        raise Refused(Error.USER_DISABLED)
    channel = slack.workspace.direct(str(user["id"]), slack.bot_user_id)
    return {"no_op": True, "already_open": True, "channel": {"id": channel.id}}


def history(slack: Slack, args: Body) -> Body:
    """Return what stands in a channel, newest first, replies left out."""
    rows = _between(slack.channel(args.get("channel")).top(), args)[::-1]
    return _page(_with_metadata(rows, args), args, "messages") | {"pin_count": 0}


def replies(slack: Slack, args: Body) -> Body:
    """Return a message and its thread, oldest first; `ts` may be any message of it."""
    channel = slack.channel(args.get("channel"))
    named = channel.messages.get(str(args.get("ts")))
    if named is None:
        raise Refused(Error.THREAD_NOT_FOUND)
    rows = channel.thread(str(named.get("thread_ts", named["ts"])))
    kept = [rows[0], *_between(rows[1:], args)]
    return _page(_with_metadata(kept, args), args, "messages")


def react(slack: Slack, args: Body) -> Body:
    """Add the bot's reaction."""
    reactions, name = _reactions(slack, args), str(args.get("name", ""))
    if not name:
        raise Refused(Error.INVALID_NAME)
    row: Body | None = next((each for each in reactions if each["name"] == name), None)
    if row is None:
        row = {"name": name, "users": list[str](), "count": 0}
        reactions.append(row)
    if slack.bot_user_id in row["users"]:
        raise Refused(Error.ALREADY_REACTED)
    with slack.workspace.changed:
        row["users"].append(slack.bot_user_id)
        row["count"] += 1
        slack.workspace.changed.notify_all()
    return {}


def unreact(slack: Slack, args: Body) -> Body:
    """Take the bot's reaction away."""
    reactions, name = _reactions(slack, args), args.get("name")
    row = next((each for each in reactions if each["name"] == name), None)
    if row is None or slack.bot_user_id not in row["users"]:
        raise Refused(Error.NO_REACTION)
    with slack.workspace.changed:
        row["users"].remove(slack.bot_user_id)
        row["count"] -= 1
        if not row["count"]:
            reactions.remove(row)
        slack.workspace.changed.notify_all()
    return {}


def user_info(slack: Slack, args: Body) -> Body:
    """Return one person."""
    return {"user": slack.user(args.get("user"))}


def group_users(slack: Slack, args: Body) -> Body:
    """Return who is in a user group."""
    users = slack.workspace.groups.get(str(args.get("usergroup")))
    if users is None:
        raise Refused(Error.NO_SUCH_SUBTEAM)
    return {"users": list(users)}


def _reactions(slack: Slack, args: Body) -> list[Body]:
    channel = slack.channel(args.get("channel"), is_writing=True)
    message = channel.messages.get(str(args.get("timestamp")))
    if message is None:
        raise Refused(Error.MESSAGE_NOT_FOUND)
    rows: list[Body] = message.setdefault("reactions", [])
    return rows


def _between(rows: list[Body], args: Body) -> list[Body]:
    oldest, latest = str(args.get("oldest") or "0"), str(args.get("latest") or "9999999999.999999")
    ends = {oldest, latest} if _is_true(args.get("inclusive")) else set[str]()
    return [row for row in rows if float(oldest) < float(row["ts"]) < float(latest) or row["ts"] in ends]


def _with_metadata(rows: list[Body], args: Body) -> list[Body]:
    if _is_true(args.get("include_all_metadata")):
        return rows
    return [{name: value for name, value in row.items() if name != "metadata"} for row in rows]


def _is_true(value: object) -> bool:
    return str(value).lower() in {"true", "1"}


def _page(rows: list[Body] | list[str], args: Body, name: str) -> Body:
    limit = min(int(args.get("limit") or PAGE), MOST)
    cursor = str(args.get("cursor") or "")
    if cursor and not cursor.startswith("from:"):
        raise Refused(Error.INVALID_CURSOR)
    start = int(cursor.removeprefix("from:") or 0)
    end = start + limit
    following = f"from:{end}" if end < len(rows) else ""
    return {
        name: rows[start:end],
        "has_more": bool(following),
        "response_metadata": {"next_cursor": following},
    }


def _shown(slack: Slack, channel: Channel) -> Body:
    shown: Body = {
        "id": channel.id,
        "created": channel.created,
        "is_archived": channel.is_archived,
        "is_im": channel.kind == "im",
        "is_org_shared": False,
        "context_team_id": slack.workspace.team_id,
    }
    if channel.kind == "im":
        other = next(each for each in channel.members if each != slack.bot_user_id)
        return shown | {"user": other, "is_open": True}
    return shown | {
        "name": channel.name,
        "name_normalized": channel.name,
        "is_channel": channel.kind == "channel",
        "is_group": channel.kind == "group",
        "is_mpim": False,
        "is_private": channel.kind == "group",
        "is_general": False,
        "is_shared": False,
        "is_ext_shared": False,
        "is_member": slack.bot_user_id in channel.members,
        "num_members": len(channel.members),
        "topic": {"value": "", "creator": "", "last_set": 0},
        "purpose": {"value": "", "creator": "", "last_set": 0},
    }
