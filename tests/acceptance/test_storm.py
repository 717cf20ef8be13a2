"""A storm of 5,000 alerts for one switch, and a power cut in the middle of it: one incident, and none is lost."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter

import httpx
import pytest

from firstfault.agent.store import Status, open_store
from tests.serve_process import Serve

ALERTS = 5000
PER_NOTIFICATION = 50
STARTED = datetime(2026, 11, 30, 5, 0, tzinfo=UTC)
LENGTH = timedelta(seconds=10)
REPORTED = re.compile(r"(inc-\S+) [A-Z_]+ \S+")
PORT = {"FIRSTFAULT_SERVE__PORT": "0"}


def notifications() -> Iterator[str]:
    """Yield what Alertmanager posts: links of one switch that go down within ten seconds."""
    for start in range(0, ALERTS, PER_NOTIFICATION):
        alerts = [
            {
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
            for number in range(start, start + PER_NOTIFICATION)
        ]
        yield json.dumps({"version": "4", "groupKey": "{}", "status": "firing", "alerts": alerts})


def post(client: httpx.Client, serve: Serve, body: str) -> bool:
    """Return whether it was acknowledged; whatever was not is sent again, as Alertmanager does."""
    try:
        answer = client.post(f"{serve.url}/webhooks/alertmanager", content=body)
    except httpx.HTTPError:
        return False
    return answer.status_code == 200


@pytest.mark.timeout(300)
def test_a_storm_is_one_incident_and_nothing_is_lost_when_the_power_is_cut(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bodies = list(notifications())
    half = len(bodies) // 2
    with httpx.Client(trust_env=False, timeout=30) as client, Serve(tmp_path, environment=PORT) as first:
        begun = perf_counter()
        assert all(post(client, first, body) for body in bodies[:half])
        taken_s = perf_counter() - begun
        first.kill()
        assert not post(client, first, bodies[half])
    with open_store(tmp_path / "state" / "firstfault") as store:
        assert store.inbox.count() == ALERTS // 2
    with httpx.Client(trust_env=False, timeout=30) as client, Serve(tmp_path, environment=PORT) as second:
        # The last one that was acknowledged is sent once more: Alertmanager may not have seen the answer.
        assert all(post(client, second, body) for body in bodies[half - 1 :])
        incident_id = second.wait_for(REPORTED)[1]
        assert second.stop() == 0
    with open_store(tmp_path / "state" / "firstfault") as store:
        assert store.inbox.count() == ALERTS
        assert store.inbox.unassigned(1) == ()
        (only,) = store.incidents.recent()
        assert only.incident.id == incident_id
        assert only.status is not Status.OPEN
        assert len(store.inbox.of(incident_id)) == ALERTS
    with capsys.disabled():
        said = f"{ALERTS // 2} alerts kept in {taken_s:.1f} s, {ALERTS / 2 / taken_s:,.0f} a second"
        print(f"\n  {said}; this storm brings {ALERTS // LENGTH.seconds}")  # noqa: T201 - the point
