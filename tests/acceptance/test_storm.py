"""A storm of 5,000 alerts for one switch, and a power cut in the middle of it: one incident, and none is lost or doubled."""

import json
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from time import perf_counter

import httpx
import pytest
from sqlalchemy import func, select

from firstfault.agent.store import Status, Store, open_store
from firstfault.agent.store.inbox_tables import AlertRow
from tests.serve_process import Serve

ALERTS = 5000
GROUP = 50
"""Alerts in one notification of a route that groups."""
SINGLES = 500
"""Alerts of a route that does not group: each comes in a notification of its own."""
CLIENTS = 8
STARTED = datetime(2026, 11, 30, 5, 0, tzinfo=UTC)
LENGTH = timedelta(seconds=10)
REPORTED = re.compile(r"(inc-\S+) [A-Z_]+ \S+")
PORT = {"FIRSTFAULT_SERVE__PORT": "0"}


@dataclass(frozen=True, kw_only=True)
class Notification:
    """What Alertmanager posts at once. alerts: how many are in it."""

    body: str
    alerts: int


def alert(number: int) -> dict[str, object]:
    """Return one link of the switch that goes down."""
    return {
        "status": "firing",
        "labels": {
            "alertname": "LinkDown",
            "cluster": "lab",
            "switch": "leaf7",
            "node": f"gpu-{number % 500:05d}",
            "port": str(number // 500),
        },
        "annotations": {"summary": "a port of leaf7 is down"},
        "startsAt": (STARTED + LENGTH * (number / ALERTS)).isoformat(),
        "endsAt": "0001-01-01T00:00:00Z",
        "fingerprint": f"{number:016x}",
    }


def storm() -> Iterator[Notification]:
    """Yield the notifications in the order in which the links go down: after each group some that come alone."""
    groups = (ALERTS - SINGLES) // GROUP
    numbers = iter(range(ALERTS))
    for _ in range(groups):
        for size in (GROUP, *[1] * (SINGLES // groups)):
            yield _notification([alert(number) for number in islice(numbers, size)])
    yield from (_notification([alert(number)]) for number in numbers)


def _notification(alerts: Sequence[dict[str, object]]) -> Notification:
    body = json.dumps({"version": "4", "groupKey": "{}", "status": "firing", "alerts": alerts})
    return Notification(body=body, alerts=len(alerts))


@dataclass(kw_only=True)
class Senders:
    """Clients that post at the same time. answered: what was answered with 200; what was not is sent again."""

    url: str
    answered: list[Notification] = field(default_factory=list[Notification])
    _told: threading.Condition = field(default_factory=threading.Condition)

    def send(
        self, waiting: Sequence[Notification], *, once: Callable[[], object] | None, alerts: int
    ) -> None:
        """Post everything; after `alerts` alerts were answered call `once`, while the others go on."""
        with ThreadPoolExecutor(CLIENTS) as pool:
            sent = [pool.submit(self._each, waiting[each::CLIENTS]) for each in range(CLIENTS)]
            with self._told:
                self._told.wait_for(lambda: sum(each.alerts for each in self.answered) >= alerts, timeout=120)
            if once is not None:
                once()
            for each in sent:
                each.result()

    def _each(self, waiting: Sequence[Notification]) -> None:
        with httpx.Client(trust_env=False, timeout=60) as client:
            for notification in waiting:
                if not self._is_answered(client, notification):
                    continue
                with self._told:
                    self.answered.append(notification)
                    self._told.notify_all()

    def _is_answered(self, client: httpx.Client, notification: Notification) -> bool:
        try:
            answer = client.post(f"{self.url}/webhooks/alertmanager", content=notification.body)
        except httpx.HTTPError:
            return False
        return answer.is_success


def counted(store: Store) -> tuple[int, int, int]:
    """Return how many rows, occurrences and incidents the database holds of the storm."""
    with store.database.reading() as session:
        rows, occurrences, incidents = session.execute(
            select(
                func.count(),
                func.count(AlertRow.alert.distinct()),
                func.count(AlertRow.incident_id.distinct()),
            )
        ).one()
    return rows, occurrences, incidents


@pytest.mark.timeout(300)
def test_a_storm_is_one_incident_and_nothing_is_lost_when_the_power_is_cut(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    everything = list(storm())
    assert sum(each.alerts for each in everything) == ALERTS
    state = tmp_path / "state" / "firstfault"
    with Serve(tmp_path, environment=PORT) as first:
        senders = Senders(url=first.url)
        begun = perf_counter()
        senders.send(everything, once=first.kill, alerts=ALERTS // 2)
        before_s = perf_counter() - begun
    kept = sum(each.alerts for each in senders.answered)
    with open_store(state) as store:
        rows, occurrences, _ = counted(store)
    assert ALERTS // 2 <= kept <= rows == occurrences < ALERTS
    answered = set(map(id, senders.answered))
    # What was answered last is sent once more as well: Alertmanager may not have seen the answer.
    again = [each for each in everything if id(each) not in answered] + senders.answered[-CLIENTS:]
    with Serve(tmp_path, environment=PORT) as second:
        rest = Senders(url=second.url)
        begun = perf_counter()
        rest.send(again, once=None, alerts=sum(each.alerts for each in again))
        after_s = perf_counter() - begun
        assert len(rest.answered) == len(again)
        incident_id = second.wait_for(REPORTED)[1]
        assert second.stop() == 0
    with open_store(state) as store:
        assert counted(store) == (ALERTS, ALERTS, 1)
        assert store.inbox.unassigned(1) == ()
        (only,) = store.incidents.recent()
        assert only.incident.id == incident_id
        assert only.status is not Status.OPEN
        assert len(store.inbox.of(incident_id)) == ALERTS
    taken_s, posts = before_s + after_s, len(senders.answered) + len(rest.answered)
    with capsys.disabled():
        said = f"{ALERTS} alerts in {posts} posts of {CLIENTS} clients kept in {taken_s:.1f} s"
        rate = f"{ALERTS / taken_s:,.0f} a second; the storm brings {ALERTS // LENGTH.seconds}"
        print(f"\n  {said}, {rate}; killed with {kept} answered and {rows} kept")  # noqa: T201 - the point
