"""Routes, and what a channel may hear of."""

from collections.abc import Generator
from datetime import timedelta
from pathlib import Path

import pytest

from firstfault.agent.settings.chat_sections import SlackSettings
from firstfault.agent.slack.outbound.channels import Channels
from firstfault.agent.slack.people import KEEP_S, People
from firstfault.agent.slack.ports.port import UnreachableChatError
from firstfault.agent.store import Store, open_store
from firstfault.agent.store.requests import Request
from firstfault.policies import Action
from firstfault.policies.approvals import Roster
from firstfault.tools.alerts.alert import Alert
from tests.agent.slack.kit import in_shadow, incident, report
from tests.policies.worlds import NOW

ROUTES = [
    {"channel": "C1", "cluster": "blue", "severity": "critical"},
    {"channel": "C2", "team": "ml"},
    {"channel": "C3", "cluster": "green"},
]


def channels(cluster: str | None = "blue") -> Channels:
    settings = SlackSettings.model_validate({"channel": "C0", "shadow_channel": "C9", "routes": ROUTES})
    return Channels(settings=settings, cluster=cluster)


def alert(name: str = "a", **labels: str) -> Alert:
    return Alert(fingerprint=name, starts_at=NOW, is_firing=True, labels={"alertname": "A", **labels})


@pytest.fixture
def store(tmp_path: Path) -> Generator[Store]:
    with open_store(tmp_path / "state") as opened:
        yield opened


@pytest.mark.parametrize(
    ("labels", "channel"),
    [
        ({"cluster": "blue", "severity": "critical"}, "C1"),
        ({"severity": "critical"}, "C1"),
        ({"cluster": "blue", "severity": "warning"}, "C0"),
        ({"cluster": "red", "team": "ml"}, "C2"),
        ({"cluster": "green"}, "C3"),
        ({"kubernetes_cluster": "green"}, "C3"),
        ({}, "C0"),
    ],
)
def test_the_first_route_that_fits_is_taken(labels: dict[str, str], channel: str) -> None:
    assert channels().of_alerts([alert(**labels)]) == channel


def test_what_is_only_scored_goes_to_the_shadow_channel() -> None:
    alerts = [alert(cluster="green")]
    assert channels().destination(report("i"), alerts) == "C3"
    assert channels().destination(in_shadow("i"), alerts) == "C9"


def test_the_cluster_of_this_process_is_for_its_own_channels() -> None:
    found = channels()
    assert [each for each in ("C0", "C1", "C2", "C3", "C9") if found.may_read_cluster(each)] == [
        "C0",
        "C1",
        "C2",
        "C9",
    ]


def test_an_incident_is_heard_of_where_it_leads_and_where_it_was_asked_about(store: Store) -> None:
    store.incidents.open(incident("i1"), NOW)
    store.inbox.receive([alert(cluster="green")], NOW)
    store.inbox.assign([alert(cluster="green").key], "i1")
    found = channels()
    assert [each for each in ("C0", "C1", "C2", "C3", "C9") if found.may_hear(store, each, "i1")] == ["C3"]
    request = Request(key="r", kind="mention", channel="C2", content={}, incident_id="i1")
    store.requests.keep(request, NOW + timedelta(seconds=1))
    assert found.may_hear(store, "C2", "i1")
    assert not found.may_hear(store, "C1", "i1")


def test_a_user_group_that_cannot_be_read_lets_nobody_in() -> None:
    down = [False]
    seconds = [0.0]

    def members_of(group: str) -> frozenset[str]:
        if down[0]:
            raise UnreachableChatError(group)
        return frozenset({"U1", "U2"})

    people = People(
        names={"U1": "ada"},
        roster=Roster(actions={Action.CORDON_NODE: frozenset({"group:sre"})}),
        groups={"sre": "S1"},
        members_of=members_of,
        clock=lambda: seconds[0],
    )
    assert people.roster_now().may_approve("ada", Action.CORDON_NODE)
    assert people.roster_now().may_approve("U2", Action.CORDON_NODE)
    down[0] = True
    assert people.roster_now().may_approve("ada", Action.CORDON_NODE)
    seconds[0] = KEEP_S
    assert not people.roster_now().may_approve("ada", Action.CORDON_NODE)
