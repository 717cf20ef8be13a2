"""Every live source, failing in every way: each is a gap with a useful sentence and a report, and nothing is ever healthy.

The table is printed: source, fault, how the reading is covered, and the sentence that the report shows.
"""

import json
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from firstfault.agent.findings import Incident
from firstfault.agent.report.contract import Report
from firstfault.agent.settings import Settings
from firstfault.cli.workbench import Workbench, open_workbench
from firstfault.evals.sim.fleet_api import Fleet, node_name
from firstfault.evals.sim.recorded_http import Answer, Failure, RecordedServer, Said
from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import CoverageState
from firstfault.tools.kinds import Kind
from firstfault.tools.kube.door import ReadDoor
from firstfault.tools.kube.plan import Scope
from firstfault.tools.kube.settings import KubeSettings
from firstfault.tools.kube.source import ClusterSource
from firstfault.tools.loki.client import Asker
from firstfault.tools.loki.source import PAGE, LokiSource
from firstfault.tools.patience import Patience
from firstfault.tools.prometheus.silences import SilenceSource
from firstfault.tools.prometheus.source import PrometheusSource
from firstfault.tools.readers import read
from firstfault.tools.sources import Answer as Told
from firstfault.tools.sources import Question, Source
from firstfault.tools.times import Window
from tests.conformance.source_laws import SourceLaws, Subject

NOW = datetime(2026, 11, 30, 6, 0, tzinfo=UTC)
START = NOW - timedelta(hours=1)
NODE, SPACE = node_name(3), "train-000"
SILENCE_S, ANSWER_S = 0.25, 0.6
FLEET = Fleet.of_size(nodes=8, pods=16, events=80)
FORMATS = Path(__file__).parents[1] / "formats"
Waits = list[float]


def kubernetes(url: str, waits: Waits) -> Source:
    """Return the cluster as a source for one machine and one namespace."""
    settings = KubeSettings(host=url, read_s=SILENCE_S, connect_s=SILENCE_S, answer_s=ANSWER_S, page_size=5)
    door = ReadDoor(settings, Patience(wait=waits.append))
    return ClusterSource(door=door, scope=Scope(nodes=(NODE,), namespaces=(SPACE,)), clock=lambda: NOW)


def prometheus(url: str, waits: Waits) -> Source:
    """Return the metrics server as a source for the same."""
    return PrometheusSource(
        url,
        nodes=(NODE,),
        namespaces=(SPACE,),
        clock=lambda: NOW,
        timeout_s=SILENCE_S,
        answer_s=ANSWER_S,
        patience=Patience(wait=waits.append),
    )


def loki(url: str, waits: Waits) -> Source:
    """Return the log store as a source for the same."""
    client = httpx.Client(base_url=url, timeout=SILENCE_S, trust_env=False)
    asker = Asker(client=client, answer_s=ANSWER_S, patience=Patience(wait=waits.append))
    return LokiSource(asker=asker, nodes=(NODE,), namespaces=(SPACE,), clock=lambda: NOW)


def silences(url: str, waits: Waits) -> Source:
    """Return the silences of Alertmanager."""
    return SilenceSource(
        url=url,
        clock=lambda: NOW,
        timeout_s=SILENCE_S,
        answer_s=ANSWER_S,
        patience=Patience(wait=waits.append),
    )


def one_silence(path: str, query: dict[str, str]) -> Said:
    """Answer like Alertmanager: the link of one switch is muted."""
    del path, query
    matcher = {"name": "switch", "value": "leaf.*", "isRegex": True, "isEqual": True}
    row = {
        "id": "5b1f0c9e",
        "status": {"state": "active"},
        "createdBy": "mara",
        "comment": "firmware upgrade of leaf7",
        "startsAt": "2026-11-30T05:30:00.000Z",
        "endsAt": "2026-11-30T09:30:00.000Z",
        "updatedAt": "2026-11-30T05:30:00.000Z",
        "matchers": [matcher],
    }
    over = {**row, "startsAt": "2026-11-29T01:00:00.000Z", "endsAt": "2026-11-29T02:00:00.000Z"}
    return Said(body=json.dumps([row, over]).encode())


