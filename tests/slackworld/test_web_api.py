"""The Web API half, asked by Slack's own client."""

import json
from collections.abc import Generator

import httpx
import pytest
from slack_sdk.errors import SlackApiError

from firstfault.evals.sim.kube_faults import Fault, Trouble
from tests.slackworld.caller import Caller
from tests.slackworld.manifest import Manifest
from tests.slackworld.rates import Rate
from tests.slackworld.slack import APP_TOKEN, BOT_TOKEN
from tests.slackworld.world import SlackWorld

METADATA = {"event_type": "incident", "event_payload": {"id": "inc-1"}}


class Clock:
    def __init__(self) -> None:
        self.at = 1_796_000_000.0

    def __call__(self) -> float:
        return self.at


@pytest.fixture(name="clock")
def clock_fixture() -> Clock:
    return Clock()


@pytest.fixture(name="world")
def world_fixture(clock: Clock) -> Generator[SlackWorld]:
    with SlackWorld(clock=clock) as world:
        yield world


@pytest.fixture(name="app")
def app_fixture(world: SlackWorld) -> Caller:
    return Caller(world.api_url)


def test_who_am_i(world: SlackWorld, app: Caller) -> None:
    said = app.ok("auth.test")
    assert said["user_id"] == world.slack.bot_user_id
    assert said["team_id"] == world.workspace.team_id


@pytest.mark.parametrize(
    ("token", "error"),
    [("", "not_authed"), ("xoxb-other", "invalid_auth"), (APP_TOKEN, "not_allowed_token_type")],
)
def test_a_token_must_be_right(world: SlackWorld, token: str, error: str) -> None:
    assert Caller(world.api_url, token).error("auth.test") == error


def test_post_update_and_read_again(world: SlackWorld, app: Caller) -> None:
    channel = world.channel("gpu-oncall").id
    blocks = [{"type": "section", "text": {"type": "mrkdwn", "text": "*xid 79*"}}]
    ts = app.ok("chat.postMessage", channel=channel, text="xid 79", blocks=blocks, metadata=METADATA)["ts"]
    app.ok("chat.postMessage", channel=channel, text="evidence", thread_ts=ts)
    app.ok("chat.update", channel=channel, ts=ts, text="xid 79, contained")
    (seen,) = app.ok("conversations.history", channel=channel)["messages"]
    assert seen["text"] == "xid 79, contained"
    assert seen["reply_count"] == 1
    assert "metadata" not in seen
    (whole,) = app.ok("conversations.history", channel=channel, include_all_metadata=True)["messages"]
    assert whole["metadata"] == METADATA
    replies = app.ok("conversations.replies", channel=channel, ts=ts)["messages"]
    assert [each["text"] for each in replies] == ["xid 79, contained", "evidence"]


def test_a_form_and_json_mean_the_same(world: SlackWorld) -> None:
    channel = world.channel("gpu-oncall")
    blocks = [{"type": "divider"}]
    headers = {"Authorization": f"Bearer {BOT_TOKEN}"}
    url = f"{world.api_url}chat.postMessage"
    form = {"channel": channel.id, "text": "a", "blocks": json.dumps(blocks)}
    content = {"channel": channel.id, "text": "a", "blocks": blocks}
    answers = [
        httpx.post(url, data=form, headers=headers, trust_env=False).json(),
        httpx.post(url, json=content, headers=headers, trust_env=False).json(),
    ]
    first, second = (answer["message"]["blocks"] for answer in answers)
    assert first == second == [{"type": "divider", "block_id": "b0"}]


def test_blocks_beyond_the_limits_are_refused(world: SlackWorld, app: Caller) -> None:
    channel = world.channel("gpu-oncall")
    said = app.refusal("chat.postMessage", channel=channel.id, text="many", blocks=[{"type": "divider"}] * 51)
    assert said["error"] == "invalid_blocks"
    assert said["response_metadata"]["messages"]
    assert world.posts_of_app(channel) == []


def test_long_text_is_cut(world: SlackWorld, app: Caller) -> None:
    said = app.ok("chat.postMessage", channel=world.channel("gpu-oncall").id, text="x" * 40_001)
    assert said["warning"] == "message_truncated"
    assert len(said["message"]["text"]) == 40_000


def test_channels_that_cannot_be_posted_to(world: SlackWorld, app: Caller) -> None:
    archived = world.channel("old")
    world.archive(archived)
    private = world.channel("secret", kind="group", has_app=False)
    names = (world.channel("strangers", has_app=False).id, private.id, archived.id, "C404")
    errors = [app.error("chat.postMessage", channel=name, text="hello") for name in names]
    assert errors == ["not_in_channel", "channel_not_found", "is_archived", "channel_not_found"]


def test_messages_that_cannot_be_changed(world: SlackWorld, app: Caller) -> None:
    channel = world.channel("gpu-oncall")
    alice = world.person("alice", channel)
    hers = alice.posts(channel, "mine")["ts"]
    gone = app.ok("chat.postMessage", channel=channel.id, text="soon gone")["ts"]
    alice.deletes(channel, gone)
    errors = [app.error("chat.update", channel=channel.id, ts=ts, text="other") for ts in (hers, gone)]
    assert errors == ["cant_update_message", "message_not_found"]


