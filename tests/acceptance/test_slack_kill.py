"""Power cuts between a click and its effect: `serve` and the executor are killed, and everything happens once."""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Generator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from firstfault.agent.store import Store, open_store
from firstfault.evals.sim.kube_api import ADMIN_TOKEN, KubeApi
from firstfault.evals.sim.kube_faults import Fault, Trouble
from firstfault.evals.sim.kube_json import Body
from firstfault.evals.sim.kube_kinds import CUSTOM
from firstfault.evals.sim.recorded_http import RecordedServer
from firstfault.policies import Action, Mode
from firstfault.policies.history import Ending
from tests.acceptance.executor_site import environment, executor_role
from tests.acceptance.slack_site import MANIFEST, kernel_log, notification, promote, settings_text
from tests.agent.executor.kit import load_cluster
from tests.live import kubeconfig
from tests.postgres import migrated_postgres_url_fixture, postgres_server_fixture, postgres_template_fixture
from tests.serve_process import Serve
from tests.slackworld.manifest import manifest_from
from tests.slackworld.person import Person
from tests.slackworld.workspace import Channel
from tests.slackworld.world import SlackWorld, has_button, wall_clock

__all__ = ["migrated_postgres_url_fixture", "postgres_server_fixture", "postgres_template_fixture"]

REPORTED = re.compile(r"(inc-\S+) [A-Z_]+ gpu\.fell_off_bus")
CONNECTED = re.compile(r"connected to Slack")
APPROVE = "firstfault.approve"
POST, UPDATE = "/api/chat.postMessage", "/api/chat.update"


@dataclass(kw_only=True)
class Town:
    """A Slack, a cluster, and a folder in which firstfault runs as processes."""

    folder: Path
    world: SlackWorld
    api: KubeApi
    channel: Channel
    ada: Person
    store: Store
    url: str
    role_url: str

    def serve(self) -> Serve:
        opened = self.world.hub.opened
        serve = Serve(
            self.folder,
            environment={"FIRSTFAULT_DATABASE_URL": self.url, "FIRSTFAULT_SERVE__PORT": "0"},
        )
        serve.wait_for(CONNECTED)
        self.world.hub.wait_for_connections(1, opened=opened + 1)
        return serve

    def report(self, serve: Serve) -> str:
        body = notification("gpu-00003", datetime.fromtimestamp(wall_clock(), UTC))
        answer = httpx.post(f"{serve.url}/webhooks/alertmanager", content=body, trust_env=False, timeout=20)
        assert answer.status_code == 200
        return serve.wait_for(REPORTED)[1]

    def execute(self) -> "subprocess.Popen[str]":
        surroundings = environment(self.folder, self.role_url, self.api.url)
        command = (sys.executable, "-m", "firstfault.cli", "executor", "--once")
        pipe = subprocess.PIPE
        return subprocess.Popen(command, env=surroundings, stdout=pipe, stderr=pipe, text=True)

    def card(self, *words: str) -> Body:
        def found() -> list[Body]:
            cards = [each for each in self.channel.top() if each.get("bot_id")]
            return [each for each in cards if all(word in json.dumps(each) for word in words)]

        return self.world.wait_for(found, patience_s=60)[0]

    def keys(self) -> Counter[str]:
        sent = [
            each.get("metadata", {}).get("event_payload", {}).get("key")
            for each in self.channel.messages.values()
        ]
        return Counter(key for key in sent if key)

    def hold(self, path: str, trouble: Trouble) -> Fault:
        fault = Fault(trouble=trouble, path=path, seconds=60)
        self.world.faults.append(fault)
        return fault


