"""The chat over its life: Slack that is away, processes that end, channels that go, other ways in and out."""

import json
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlencode

import httpx
import pytest
from pydantic import SecretStr

from firstfault.agent.settings.chat_sections import SlackSettings
from firstfault.agent.slack.blocks.names import COMMAND, Click
from firstfault.agent.slack.ports.port import Outgoing, UnclearError, UnreachableChatError
from firstfault.agent.slack.ports.terminal import NAME as TERMINAL
from firstfault.agent.slack.ports.terminal import TerminalPort
from firstfault.agent.slack.ports.webhook import NAME as WEBHOOK
from firstfault.agent.slack.ports.webhook import WebhookPort
from firstfault.agent.slack.service import CATCH_UP, ChatService
from firstfault.agent.slack.wiring import Surroundings, wire
from firstfault.evals.sim.kube_faults import Fault, Trouble
from tests.agent.slack.kit import INCIDENT, Stage, in_shadow, report, stage
from tests.slackworld.deliveries import signature
from tests.slackworld.payloads import command
from tests.slackworld.slack import SIGNING_SECRET
from tests.slackworld.world import wall_clock


@pytest.fixture(name="stage")
def stage_fixture(tmp_path: Path) -> Generator[Stage]:
    with stage(tmp_path) as made:
        yield made


def posts(stage: Stage) -> int:
    return len(
        [each for each in stage.world.calls_of("chat.postMessage") if each.args.get("thread_ts") is None]
    )


def test_a_report_that_was_not_posted_before_a_crash_is_posted_at_the_next_start(stage: Stage) -> None:
    stage.reported()
    for _ in range(2):
        with stage.running():
            card = stage.card(says="LIKELY")
            stage.reply(stage.incidents, card["ts"], says=".png")
    assert posts(stage) == 1


def test_old_reports_are_history_and_are_not_posted(stage: Stage) -> None:
    stage.reported()
    stage.clock.skip(CATCH_UP + timedelta(minutes=1))
    with stage.running():
        stage.reported(report("inc-2"))
    with stage.running():
        stage.card(says="inc-2")
    assert stage.store.messages.of_incident(INCIDENT) == ()


@pytest.mark.parametrize(
    "fault",
    [
        Fault(trouble=Trouble.REFUSE, code=503),
        Fault(trouble=Trouble.REFUSE, code=429, retry_after_s=1),
        Fault(trouble=Trouble.DROP_BEFORE),
        Fault(trouble=Trouble.DROP_AFTER),
        Fault(trouble=Trouble.GARBLE),
    ],
    ids=lambda fault: f"{fault.trouble}-{fault.code}",
)
def test_a_post_that_goes_wrong_is_neither_lost_nor_doubled(stage: Stage, fault: Fault) -> None:
    stage.world.faults.append(replace(fault, method="POST", path=r"/api/chat\.postMessage"))
    stage.reported()
    with stage.running():
        card = stage.card(says="LIKELY")
        stage.reply(stage.incidents, card["ts"], says="Details")
    cards = [
        each for each in stage.world.posts_of_app(stage.incidents) if "LIKELY" in str(each.get("blocks"))
    ]
    assert len([each for each in cards if each.get("thread_ts") in {None, each["ts"]}]) == 1


def test_it_starts_without_slack_and_connects_when_it_is_there(stage: Stage) -> None:
    stage.world.faults.append(
        Fault(trouble=Trouble.REFUSE, code=503, method="POST", path=r"/api/auth\.test", times=1)
    )
    stage.reported()
    with stage.running():
        assert any("not connected to Slack" in line for line in stage.said)
        stage.card(says="LIKELY")


def test_the_connection_is_made_again_when_it_breaks(stage: Stage) -> None:
    stage.reported()
    with stage.running():
        card = stage.card(says="LIKELY")
        opened = stage.world.hub.opened
        stage.world.hub.drop()
        stage.world.hub.wait_for_connections(1, opened=opened + 1, patience_s=60)
        stage.people["ada"].clicks(stage.incidents, card["ts"], Click.AGREE)
        stage.card(says="agreed")


def test_an_archived_channel_holds_nothing_up(stage: Stage) -> None:
    stage.world.archive(stage.incidents)
    stage.reported()
    stage.reported(in_shadow("inc-2"))
    with stage.running():
        stage.card(stage.shadow, says="inc-2")
        stage.until(lambda: stage.store.messages.counts().get("lost"))
    assert stage.world.posts_of_app(stage.incidents) == []


