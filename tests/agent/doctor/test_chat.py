"""Looks at Slack, and what the doctor says of them: refused, revoked, scopes taken away, channels without the bot."""

from collections.abc import Generator
from dataclasses import replace

import pytest

from firstfault.agent.doctor.chat import chat_rows
from firstfault.agent.doctor.finding import Finding, State
from firstfault.agent.slack.ports.calls import Calls, connect
from firstfault.agent.slack.ports.looking import SCOPES, ChatLook, look
from firstfault.evals.sim.kube_faults import Fault, Trouble
from tests.slackworld.manifest import Manifest
from tests.slackworld.slack import APP_TOKEN, BOT_TOKEN
from tests.slackworld.world import SlackWorld


@pytest.fixture
def world() -> Generator[SlackWorld]:
    with SlackWorld() as opened:
        yield opened


def rows(
    world: SlackWorld, *channels: str, bot: str = BOT_TOKEN, app: str | None = APP_TOKEN
) -> list[Finding]:
    """Return the rows for a bot in these channels."""
    found = look(Calls(connect(bot, world.api_url)), channels, app)
    return list(chat_rows(found, can_hear=app is not None))


def failed(found: list[Finding]) -> dict[str, Finding]:
    """Return what is not well, by part; each says what is not seen and what to do."""
    bad = {row.part: row for row in found if row.state is not State.OK}
    assert all(row.blind and row.remedy for row in bad.values())
    return bad


def test_a_bot_that_is_in_its_channels_is_well_and_says_nothing(world: SlackWorld) -> None:
    channel = world.channel("incidents")
    assert failed(rows(world, channel.id)) == {}
    assert {call.method for call in world.calls} == {
        "auth.test",
        "conversations.history",
        "apps.connections.open",
    }
    assert world.posts_of_app(channel) == []


@pytest.mark.parametrize("scope", sorted(SCOPES))
def test_a_scope_that_is_not_there_is_named(world: SlackWorld, scope: str) -> None:
    world.slack.manifest = Manifest(scopes=SCOPES - {scope})
    row = failed(rows(world, world.channel("incidents").id))["slack scopes"]
    assert row.said.endswith(scope)
    assert row.state is (State.FAIL if scope == "chat:write" else State.WARN)


def test_a_server_that_tells_no_scopes_is_not_said_to_lack_any() -> None:
    found = list(chat_rows(replace(ChatLook(bot="b"), lacking=None), can_hear=True))
    assert "does not tell" in next(row.said for row in found if row.part == "slack scopes")


@pytest.mark.parametrize("bot", ["xoxb-revoked", APP_TOKEN])
def test_a_token_that_is_not_accepted_is_one_row(world: SlackWorld, bot: str) -> None:
    (row,) = rows(world, "C1", bot=bot)
    assert row.state is State.FAIL
    assert bot not in row.said


def test_an_app_token_that_is_not_accepted_leaves_nobody_heard(world: SlackWorld) -> None:
    bad = failed(rows(world, world.channel("incidents").id, app="xapp-old"))
    assert list(bad) == ["slack answers"]
    assert bad["slack answers"].state is State.FAIL


def test_neither_socket_nor_secret_is_a_warning(world: SlackWorld) -> None:
    bad = failed(rows(world, world.channel("incidents").id, app=None))
    assert bad["slack answers"].state is State.WARN


def test_channels_that_cannot_be_reached_fail_one_by_one(world: SlackWorld) -> None:
    away, gone = world.channel("away", has_app=False), world.channel("gone")
    found = [row for row in rows(world, away.id, gone.id, "C404") if row.part == "slack channels"]
    assert [row.state for row in found].count(State.FAIL) == 2
    assert [row.state for row in found].count(State.OK) == 1
    assert list(failed(rows(world))) == ["slack channels"]


@pytest.mark.parametrize("trouble", [Trouble.DROP_BEFORE, Trouble.GARBLE, Trouble.REFUSE])
def test_a_slack_that_does_not_answer_is_one_row(world: SlackWorld, trouble: Trouble) -> None:
    world.faults.append(Fault(trouble=trouble, path="/api/auth.test", code=503))
    (row,) = rows(world, "C1")
    assert row.state is State.FAIL
    assert "auth.test" in row.said


def test_a_slack_that_cannot_be_reached_is_one_row() -> None:
    with SlackWorld() as world:
        pass
    (row,) = rows(world, "C1")
    assert row.state is State.FAIL
    assert "reached" in row.said
