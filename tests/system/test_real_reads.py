"""Our clients against the installed Prometheus and Alertmanager: silences, alerts, rules, status, and questions as forms."""

import json
import subprocess
import threading
from collections.abc import Generator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from firstfault.evals.sim.recorded_http import RecordedServer, Said
from firstfault.tools.bodies import MemoryBody
from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.kinds import Kind
from firstfault.tools.probes import Probe
from firstfault.tools.prometheus.probe import probe_prometheus
from firstfault.tools.prometheus.silences import SilenceSource
from firstfault.tools.prometheus.silences_probe import probe_silences
from firstfault.tools.prometheus.source import PrometheusSource
from firstfault.tools.prometheus.transport import open_session
from firstfault.tools.readers import read
from firstfault.tools.sources import Question
from firstfault.tools.times import Window
from tests.slackworld.world import wall_clock
from tests.system.exporter import BROKEN, NODES, Exporter
from tests.system.programs import serving
from tests.system.test_alert_to_report import alertmanager_command, prometheus_command
from tests.system.test_servers import FORMATS, _shape  # pyright: ignore[reportPrivateUsage]  # the same comparison

pytestmark = [pytest.mark.system, pytest.mark.timeout(120)]
SPAN = timedelta(hours=2)
MACHINES = tuple(f"gpu-{number:05d}" for number in range(300))


def now() -> datetime:
    return datetime.fromtimestamp(wall_clock(), UTC)


def get(url: str) -> Any:  # noqa: ANN401 - JSON
    return httpx.get(url, timeout=10, trust_env=False).json()


@pytest.fixture
def alertmanager(tmp_path: Path) -> Generator[str]:
    command = alertmanager_command(tmp_path, "http://127.0.0.1:1")
    with serving(command, ready="Listening on") as address:
        yield address


def amtool(address: str, *arguments: str) -> str:
    """Run amtool as people do; return what it printed."""
    command = ["amtool", f"--alertmanager.url={address}", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=30).stdout.strip()


def silence(address: str, starts: datetime, ends: datetime, comment: str) -> str:
    """Make a silence by the API; return its id."""
    matchers = [
        {"name": "node", "value": "gpu-00003", "isRegex": False, "isEqual": True},
        {"name": "job", "value": "lab.*", "isRegex": True, "isEqual": False},
    ]
    body = {
        "matchers": matchers,
        "startsAt": starts.isoformat(),
        "endsAt": ends.isoformat(),
        "createdBy": "api",
        "comment": comment,
    }
    answer = httpx.post(f"{address}/api/v2/silences", json=body, timeout=10, trust_env=False)
    return str(answer.raise_for_status().json()["silenceID"])


def test_silences_that_people_made_are_read_as_they_are(alertmanager: str) -> None:
    add = ("silence", "add", "--author=mara", "--duration=2h")
    amtool(alertmanager, *add, "--comment=firmware of leaf7", "alertname=LinkDown", 'switch=~"leaf[78]"')
    amtool(alertmanager, *add, '--comment=all but "the lab"', 'cluster!="lab"', 'severity!~"info|none"')
    over = amtool(alertmanager, *add, "--comment=ended early", "node=gpu-00001")
    amtool(alertmanager, "silence", "expire", over)
    began = now()
    silence(alertmanager, began + SPAN, began + 2 * SPAN, "only later")
    silence(alertmanager, began, began + SPAN, "by the API")
    source = SilenceSource(url=alertmanager, clock=now)
    answer = source.read(Question(), Window(start=now() - timedelta(seconds=30), end=now()), None)
    (document,) = answer.documents
    said = {
        line.partition("silenced ")[2].partition(" until")[0]: line.rpartition(": ")[2]
        for line in document.lines
    }
    assert said == {
        'alertname="LinkDown", switch=~"leaf[78]"': "firmware of leaf7",
        'cluster!="lab", severity!~"info|none"': 'all but "the lab"',
        'node="gpu-00001"': "ended early",
        'node="gpu-00003", job!~"lab.*"': "by the API",
    }
    assert sum(" @mara " in line for line in document.lines) == 3
    assert all(datetime.fromisoformat(line.split()[0]).tzinfo for line in document.lines)
    probe = probe_silences(source)
    assert probe.problem is None
    assert (
        probe.version
        == f"Alertmanager {get(f'{alertmanager}/api/v2/status')['versionInfo']['version']}, 3 silences hold now"
    )
    assert abs(probe.skew_s or 0.0) < 5


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    """Give a Prometheus with an hour of history, whose alert fires and was sent to Alertmanager."""
    sent, folder = threading.Event(), tmp_path_factory.mktemp("prometheus")

    def receive(path: str, query: dict[str, str]) -> Said:
        del query
        if path.endswith("/alerts"):
            sent.set()
        return Said(body=b"{}")

    with RecordedServer(receive) as receiver, Exporter() as exporter:
        exporter.broken.set()
        command = prometheus_command(folder, exporter.address)
        target = receiver.url.removeprefix("http://")
        (folder / "alertmanagers.json").write_text(json.dumps([{"targets": [target]}]))
        with serving(command, ready="Server is ready to receive web requests.") as address:
            assert sent.wait(60)
            yield address