def test_a_deleted_message_is_not_posted_again(stage: Stage) -> None:
    stage.reported()
    with stage.running() as chat:
        card = stage.card(says="LIKELY")
        stage.reply(stage.incidents, card["ts"], says=".png")
        stage.people["ada"].deletes(stage.incidents, card["ts"])
        stage.reported(report(INCIDENT, verdict="CONFIRMED"))
        chat.publish(INCIDENT)
        stage.until(lambda: stage.store.messages.counts().get("lost"))
    assert posts(stage) == 1


@pytest.mark.parametrize("tampered", [False, True])
def test_over_http_only_what_is_signed_is_heard(tmp_path: Path, tampered: bool) -> None:
    """Bolt compares the stamp of a signature with its own clock: here both are the machine's."""
    with stage(tmp_path, app_token=None, signing_secret=SecretStr(SIGNING_SECRET)) as made, on(made) as chat:
        made.until(lambda: chat.listener is not None and chat.listener.app is not None)
        ada = made.people["ada"]
        payload = command(made.world.slack, ada.user, COMMAND, "help", made.incidents)
        body = urlencode(payload)
        headers = signature(body.encode(), int(wall_clock()), SIGNING_SECRET)
        headers["content-type"] = "application/x-www-form-urlencoded"
        sent = body.replace("help", "status") if tampered else body
        status, _, _ = chat.answer_http(sent, headers)
        assert status == (401 if tampered else 200)
        if not tampered:
            made.until(lambda: ada.shown(made.incidents))


def test_without_a_signing_secret_nothing_is_taken_over_http(stage: Stage) -> None:
    with stage.running() as chat:
        payload = command(
            stage.world.slack, stage.people["ada"].user, COMMAND, f"silence {INCIDENT} 2h", stage.incidents
        )
        status, _, _ = chat.answer_http(
            urlencode(payload), {"content-type": "application/x-www-form-urlencoded"}
        )
        assert status == 404
    assert stage.store.requests.unaccepted() == stage.store.requests.unfinished() == ()


@contextmanager
def on(made: Stage) -> Generator[ChatService]:
    with ThreadPoolExecutor(max_workers=4) as errands:
        chat = wire(made.settings, made.surroundings(errands))
        chat.start()
        try:
            yield chat
        finally:
            chat.stop()


def test_the_same_messages_go_to_a_webhook_and_to_the_terminal(stage: Stage) -> None:
    heard: list[dict[str, object]] = []
    lines: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        heard.append(json.loads(request.content))
        return httpx.Response(200)

    hook = WebhookPort(
        url="https://hooks.example/x", headers={"X-Team": "a"}, transport=httpx.MockTransport(answer)
    )
    stage.reported()
    stage.reported(in_shadow("inc-2"))
    with ThreadPoolExecutor(max_workers=1) as errands:
        around: Surroundings = stage.surroundings(
            errands, ports={WEBHOOK: hook, TERMINAL: TerminalPort(lines.append)}
        )
        chat = wire(SlackSettings(post_interval_s=0.01), around)
        chat.start()
        try:
            stage.until(lambda: len(heard) >= 2 and len(lines) >= 2)
        finally:
            chat.stop()
    assert {each["incident"] for each in heard} == {INCIDENT}
    assert heard[0]["schema"] == "firstfault.message/v1"
    assert "LIKELY" in lines[0]
    assert "<" not in lines[0].replace("<unknown>", "")


@pytest.mark.parametrize(
    ("answer", "error"),
    [(httpx.Response(500), UnclearError), (httpx.ConnectError("refused"), UnreachableChatError)],
)
def test_a_webhook_that_fails_says_whether_anything_was_sent(
    answer: httpx.Response | httpx.ConnectError, error: type[Exception]
) -> None:
    def respond(_: httpx.Request) -> httpx.Response:
        if isinstance(answer, httpx.Response):
            return answer
        raise answer

    port = WebhookPort(url="https://hooks.example/x", transport=httpx.MockTransport(respond))
    with pytest.raises(error):
        port.post("webhook", Outgoing(key="k", digest="d", content={"text": "t"}), None)
