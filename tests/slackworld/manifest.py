"""What an app is allowed and subscribed to: the part of its manifest that Slack acts on."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import yaml

from firstfault.evals.sim.kube_json import Body

EVENT_SCOPES = {
    "app_mention": "app_mentions:read",
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "message.im": "im:history",
    "message.mpim": "mpim:history",
    "reaction_added": "reactions:read",
    "reaction_removed": "reactions:read",
    "member_joined_channel": "channels:read",
    "member_left_channel": "channels:read",
    "channel_archive": "channels:read",
    "channel_unarchive": "channels:read",
    "channel_deleted": "channels:read",
    "channel_left": "channels:read",
    "channel_rename": "channels:read",
    "team_join": "users:read",
    "user_change": "users:read",
    "app_uninstalled": "",
    "tokens_revoked": "",
}
"""The scope that each event needs. Source: docs.slack.dev, reference of events."""

ALL_SCOPES = frozenset(
    {
        "app_mentions:read",
        "channels:history",
        "channels:read",
        "chat:write",
        "commands",
        "files:write",
        "groups:history",
        "groups:read",
        "im:history",
        "im:read",
        "im:write",
        "mpim:read",
        "reactions:read",
        "reactions:write",
        "usergroups:read",
        "users:read",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Scopes of the bot token, events, commands (`/name`) and callback ids of shortcuts."""

    scopes: frozenset[str] = ALL_SCOPES
    events: frozenset[str] = frozenset(EVENT_SCOPES)
    commands: frozenset[str] = frozenset({"/firstfault"})
    shortcuts: frozenset[str] = field(default_factory=frozenset[str])
    has_socket_mode: bool = True
    is_interactive: bool = True

    def hears(self, event: str) -> bool:
        """Return whether the app is sent this event: subscribed, and with the scope for it."""
        scope = EVENT_SCOPES[event]
        return event in self.events and (not scope or scope in self.scopes)


def manifest_from(file: Path) -> Manifest:
    """Return what a YAML manifest says."""
    content = cast("Body", yaml.safe_load(file.read_text()))
    settings, features = content["settings"], content["features"]
    return Manifest(
        scopes=frozenset(content["oauth_config"]["scopes"]["bot"]),
        events=frozenset(settings["event_subscriptions"]["bot_events"]),
        commands=frozenset(each["command"] for each in features.get("slash_commands", ())),
        shortcuts=frozenset(each["callback_id"] for each in features.get("shortcuts", ())),
        has_socket_mode=bool(settings.get("socket_mode_enabled")),
        is_interactive=bool(settings.get("interactivity", {}).get("is_enabled")),
    )
