"""The shipped manifest asks for what is used and nothing else."""

import re
from pathlib import Path
from typing import Any, cast

import yaml

from firstfault.agent.slack.blocks.names import COMMAND, SHORTCUT
from firstfault.agent.slack.inbound import app as app_module
from firstfault.agent.slack.ports import client as client_module
from firstfault.agent.slack.ports.client import METHODS
from tests.slackworld.manifest import EVENT_SCOPES

MANIFEST = Path(__file__).parents[3] / "deploy" / "slack-manifest.yaml"
FEATURES = frozenset({"commands"})
"""Scopes that slash commands and shortcuts need."""


def manifest() -> dict[str, Any]:
    return cast("dict[str, Any]", yaml.safe_load(MANIFEST.read_text(encoding="utf-8")))


def test_the_table_of_methods_names_what_the_client_calls() -> None:
    source = Path(str(client_module.__file__)).read_text(encoding="utf-8")
    body = source.partition("class SlackPort")[2]
    called = set(re.findall(r'"([a-z]+(?:\.[A-Za-z]+)+)"', body))
    assert called == set(METHODS)


def test_scopes_are_those_of_the_methods_events_and_features() -> None:
    asked = manifest()
    events = asked["settings"]["event_subscriptions"]["bot_events"]
    needed = {scope for scopes in METHODS.values() for scope in scopes}
    needed |= {EVENT_SCOPES[event] for event in events} | FEATURES
    assert set(asked["oauth_config"]["scopes"]["bot"]) == needed


def test_every_event_command_and_shortcut_has_a_handler() -> None:
    asked = manifest()
    source = Path(str(app_module.__file__)).read_text(encoding="utf-8")
    handled = {"app_mention": 'event("app_mention")', "message.im": 'event("message")'}
    assert set(asked["settings"]["event_subscriptions"]["bot_events"]) == set(handled)
    assert all(handler in source for handler in handled.values())
    assert [each["command"] for each in asked["features"]["slash_commands"]] == [COMMAND]
    assert [each["callback_id"] for each in asked["features"]["shortcuts"]] == [SHORTCUT]


def test_the_bot_never_speaks_as_a_person() -> None:
    assert set(manifest()["oauth_config"]["scopes"]) == {"bot"}
