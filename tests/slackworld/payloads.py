"""The shapes of what Slack sends. Source: docs.slack.dev, Events API and interaction payloads."""

from collections.abc import Mapping

from firstfault.evals.sim.kube_json import Body, Value
from tests.slackworld.slack import APP_ID, Slack
from tests.slackworld.workspace import Channel

TOKEN = "stand-in-verification"  # noqa: S105  # long deprecated by Slack, still sent


def event_callback(slack: Slack, event: Body, *, team_id: str | None = None) -> Body:
    """Return an event as the Events API wraps it."""
    team = team_id or slack.workspace.team_id
    return {
        "token": TOKEN,
        "team_id": team,
        "context_team_id": team,
        "context_enterprise_id": None,
        "api_app_id": APP_ID,
        "event": event,
        "type": "event_callback",
        "event_id": slack.workspace.new_id("Ev"),
        "event_time": int(slack.workspace.clock()),
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": team,
                "user_id": slack.bot_user_id,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": False,
        "event_context": slack.workspace.new_id("4-"),
    }


def acted(slack: Slack, user: Body, kind: str) -> Body:
    """Return what every interaction holds, with a trigger."""
    return {
        "type": kind,
        "user": {
            "id": user["id"],
            "username": user["name"],
            "name": user["name"],
            "team_id": user["team_id"],
        },
        "api_app_id": APP_ID,
        "token": TOKEN,
        "trigger_id": slack.new_trigger(user["id"]),
        "team": dict(slack.workspace.team),
        "enterprise": None,
        "is_enterprise_install": False,
    }


def clicked_in_message(slack: Slack, user: Body, channel: Channel, message: Body, action: Body) -> Body:
    """Return `block_actions` from a message."""
    container = {
        "type": "message",
        "message_ts": message["ts"],
        "channel_id": channel.id,
        "is_ephemeral": "user_shown" in message,
    }
    if message.get("thread_ts"):
        container["thread_ts"] = message["thread_ts"]
    return {
        **acted(slack, user, "block_actions"),
        "container": container,
        "channel": named(channel),
        "message": dict(message),
        "state": {"values": {}},
        "response_url": slack.new_response_url(user["id"], channel, message),
        "actions": [action],
    }


def submitted(slack: Slack, user: Body, view: Body) -> Body:
    """Return `view_submission`."""
    return {**acted(slack, user, "view_submission"), "view": dict(view), "response_urls": []}


def closed(slack: Slack, user: Body, view: Body) -> Body:
    """Return `view_closed`."""
    content = acted(slack, user, "view_closed")
    del content["trigger_id"]
    return {**content, "view": dict(view), "is_cleared": False}


def shortcut_on(slack: Slack, user: Body, callback_id: str, channel: Channel, message: Body) -> Body:
    """Return `message_action`."""
    return {
        **acted(slack, user, "message_action"),
        "action_ts": slack.workspace.new_ts(),
        "callback_id": callback_id,
        "channel": named(channel),
        "message_ts": message["ts"],
        "message": dict(message),
        "response_url": slack.new_response_url(user["id"], channel),
    }


def command(slack: Slack, user: Body, name: str, text: str, channel: Channel) -> Body:
    """Return a slash command's fields."""
    return {
        "token": TOKEN,
        "team_id": slack.workspace.team_id,
        "team_domain": slack.workspace.domain,
        "channel_id": channel.id,
        "channel_name": named(channel)["name"],
        "user_id": user["id"],
        "user_name": user["name"],
        "command": name,
        "text": text,
        "api_app_id": APP_ID,
        "is_enterprise_install": "false",
        "response_url": slack.new_response_url(user["id"], channel),
        "trigger_id": slack.new_trigger(user["id"]),
    }


def action_of(block: Body, element: Body, ts: str, chosen: Mapping[str, Value]) -> Body:
    """Return one entry of `actions`."""
    kept = {
        name: element[name] for name in ("action_id", "type", "text", "value", "style") if name in element
    }
    return {**kept, "block_id": block["block_id"], "action_ts": ts, **chosen}


def named(channel: Channel) -> Body:
    """Return a channel as interactions name it."""
    names = {"im": "directmessage", "group": "privategroup", "channel": channel.name}
    return {"id": channel.id, "name": names[channel.kind]}
