"""Our stand-in for Slack and somebody else's (npm `emulate`) answer one sequence of Web API calls in the same shapes.

What only one of them says is printed: neither is Slack, and a difference is a question to Slack's reference.
"""

import socket
import subprocess
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import httpx
import pytest
from slack_sdk.errors import SlackApiError

from firstfault.evals.sim.kube_json import Body, Value
from tests.slackworld.caller import Caller
from tests.slackworld.world import SlackWorld

pytestmark = pytest.mark.system

FOLDER = Path(__file__).parent / "emulate"
PROGRAM = FOLDER / "node_modules" / "emulate" / "dist" / "index.js"
NOT_THERE = "NOT COMPARED: npm package `emulate` is not installed: run .ci/system-packages where npm's registry is reached"
METADATA = {"event_type": "incident", "event_payload": {"id": "inc-1"}}
BLOCKS = [{"type": "section", "text": {"type": "mrkdwn", "text": "*xid 79*"}}]
VIEW = {"type": "modal", "title": {"type": "plain_text", "text": "Why"}, "blocks": BLOCKS}
OURS_STANDS = {
    "thread of nothing": "conversations.replies lists `thread_not_found`; emulate answers with no messages",
    "no such method": "Slack answers `unknown_method` with code 200; emulate has a page of its own",
}
"""Where the two differ and Slack's reference agrees with ours."""


@contextmanager
def emulate() -> Generator[str]:
    """Give the base address of the other stand-in."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ("node", str(PROGRAM), "start", "--service", "slack", "--port", str(port))
    with subprocess.Popen(
        (*command, "--seed", str(FOLDER / "seed.yaml")),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        said: list[str] = []
        try:
            for line in process.stdout:
                said.append(line)
                if "Config:" in line:
                    break
            else:
                raise AssertionError("".join(said))
            yield f"http://127.0.0.1:{port}/api/"
        finally:
            process.terminate()


class Talk:
    """One sequence of calls at one server. said: step → answer, refusals among them."""

    def __init__(self, api_url: str) -> None:
        self.caller = Caller(api_url)
        self.said: dict[str, Body] = {}

    def call(self, step: str, method: str, **args: Value) -> Body:
        try:
            said = self.caller.ok(method, **args)
        except SlackApiError as refused:
            said = cast("Body", refused.response.data)  # pyright: ignore[reportUnknownMemberType]  # not typed there
        self.said[step] = said
        return said

    def run(self) -> Mapping[str, Body]:
        channels = self.call("channels", "conversations.list")["channels"]
        names = {each["name"]: each["id"] for each in channels}
        channel = names["gpu-oncall"]
        me = self.call("who", "auth.test")
        self._messages(channel)
        self._people(channel, str(me["user_id"]))
        self._file(channel)
        self.call("modal without trigger", "views.open", trigger_id="1.2.nonsense", view=VIEW)
        self.call("unknown channel", "chat.postMessage", channel="C404404404", text="hello")
        self.call("nothing to say", "chat.postMessage", channel=channel)
        self.call("no such method", "chat.shout", channel=channel)
        self.call("too long", "chat.postMessage", channel=channel, text="x" * 40_001)
        return self.said

    def _messages(self, channel: str) -> None:
        post = self.call(
            "post", "chat.postMessage", channel=channel, text="a", blocks=BLOCKS, metadata=METADATA
        )
        ts = post["ts"]
        reply = self.call("reply", "chat.postMessage", channel=channel, text="b", thread_ts=ts)["ts"]
        self.call("update", "chat.update", channel=channel, ts=ts, text="c", blocks=BLOCKS)
        self.call("history", "conversations.history", channel=channel, include_all_metadata=True)
        self.call("replies", "conversations.replies", channel=channel, ts=ts)
        self.call("permalink", "chat.getPermalink", channel=channel, message_ts=ts)
        eyes = {"channel": channel, "timestamp": ts, "name": "eyes"}
        for step in ("react", "react again"):
            self.call(step, "reactions.add", **eyes)
        for step in ("unreact", "unreact again"):
            self.call(step, "reactions.remove", **eyes)
        self.call("update of nothing", "chat.update", channel=channel, ts="1.000001", text="d")
        self.call("delete", "chat.delete", channel=channel, ts=reply)
        self.call("delete again", "chat.delete", channel=channel, ts=reply)
        self.call("thread of nothing", "conversations.replies", channel=channel, ts="1.000001")

    def _people(self, channel: str, me: str) -> None:
        self.call("members", "conversations.members", channel=channel)
        self.call("channel", "conversations.info", channel=channel)
        self.call("person", "users.info", user=me)
        self.call("nobody", "users.info", user="U404404404")

    def _file(self, channel: str) -> None:
        place = self.call("upload", "files.getUploadURLExternal", filename="a.png", length=4)
        httpx.post(place["upload_url"], content=b"\x89PNG", trust_env=False)
        shown = [{"id": place["file_id"], "title": "A"}]
        self.call("uploaded", "files.completeUploadExternal", files=shown, channel_id=channel)
        self.call("uploaded twice", "files.completeUploadExternal", files=[{"id": "F404404404"}])


def shape(value: Value, at: str = "") -> dict[str, str]:
    """Return path → type of everything in an answer; rows of a list are one."""
    if isinstance(value, dict):
        found: dict[str, str] = {}
        for name, each in cast("Body", value).items():
            found |= shape(each, f"{at}.{name}")
        return found
    if isinstance(value, list):
        rows = cast("list[Value]", value)
        return {at: "list"} | {path: kind for each in rows for path, kind in shape(each, f"{at}[]").items()}
    return {at: "number" if type(value) in {int, float} else type(value).__name__}


@pytest.fixture(name="talks", scope="module")
def talks_fixture() -> tuple[Mapping[str, Body], Mapping[str, Body]]:
    if not PROGRAM.is_file():
        pytest.xfail(NOT_THERE)
    with SlackWorld() as world:
        world.channel("gpu-oncall")
        world.channel("old")
        ours = Talk(world.api_url).run()
    with emulate() as url:
        return ours, Talk(url).run()


def test_the_same_calls_are_refused_for_the_same_reason(
    talks: tuple[Mapping[str, Body], Mapping[str, Body]],
) -> None:
    ours, theirs = talks
    told = {step: (said.get("error"), theirs[step].get("error")) for step, said in ours.items()}
    assert {step: pair for step, pair in told.items() if pair[0] != pair[1]}.keys() == OURS_STANDS.keys()


def test_what_both_say_has_the_same_type(
    talks: tuple[Mapping[str, Body], Mapping[str, Body]], capsys: pytest.CaptureFixture[str]
) -> None:
    ours, theirs = talks
    clashes: dict[str, tuple[str, str]] = {}
    common = 0
    for step, said in ours.items():
        mine, other = shape(said), shape(theirs[step])
        common += len(mine.keys() & other.keys())
        clashes |= {
            f"{step}{at}": (mine[at], other[at]) for at in mine.keys() & other.keys() if mine[at] != other[at]
        }
        with capsys.disabled():
            only = (sorted(mine.keys() - other.keys()), sorted(other.keys() - mine.keys()))
            print(f"\n  {step}: only ours {only[0]}; only emulate {only[1]}", end="")  # noqa: T201  # the point
    with capsys.disabled():
        print(f"\n  {len(ours)} calls, {common} fields in both, {len(clashes)} of another type")  # noqa: T201
    assert clashes == {}
    assert common > 100