def test_a_real_server_tells_what_the_captures_tell_and_what_doctor_asks(prometheus: str) -> None:
    for path in ("alerts", "rules", "status/buildinfo"):
        kept = json.loads((FORMATS / f"{path.rpartition('/')[2]}.json").read_text())
        real = get(f"{prometheus}/api/v1/{path}")
        assert kept["status"] == real["status"] == "success"
        assert shape_of_first(kept) == shape_of_first(real), path
    flags = get(f"{prometheus}/api/v1/status/flags")["data"]
    assert {"storage.tsdb.retention.time", "storage.tsdb.retention.size"} <= flags.keys()
    probe: Probe = probe_prometheus(prometheus, {}, now)
    assert probe.problem is None
    assert probe.retention == "15d (the default)"
    assert Kind.NVIDIA_SMI in probe.kinds
    assert {"node-exporter", "kube-state-metrics"} <= {note.said.split()[3] for note in probe.notes}


def shape_of_first(answer: Any) -> Any:  # noqa: ANN401 - JSON
    """Return the shape of an answer with lists as their first entry, free maps and optional parts left out."""
    if isinstance(answer, dict):
        return {
            name: shape_of_first(each)
            for name, each in cast("dict[str, Any]", answer).items()
            if name not in {"labels", "annotations", "lastError", "keepFiringSince", "keep_firing_for"}
        }
    if isinstance(answer, list):
        return [shape_of_first(each) for each in cast("list[Any]", answer)[:1]]
    return _shape(answer)


def test_alerts_of_a_real_server_are_read(prometheus: str) -> None:
    answer = httpx.get(f"{prometheus}/api/v1/alerts", timeout=10, trust_env=False)
    document = Document(
        path="alerts.json",
        kind=Kind.PROMETHEUS_RESPONSE,
        body=MemoryBody(answer.content),
        source="prometheus",
        query="alerts",
    )
    reading = read(document, ReadContext(opened_at=now(), zone="UTC"))
    assert any("GpuXid" in repr(fact) for fact in reading.facts)


def test_hundreds_of_machines_are_asked_for_in_a_form(prometheus: str) -> None:
    source = PrometheusSource(prometheus, nodes=MACHINES, namespaces=("research",), clock=now)
    answer = source.read(Question(), Window(start=now() - timedelta(minutes=50), end=now()), None)
    assert [gap.why for gap in answer.gaps if "no series" not in gap.why] == []
    text = "".join(document.text for document in answer.documents)
    assert all(f'"gpu-{number:05d}"' in text for number in range(NODES))
    assert "DCGM_FI_DEV_GPU_TEMP" in text
    named = source.read(Question(contains="DCGM_FI_DEV_XID_ERRORS"), Window(end=now()), None)
    assert any(BROKEN[0] in document.text for document in named.documents)


@pytest.mark.parametrize("path", ["query", "query_range", "series"])
def test_every_path_that_may_be_posted_to_answers_alike(prometheus: str, path: str) -> None:
    at = int(wall_clock())
    short = {
        "query": {"query": 'up{job="dcgm"}', "time": str(at)},
        "query_range": {"query": 'up{job="dcgm"}', "start": str(at - 60), "end": str(at), "step": "15"},
        "series": {"match[]": 'up{job="dcgm"}', "start": str(at - 60), "end": str(at)},
    }[path]
    asked = "match[]" if path == "series" else "query"
    long = {
        **short,
        asked: short[asked].replace('"dcgm"', '~"dcgm' + "|none" * 800 + '"'),
    }
    with open_session(prometheus, {}) as session:
        url = f"{prometheus}/api/v1/{path}"
        by_address = session.get(url, params=short, timeout=10)
        by_form = session.get(url, params=long, timeout=10)
    assert by_address.request.method == "GET"
    assert by_form.request.method == "POST"
    assert by_form.json() == by_address.json()
    assert by_form.json()["status"] == "success"