def streams(path: str, query: dict[str, str]) -> Said:
    """Answer like Loki."""
    del path, query
    return Said(body=(FORMATS / "loki_3" / "range_streams_one_pod.json").read_bytes())


def matrix(path: str, query: dict[str, str]) -> Said:
    """Answer like Prometheus."""
    del path, query
    return Said(body=(FORMATS / "prometheus_2.42" / "range_matrix.json").read_bytes())


def second_page_fails(path: str, query: dict[str, str]) -> Said:
    """Answer like the API server, but for every second page."""
    return Said(body=b"etcd is slow", code=500) if "continue" in query else FLEET.answer(path, query)


def second_query_fails(path: str, query: dict[str, str]) -> Said:
    """Answer like Loki with a full page, but for what comes after it."""
    del path
    start = int(query["start"])
    if start > int(START.timestamp()) * 10**9:
        return Said(body=b"too many outstanding requests", code=500, content_type="text/plain")
    lines = ",".join(f'["{start + each}","line {each}"]' for each in range(PAGE))
    stream = f'{{"stream":{{"namespace":"{SPACE}","pod":"p"}},"values":[{lines}]}}'
    return Said(body=f'{{"status":"success","data":{{"result":[{stream}]}}}}'.encode())


def half_of_the_storage(path: str, query: dict[str, str]) -> Said:
    """Answer like a metrics server of which a part is away."""
    said = matrix(path, query).body.rstrip().removesuffix(b"}")
    return Said(body=said + b',"warnings":["store-2 did not answer"],"isPartial":true}')


@dataclass(frozen=True, kw_only=True)
class Heard:
    """A source that says again what one said: a report of it needs no second wait."""

    name: str
    answer: Told

    def read(self, question: Question, window: Window, as_of: datetime | None) -> Told:
        """Return the answer."""
        del question, window, as_of
        return self.answer


@dataclass(frozen=True, kw_only=True)
class Under:
    """A source under test, what answers it, and how only a part comes."""

    make: Callable[[str, Waits], Source]
    answer: Answer
    partial: Answer


SOURCES = {
    "kubernetes": Under(make=kubernetes, answer=FLEET.answer, partial=second_page_fails),
    "prometheus": Under(make=prometheus, answer=matrix, partial=half_of_the_storage),
    "silences": Under(make=silences, answer=one_silence, partial=one_silence),
    "loki": Under(make=loki, answer=streams, partial=second_query_fails),
}


def refusing(code: int, headers: Mapping[str, str] | None = None) -> Answer:
    """Return what refuses everything."""
    return lambda _path, _query: Said(
        body=b"not now\n", code=code, content_type="text/plain", headers=headers or {}
    )


@dataclass(frozen=True, kw_only=True)
class Fault:
    """How a source fails, and words that its gap must say, in any of them."""

    name: str
    says: tuple[str, ...]
    state: CoverageState = CoverageState.UNAVAILABLE
    code: int | None = None
    failure: Failure = Failure.NONE
    is_partial: bool = False


FAULTS = (
    Fault(name="refused", says=("refused", "check host and port")),
    Fault(name="timeout", says=("timed out",), failure=Failure.HOLD),
    Fault(name="401", says=("401", "renew the token"), code=401, state=CoverageState.DENIED),
    Fault(name="403", says=("403", "firstfault doctor"), code=403, state=CoverageState.DENIED),
    Fault(name="429", says=("429", "busy"), code=429),
    Fault(name="500", says=("500", "its own log"), code=500),
    Fault(name="truncated body", says=("cut off",), failure=Failure.CUT),
    Fault(name="wrong content type", says=("text/html", "proxy"), failure=Failure.WRONG_TYPE),
    Fault(name="slow drip", says=("still coming after",), failure=Failure.DRIP),
    Fault(name="TLS error", says=("SSL",)),
    Fault(name="partial page", says=("",), state=CoverageState.PARTIAL, is_partial=True),
)