def test_only_who_is_there_is_shown_something(world: SlackWorld, app: Caller) -> None:
    channel = world.channel("gpu-oncall")
    alice, bob = world.person("alice", channel), world.person("bob")
    app.ok("chat.postEphemeral", channel=channel.id, user=alice.id, text="for you")
    assert [each["text"] for each in alice.shown(channel)] == ["for you"]
    error = app.error("chat.postEphemeral", channel=channel.id, user=bob.id, text="for you")
    assert error == "user_not_in_channel"


def test_reactions_are_single(world: SlackWorld, app: Caller) -> None:
    channel = world.channel("gpu-oncall")
    message = world.person("alice", channel).posts(channel, "look")
    where = {"channel": channel.id, "timestamp": message["ts"], "name": "eyes"}
    app.ok("reactions.add", **where)
    assert app.error("reactions.add", **where) == "already_reacted"
    app.ok("reactions.remove", **where)
    assert app.error("reactions.remove", **where) == "no_reaction"
    assert message["reactions"] == []


def test_pages(world: SlackWorld, app: Caller) -> None:
    channel = world.channel("gpu-oncall")
    alice = world.person("alice", channel)
    for number in range(7):
        alice.posts(channel, str(number))
    pages: list[str] = []
    cursor = ""
    while True:
        said = app.ok("conversations.history", channel=channel.id, limit=3, cursor=cursor)
        pages.append("".join(each["text"] for each in said["messages"]))
        cursor = said["response_metadata"]["next_cursor"]
        assert said["has_more"] == bool(cursor)
        if not cursor:
            break
    assert pages == ["654", "321", "0"]


def test_people_and_groups(world: SlackWorld, app: Caller) -> None:
    alice = world.person("alice")
    group = world.group(alice)
    assert app.ok("usergroups.users.list", usergroup=group)["users"] == [alice.id]
    assert app.ok("users.info", user=alice.id)["user"]["tz_offset"] == 0
    assert app.ok("conversations.open", users=alice.id)["channel"]["id"] == world.direct(alice).id


def test_a_file_goes_into_a_thread(world: SlackWorld, app: Caller) -> None:
    channel = world.channel("gpu-oncall")
    ts = app.ok("chat.postMessage", channel=channel.id, text="incident")["ts"]
    app.client.files_upload_v2(  # pyright: ignore[reportUnknownMemberType]  # not typed there
        channel=channel.id, thread_ts=ts, filename="timeline.png", content=b"\x89PNG", title="Timeline"
    )
    (upload,) = world.workspace.uploads.values()
    assert upload.content == b"\x89PNG"
    _, shared = channel.thread(ts)
    assert shared["files"][0]["title"] == "Timeline"


def test_missing_scopes_are_named(world: SlackWorld, app: Caller) -> None:
    world.slack.manifest = Manifest(scopes=frozenset({"chat:write"}))
    said = app.refusal("reactions.add", channel="C1", timestamp="1.1", name="eyes")
    assert said["error"] == "missing_scope"
    assert (said["needed"], said["provided"]) == ("reactions:write", "chat:write")


def test_each_channel_has_its_own_pace(clock: Clock) -> None:
    rates = {"chat.postMessage": Rate(every_s=1.0, is_per_channel=True)}
    with SlackWorld(clock=clock, rates=rates) as world:
        app = Caller(world.api_url)
        one, two = world.channel("one"), world.channel("two")
        app.ok("chat.postMessage", channel=one.id, text="1")
        app.ok("chat.postMessage", channel=two.id, text="1")
        assert app.error("chat.postMessage", channel=one.id, text="2") == "ratelimited"
        refused = world.calls[-1].said
        assert (refused.code, refused.retry_after_s) == (429, 1)
        clock.at += 1
        app.ok("chat.postMessage", channel=one.id, text="2")
        assert [each["text"] for each in world.posts_of_app(one)] == ["1", "2"]


@pytest.mark.parametrize(
    ("trouble", "is_there"),
    [
        (Trouble.DROP_BEFORE, False),
        (Trouble.DROP_AFTER, True),
        (Trouble.GARBLE, True),
        (Trouble.REFUSE, False),
    ],
)
def test_trouble_before_and_after_the_effect(
    world: SlackWorld, app: Caller, trouble: Trouble, *, is_there: bool
) -> None:
    channel = world.channel("gpu-oncall")
    world.faults.append(Fault(trouble=trouble, path="/api/chat.postMessage"))
    with pytest.raises((SlackApiError, OSError)):
        app.ok("chat.postMessage", channel=channel.id, text="hello")
    assert bool(world.posts_of_app(channel)) == is_there
    app.ok("chat.postMessage", channel=channel.id, text="hello again")


def test_a_trigger_is_good_for_three_seconds_and_once(world: SlackWorld, app: Caller, clock: Clock) -> None:
    alice = world.person("alice")
    title = {"type": "plain_text", "text": "Approve"}
    view = {"type": "modal", "title": title, "blocks": [{"type": "divider"}]}
    late, good = world.slack.new_trigger(alice.id), world.slack.new_trigger(alice.id)
    clock.at += 2.9
    app.ok("views.open", trigger_id=good, view=view)
    assert alice.top_modal()["title"]["text"] == "Approve"
    clock.at += 0.2
    errors = [app.error("views.open", trigger_id=trigger, view=view) for trigger in (good, late, "invented")]
    assert errors == ["exchanged_trigger_id", "expired_trigger_id", "invalid_trigger_id"]
