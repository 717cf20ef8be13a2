"""Two hundred incidents at once against Slack's pace: none is lost, threads keep their order, what changed is told once.

Time runs twenty times as fast as it does in Slack: one post every 50 ms to a channel stands for one a second.
"""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import pytest

from firstfault.agent.feedback.labels import agreement, keep_labels
from firstfault.agent.findings import Incident
from firstfault.agent.report.contract import Report
from firstfault.evals.sim.kube_faults import Fault, Trouble
from tests.acceptance.slack_site import MANIFEST, Site, notification, open_site
from tests.slackworld.manifest import manifest_from
from tests.slackworld.rates import Rate
from tests.slackworld.workspace import Channel
from tests.slackworld.world import SlackWorld

INCIDENTS = 200
TEAMS = ("vision", "language", "speech", "serving")
PACE_S = 0.05
SCALE = 1.0 / PACE_S
PATIENCE_S = 90.0


def copied(site: Site, template: Report) -> Callable[[Incident, object], Report]:
    """Return what makes the same report about any incident, as an investigation would leave it."""

    def investigate(incident: Incident, alerts: object) -> Report:
        del alerts
        about = template.incident.model_copy(
            update={"id": incident.id, "correlation_id": incident.correlation_id}
        )
        # Without a timeline there is no picture to draw two hundred times.
        report = template.model_copy(update={"incident": about, "timeline": []})
        site.store.reports.put(report, site.clock())
        return report

    return investigate


def flood(site: Site) -> list[str]:
    """Return the incidents of one alert on each of two hundred nodes, all of them reported."""
    for number in range(INCIDENTS):
        node = f"gpu-{number + 100:05d}"
        team = TEAMS[number % len(TEAMS)]
        site.reception.take(notification(node, site.clock(), number=number, team=team))
    site.dispatcher.assign(site.clock())
    pending = [name for name, item in site.dispatcher.pending.items() if item.stage.name == "WAITING"]
    for incident_id in pending:
        site.dispatcher.begin(incident_id)
        site.dispatcher.run(incident_id)
        site.dispatcher.finish(incident_id, site.clock())
    return pending


def change(site: Site, incidents: list[str], person: str) -> None:
    """Have somebody agree with each diagnosis, which shows in each message."""
    for incident_id in incidents:
        report = site.store.reports.get(incident_id)
        assert report is not None
        keep_labels(
            site.store, agreement(report, person, "slack", site.clock()), site.clock(), site.bench.redact
        )
        site.service.publish(incident_id)


def keys_of(channel: Channel) -> list[str]:
    """Return the keys under which the app's messages in a channel were sent, in order."""
    found = [
        each.get("metadata", {}).get("event_payload", {}).get("key", "") for each in channel.messages.values()
    ]
    return [key for key in found if key]


@pytest.mark.timeout(300)
def test_two_hundred_incidents_in_a_minute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    world = SlackWorld(
        manifest=manifest_from(MANIFEST),
        rates={
            "chat.postMessage": Rate(every_s=PACE_S * 0.9, burst=2, is_per_channel=True),
            "chat.update": Rate(every_s=PACE_S / 4, burst=5),
        },
    )
    channels = {team: world.channel(team) for team in TEAMS}
    routes = ", ".join(
        f'{{ channel = "{channel.id}", team = "{team}" }}' for team, channel in channels.items()
    )
    with open_site(tmp_path, monkeypatch, world=world, more=f"routes = [{routes}]") as site:
        template = site.store.reports.get(site.alert("gpu-00003"))
        assert template is not None
        site.dispatcher.investigate = copied(site, template)
        for trouble, skip in ((Trouble.DROP_AFTER, 40), (Trouble.DROP_BEFORE, 80), (Trouble.REFUSE, 120)):
            world.faults.append(Fault(trouble=trouble, path="/api/chat.postMessage", skip=skip))
        world.faults.append(Fault(trouble=Trouble.REFUSE, code=429, path="/api/chat.postMessage", skip=160))
        begun = perf_counter()
        incidents = flood(site)
        flooded_s = perf_counter() - begun
        for person in ("ada", "grace"):
            change(site, incidents, person)
        messages = site.store.messages
        world.wait_for(lambda: messages.counts()["behind"] == 0, patience_s=PATIENCE_S)
        drained_s = perf_counter() - begun
        tell(capsys, site, flooded_s, drained_s)
        check(site, channels, incidents)


def check(site: Site, channels: dict[str, Channel], incidents: list[str]) -> None:
    assert len(incidents) == INCIDENTS
    assert site.store.messages.counts().get("lost", 0) == 0
    cards = Counter(
        json.dumps(each["metadata"]["event_payload"]["key"]).partition("/")[0].strip('"')
        for channel in channels.values()
        for each in site.world.posts_of_app(channel)
        if each.get("metadata") and each["metadata"]["event_payload"]["key"].endswith("/card")
    )
    assert cards == Counter(incidents)
    for channel in channels.values():
        keys = keys_of(channel)
        assert len(keys) == len(set(keys))
        for key in keys:
            if key.endswith("/card/details"):
                assert keys.index(key) > keys.index(key.removesuffix("/details"))
        for card in channel.top():
            assert all(f"<@{site.people[name].id}>" in json.dumps(card) for name in ("ada", "grace"))
            assert len(channel.thread(card["ts"])) >= 2


def tell(capsys: pytest.CaptureFixture[str], site: Site, flooded_s: float, drained_s: float) -> None:
    posts, updates = site.world.calls_of("chat.postMessage"), site.world.calls_of("chat.update")
    changes = 2 * INCIDENTS
    with capsys.disabled():
        print(  # noqa: T201  # the point
            f"\n  {INCIDENTS} incidents in {flooded_s:.1f} s ({flooded_s * SCALE:.0f} s of Slack's time), "
            f"backlog drained after {drained_s:.1f} s ({drained_s * SCALE:.0f} s)"
            f"\n  {sum(each.is_ok for each in posts)} posts, "
            f"{changes} changes told by {sum(each.is_ok for each in updates)} updates; "
            f"sender {site.service.sender.counts}"
        )