@pytest.fixture(name="town")
def town_fixture(migrated_postgres_url: str, tmp_path: Path) -> Generator[Town]:
    with ExitStack() as stack:
        world = stack.enter_context(SlackWorld(manifest=manifest_from(MANIFEST)))
        api = stack.enter_context(KubeApi(served=CUSTOM))
        load_cluster(api)
        now = datetime.fromtimestamp(wall_clock(), UTC)
        loki = stack.enter_context(RecordedServer(kernel_log(lambda: now)))
        channels = (world.channel("gpu-oncall"), world.channel("gpu-shadow"))
        ada = world.person("ada", *channels)
        cluster = kubeconfig(tmp_path, api.url, ADMIN_TOKEN)
        people = f'people = {{ {ada.id} = "ada" }}'
        (tmp_path / "firstfault.toml").write_text(settings_text(world, cluster, loki.url, channels, people))
        state = tmp_path / "state" / "firstfault"
        store = stack.enter_context(open_store(state, url=migrated_postgres_url))
        promote(store, state, Action.CORDON_NODE, now, Mode.APPROVE)
        yield Town(
            folder=tmp_path,
            world=world,
            api=api,
            channel=channels[0],
            ada=ada,
            store=store,
            url=migrated_postgres_url,
            role_url=executor_role(migrated_postgres_url),
        )


def says_yes(town: Town) -> None:
    town.ada.clicks(town.channel, town.card("waits for approval")["ts"], APPROVE)
    town.world.wait_for(lambda: [each for each in town.ada.modals() if each["submit"]])
    delivery = town.ada.submits()
    assert delivery.ack() is not None


@pytest.mark.timeout(240)
def test_killed_between_the_click_and_its_effect(town: Town) -> None:
    with town.serve() as first:
        incident_id = town.report(first)
        town.card("waits for approval")
        update = town.hold(UPDATE, Trouble.HOLD_BEFORE)
        says_yes(town)
        assert update.reached.wait(30)
        first.kill()
        update.release.set()
    (approval,) = town.store.approvals.of_incident(incident_id)
    assert [vote.approver for vote in approval.votes] == ["ada"]

    patch = Fault(trouble=Trouble.HOLD_AFTER, method="PATCH", seconds=60)
    town.api.faults.append(patch)
    executor = town.execute()
    assert patch.reached.wait(60), executor.communicate(timeout=30)
    executor.kill()
    executor.communicate(timeout=30)
    patch.release.set()
    _, said = town.execute().communicate(timeout=90)
    assert f"{approval.decision_id} run" in said

    with town.serve() as second:
        card = town.card("done", f"approved by <@{town.ada.id}>")
        assert not has_button(card, APPROVE)
        assert second.stop() == 0
    execution = town.store.executions.of_decision(approval.decision_id)
    assert execution is not None
    assert execution.ending is Ending.DONE
    assert [each.path for each in town.api.writes] == ["/api/v1/nodes/gpu-00003"]
    assert max(town.keys().values()) == 1
    assert town.store.audit.verify().sound


@pytest.mark.timeout(240)
def test_killed_while_a_message_is_posted(town: Town) -> None:
    with town.serve() as first:
        post = town.hold(POST, Trouble.HOLD_AFTER)
        town.report(first)
        assert post.reached.wait(60)
        first.kill()
        post.release.set()
    before = town.hold(POST, Trouble.HOLD_BEFORE)
    with town.serve() as second:
        assert before.reached.wait(60)
        second.kill()
        before.release.set()
    with town.serve() as third:
        card = town.card("waits for approval")
        town.world.wait_for(lambda: len(town.channel.thread(card["ts"])) == 3, patience_s=60)
        assert third.stop() == 0
    assert len([each for each in town.channel.top() if each.get("bot_id")]) == 1
    assert max(town.keys().values()) == 1


@pytest.mark.timeout(240)
def test_a_yes_that_nobody_heard_is_not_taken_and_can_be_given_again(town: Town) -> None:
    with town.serve() as first:
        incident_id = town.report(first)
        town.ada.clicks(town.channel, town.card("waits for approval")["ts"], APPROVE)
        town.world.wait_for(lambda: [each for each in town.ada.modals() if each["submit"]])
        first.kill()
    assert town.ada.submits().ack() is None
    assert town.store.approvals.of_incident(incident_id)[0].votes == ()
    with town.serve() as second:
        assert any(town.ada.submits().ack() is not None for _ in range(3))  # Slack sends a click once
        town.card(f"approved by <@{town.ada.id}>")
        assert second.stop() == 0
    assert len(town.store.approvals.of_incident(incident_id)[0].votes) == 1