@contextmanager
def failing(under: Under, fault: Fault, waits: Waits) -> Generator[Source]:
    """Give the source with its server failing."""
    answer = under.partial if fault.is_partial else under.answer
    if fault.code is not None:
        answer = refusing(fault.code, {"Retry-After": "1"} if fault.name == "429" else None)
    with RecordedServer(answer, failure=fault.failure, drip_s=0.05) as server:
        url = server.url.replace("http://", "https://") if fault.name == "TLS error" else server.url
        if fault.name != "refused":
            yield under.make(url, waits)
            return
    yield under.make(url, waits)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Generator[Workbench]:
    """Give a workbench for all reports."""
    with open_workbench(Settings(), tmp_path_factory.mktemp("state"), NOW) as opened:
        yield opened


@pytest.mark.parametrize("name", SOURCES)
def test_every_fault_is_a_gap_and_a_report_and_never_health(
    name: str, bench: Workbench, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [row_of(name, fault, bench) for fault in FAULTS]
    with capsys.disabled():
        print("\n" + "\n".join(rows))  # noqa: T201 - the point


def report_of(bench: Workbench, source: Source, label: str) -> Report:
    """Return the report of an incident that knows nothing but what this source says."""
    opened = Incident(
        id=f"inc-{label}",
        question="Is something wrong?",
        correlation_id=label,
        opened_at=NOW,
        window_start=START,
    )
    incident = bench.store.incidents.open(opened, NOW)
    return bench.investigate(incident, (source,), ReadContext(opened_at=NOW, zone="UTC"), now=NOW)


def row_of(name: str, fault: Fault, bench: Workbench) -> str:
    """Check one cell of the table; return its row."""
    waits: Waits = []
    with failing(SOURCES[name], fault, waits) as source:
        answer = source.read(Question(), Window(start=START, end=NOW), None)
    report = report_of(bench, Heard(name=name, answer=answer), f"{name}-{fault.name}")
    states = {entry.state for entry in answer.coverage}
    said = [gap.why for gap in answer.gaps]
    assert said, (name, fault.name)
    assert all(why.strip() and "\n" not in why for why in said)
    assert any(all(word in why for word in fault.says) for why in said), (name, fault.name, said)
    assert fault.state in states, (name, fault.name, states)
    assert fault.is_partial or not answer.documents
    assert fault.is_partial or CoverageState.COMPLETE not in states
    assert all(not document.complete for document in answer.documents if document.note)
    assert bool(waits) == (fault.name == "429")
    assert report.verdict == "INCONCLUSIVE", (name, fault.name, report.verdict)
    assert not report.diagnosis.failure_class.startswith("none.")
    shown = next(gap.why for gap in report.gaps if gap.source.startswith(name))
    return f"  {name:<11} {fault.name:<19} {'/'.join(sorted(states)):<22} {shown[:150]}"


def test_a_silence_is_a_note_with_its_author_and_a_gap() -> None:
    with RecordedServer(one_silence) as server:
        answer = silences(server.url, []).read(Question(), Window(start=START, end=NOW), None)
    (document,) = answer.documents
    (note,) = read(document, ReadContext(opened_at=NOW, zone="UTC")).notes
    assert note.author == "mara"
    assert note.text.startswith('silenced switch=~"leaf.*" until 2026-11-30T09:30')
    assert "1 silences held" in answer.gaps[0].why


class TestSilences(SourceLaws):
    @pytest.fixture
    def subject(self) -> Generator[Subject]:
        with RecordedServer(one_silence) as server, RecordedServer(refusing(403)) as closed:
            yield Subject(
                source=silences(server.url, []),
                held=(Kind.OPERATOR_NOTES,),
                context=ReadContext(opened_at=NOW, zone="UTC"),
                failing=(silences(closed.url, []),),
            )
