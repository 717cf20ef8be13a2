"""Every look at a server, failing in every way: one row that says what happened, what is not seen, and what to do."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from firstfault.agent.doctor.finding import State, worst
from firstfault.agent.doctor.findings import findings
from firstfault.evals.sim.recorded_http import Failure, RecordedServer, Said
from firstfault.tools.kube.rights import probe_cluster
from firstfault.tools.kube.settings import KubeSettings
from firstfault.tools.loki.client import Asker, connect
from firstfault.tools.loki.probe import probe_loki
from firstfault.tools.patience import Patience
from firstfault.tools.probes import Probe
from firstfault.tools.prometheus.probe import probe_prometheus
from firstfault.tools.prometheus.silences import SilenceSource
from firstfault.tools.prometheus.silences_probe import probe_silences

SILENCE_S, ANSWER_S = 0.2, 0.4
NOW = datetime(2026, 11, 30, 6, 0, tzinfo=UTC)


def clock() -> datetime:
    return NOW


def kubernetes(url: str) -> Probe:
    return probe_cluster(KubeSettings(host=url, read_s=SILENCE_S, answer_s=ANSWER_S), clock)


def prometheus(url: str) -> Probe:
    return probe_prometheus(url, {}, clock, timeout_s=SILENCE_S, answer_s=ANSWER_S)


def loki(url: str) -> Probe:
    asker = Asker(
        client=connect(url, {}, timeout_s=SILENCE_S), answer_s=ANSWER_S, patience=Patience(left_s=0)
    )
    return probe_loki(asker, clock)


def silences(url: str) -> Probe:
    source = SilenceSource(
        url=url, clock=clock, timeout_s=SILENCE_S, answer_s=ANSWER_S, patience=Patience(left_s=0)
    )
    return probe_silences(source)


PROBES: dict[str, Callable[[str], Probe]] = {
    "kubernetes": kubernetes,
    "prometheus": prometheus,
    "loki": loki,
    "silences": silences,
}
FAULTS: dict[str, tuple[Said | Failure, str]] = {
    "401": (Said(body=b"no", code=401), "401"),
    "403": (Said(body=b"no", code=403), "403"),
    "500": (Said(body=b"no", code=500), "500"),
    "other JSON": (Said(body=b'{"hello": 1, "data": "world"}'), ""),
    "a list": (Said(body=b'["hello"]'), ""),
    "login page": (Failure.WRONG_TYPE, "text/html"),
    "cut off": (Failure.CUT, ""),
    "slow": (Failure.HOLD, "timed out"),
    "drip": (Failure.DRIP, "still coming"),
}
BODY = Said(body=b'{"data": [], "gitVersion": "v1.34.1", "versionInfo": {"version": "0.28.1"}}')


def outcome(name: str, fault: str) -> Probe:
    """Return what the look says while its server fails."""
    said, _ = FAULTS[fault]
    answer = said if isinstance(said, Said) else BODY
    failure = said if isinstance(said, Failure) else Failure.NONE
    with RecordedServer(lambda _path, _query: answer, failure=failure, drip_s=0.1) as server:
        return PROBES[name](server.url)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", PROBES)
def test_a_server_that_fails_is_a_failure_with_a_remedy_and_shows_nothing(name: str, fault: str) -> None:
    probe = outcome(name, fault)
    assert probe.source == name
    if probe.problem is None:
        # The API server's version may be anything; that it then tells no rights does not pass for well.
        assert (name, fault) in {("kubernetes", "other JSON"), ("kubernetes", "a list")}
    else:
        assert FAULTS[fault][1] in probe.problem
        assert "\n" not in probe.problem
    rows = findings([probe], [], [])
    assert worst(rows) is State.FAIL
    (row,) = (each for each in rows if each.state is State.FAIL and each.part.startswith(name))
    assert row.blind
    assert row.remedy
    assert rows[0].part == "kernel log"
    assert rows[0].state is State.WARN


@pytest.mark.parametrize("name", PROBES)
def test_nothing_that_listens_is_told_as_that(name: str) -> None:
    with RecordedServer(lambda _path, _query: BODY) as server:
        url = server.url
    probe = PROBES[name](url)
    assert probe.problem is not None
    assert "check host and port" in probe.problem


def test_a_clock_that_is_off_is_seen_in_silences_as_in_every_source() -> None:
    with RecordedServer(
        lambda path, _query: Said(body=b"[]") if path.endswith("silences") else BODY
    ) as server:
        probe = silences(server.url)
    assert probe.version == "Alertmanager 0.28.1, 0 silences hold now"
    assert probe.skew_s is not None
