"""Who is not of the house: channels that are not configured, direct messages, other workspaces, programs, other clusters."""

import json
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.acceptance.slack_site import MANIFEST, Site, open_site
from tests.slackworld.manifest import manifest_from
from tests.slackworld.workspace import Channel
from tests.slackworld.world import SlackWorld

STRANGER = "I work only in"


@pytest.fixture(name="world")
def world_fixture() -> SlackWorld:
    return SlackWorld(manifest=manifest_from(MANIFEST))


@pytest.fixture(name="site")
def site_fixture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, world: SlackWorld) -> Generator[Site]:
    with open_site(tmp_path, monkeypatch, world=world) as site:
        yield site


def quiet(site: Site, channel: Channel) -> None:
    """Return when everything that was said to the app was answered by nothing in the channel."""
    for delivery in site.world.postman.sent:
        assert delivery.ack() is not None
    site.people["ada"].mentions(site.channel, "status of `gpu-00003`?")
    site.world.wait_for(lambda: site.world.posts_of_app(site.channel), patience_s=30)
    assert site.world.posts_of_app(channel) == []


def test_in_a_channel_that_is_not_configured_one_sentence_and_no_data(site: Site) -> None:
    incident_id = site.alert("gpu-00003")
    site.card(incident_id)
    lounge = site.world.channel("lounge")
    ada = site.people["ada"]
    ada.joins(lounge)
    ada.mentions(lounge, f"what about {incident_id} and gpu-00003?")
    site.world.wait_for(lambda: ada.shown(lounge))
    told = json.dumps(ada.shown(lounge))
    assert "xid" not in told.lower()
    assert "0000:4e:00" not in told
    assert site.world.posts_of_app(lounge) == []
    for word in ("status", f"why {incident_id}", f"similar {incident_id}", "investigate gpu-00003"):
        ada.runs("/firstfault", word, lounge)
    assert "xid" not in json.dumps(ada.shown(lounge)).lower()
    assert site.world.posts_of_app(lounge) == []


def test_silent_where_that_is_configured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, world: SlackWorld
) -> None:
    with open_site(tmp_path, monkeypatch, world=world, more='strangers = "silent"') as site:
        lounge = world.channel("lounge")
        ada = site.people["ada"]
        ada.joins(lounge)
        ada.mentions(lounge, "hello?")
        direct = world.direct(ada)
        ada.posts(direct, "hello?")
        quiet(site, lounge)
        assert ada.shown(lounge) == []
        assert world.posts_of_app(direct) == []
        assert ada.shown(direct) == []


def test_a_direct_message_gets_one_sentence(site: Site) -> None:
    site.card(site.alert("gpu-00003"))
    ada = site.people["ada"]
    direct = site.world.direct(ada)
    ada.posts(direct, "what is wrong with gpu-00003?")
    said = site.world.wait_for(lambda: [*site.world.posts_of_app(direct), *ada.shown(direct)])
    assert len(said) == 1
    assert "xid" not in json.dumps(said).lower()


def test_another_workspace_hears_nothing_of_an_incident(site: Site) -> None:
    incident_id = site.alert("gpu-00003")
    card = site.card_says(incident_id, "waits for approval")
    guest = site.world.person("eve", site.channel, team_id="T0OTHER0001")
    guest.mentions(site.channel, "what is wrong with gpu-00003?", thread=card["ts"])
    guest.clicks(site.channel, card["ts"], "firstfault.approve")
    guest.clicks(site.channel, card["ts"], "firstfault.evidence")
    guest.clicks(site.channel, card["ts"], "firstfault.agree")
    before = len(site.world.posts_of_app(site.channel))
    for delivery in site.world.postman.sent:
        assert delivery.ack() is not None
    assert guest.modals() == []
    assert "xid" not in json.dumps(guest.shown(site.channel)).lower()
    assert len(site.world.posts_of_app(site.channel)) == before
    assert site.store.approvals.of_incident(incident_id)[0].votes == ()


def test_programs_are_never_answered(site: Site) -> None:
    site.card(site.alert("gpu-00003"))
    robot = site.world.person("alertbot", site.channel, is_bot=True)
    before = len(site.world.posts_of_app(site.channel))
    robot.mentions(site.channel, "what is wrong with gpu-00003?")
    ada = site.people["ada"]
    ada.mentions(site.channel, "and `gpu-00004`?")
    site.world.wait_for(lambda: len(site.world.posts_of_app(site.channel)) > before, patience_s=30)
    threads = {each.get("thread_ts") for each in site.world.posts_of_app(site.channel)[before:]}
    asked = [each["ts"] for each in site.channel.messages.values() if each.get("user") == robot.id]
    assert not threads & set(asked)
    assert site.store.requests.channels_of("nothing") == frozenset()


def test_a_channel_of_one_cluster_hears_nothing_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, world: SlackWorld
) -> None:
    other = world.channel("other-oncall")
    routes = f'routes = [{{ channel = "{other.id}", cluster = "other" }}]'
    with open_site(tmp_path, monkeypatch, world=world, more=routes) as site:
        here = site.alert("gpu-00003")
        site.card(here)
        bob = world.person("bob", other)
        bob.mentions(other, f"tell me about {here} and gpu-00003")
        for word in (f"why {here}", f"similar {here}", "status", f"why-not {here} nic.link_down"):
            bob.runs("/firstfault", word, other)
        world.wait_for(lambda: len(bob.shown(other)) >= 5, patience_s=30)
        told = json.dumps([*world.posts_of_app(other), *bob.shown(other)]).lower()
        assert "xid" not in told
        assert "0000:4e:00" not in told
        assert site.cards(here, other) == []
