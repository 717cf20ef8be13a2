"""Slack that is slow, refuses, forgets and breaks off: people are told what happened, and nothing is doubled."""

import json
from collections.abc import Generator
from pathlib import Path

import pytest

from firstfault.evals.sim.kube_faults import Fault, Trouble
from tests.acceptance.slack_site import MANIFEST, Site, open_site
from tests.slackworld.manifest import manifest_from
from tests.slackworld.world import SlackWorld

APPROVE = "firstfault.approve"
COMMANDS = ("help", "status", "score", "why", "nonsense", "", "silence", "why-not x y")


@pytest.fixture(name="world")
def world_fixture() -> SlackWorld:
    return SlackWorld(manifest=manifest_from(MANIFEST), ack_within_s=3.0)


@pytest.fixture(name="site")
def site_fixture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, world: SlackWorld) -> Generator[Site]:
    with open_site(tmp_path, monkeypatch, world=world) as site:
        yield site


@pytest.mark.parametrize("path", ["/upload/v1/.*", "/api/files.completeUploadExternal"])
@pytest.mark.parametrize("trouble", [Trouble.DROP_BEFORE, Trouble.DROP_AFTER])
def test_a_picture_whose_upload_breaks_off_is_there_once(site: Site, path: str, trouble: Trouble) -> None:
    site.world.faults.append(Fault(trouble=trouble, path=path))
    card = site.card(site.alert("gpu-00003"))
    site.world.wait_for(lambda: site.store.messages.counts()["behind"] == 0, patience_s=60)
    pictures = [each for each in site.channel.thread(card["ts"]) if "files" in each]
    assert len(pictures) == 1


def test_a_post_in_doubt_is_found_behind_what_people_said_since(site: Site) -> None:
    post = Fault(trouble=Trouble.HOLD_AFTER, path="/api/chat.postMessage", seconds=30)
    site.world.faults.append(post)
    incident_id = site.alert("gpu-00003")
    assert post.reached.wait(30)
    for number in range(250):
        site.people["ada"].posts(site.channel, f"line {number}")
    post.release.set()
    site.world.wait_for(lambda: site.store.messages.counts()["behind"] == 0, patience_s=60)
    assert len(site.cards(incident_id, site.channel)) == 1
    assert len(site.world.calls_of("conversations.history")) > 1


def test_who_clicks_too_slowly_for_slack_is_told_to_click_again(site: Site) -> None:
    incident_id = site.alert("gpu-00003")
    site.card_says(incident_id, "waits for approval")
    site.world.faults.append(Fault(trouble=Trouble.SLOW, path="/api/views.open", seconds=3.3))
    site.clicks("ada", incident_id, APPROVE)
    site.whispered("ada", "again")
    assert site.people["ada"].modals() == []
    site.clicks("ada", incident_id, APPROVE)
    site.world.wait_for(lambda: [each for each in site.people["ada"].modals() if each["submit"]])


def test_a_busy_method_is_left_alone_until_it_said(site: Site) -> None:
    incident_id = site.alert("gpu-00003")
    site.card_says(incident_id, "waits for approval")
    busy = Fault(trouble=Trouble.REFUSE, code=429, retry_after_s=2, path="/api/chat.update")
    site.world.faults.append(busy)
    before = len(site.world.calls_of("chat.update"))
    site.clicks("ada", incident_id, "firstfault.agree")
    site.world.wait_for(lambda: busy.seen > 0)
    refused_at = site.world.workspace.clock()
    site.card_says(incident_id, f"agreed: <@{site.people['ada'].id}>")
    first = site.world.calls_of("chat.update")[before]
    assert first.at - refused_at >= 1.9


def test_every_command_is_answered_to_who_asked_alone(site: Site) -> None:
    ada = site.people["ada"]
    for number, words in enumerate(COMMANDS, start=1):
        assert ada.runs("/firstfault", words, site.channel).ack() is not None
        site.world.wait_for(lambda number=number: len(ada.shown(site.channel)) == number, patience_s=30)
    assert site.world.posts_of_app(site.channel) == []
    assert "Traceback" not in json.dumps(ada.shown(site.channel))


def test_a_group_that_slack_tells_slowly_holds_up_no_click(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, world: SlackWorld
) -> None:
    carol = world.person("carol")
    group = world.group(carol)
    with open_site(tmp_path, monkeypatch, world=world, more=f'groups = {{ sre = "{group}" }}') as site:
        carol.joins(site.channel)
        incident_id = site.alert("gpu-00003")
        ts = site.card_says(incident_id, "waits for approval")["ts"]
        world.faults.append(Fault(trouble=Trouble.SLOW, path="/api/usergroups.users.list", seconds=4.0))
        assert carol.clicks(site.channel, ts, APPROVE).ack() is not None
        world.wait_for(lambda: "Click again" in json.dumps(carol.shown(site.channel)))
        assert carol.clicks(site.channel, ts, APPROVE).ack() is not None
        world.wait_for(lambda: [each for each in carol.modals() if each["submit"]], patience_s=30)
        assert carol.submits().ack() is not None
        site.card_says(incident_id, f"approved by <@{carol.id}>")
