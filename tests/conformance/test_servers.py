"""Loki and Prometheus as sources, against what real servers answered, and against every way they fail."""

from collections.abc import Callable, Generator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from firstfault.evals.sim.recorded_http import Answer, Failure, RecordedServer, Said
from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.evidence import CoverageState
from firstfault.tools.kinds import Kind
from firstfault.tools.loki.client import Asker
from firstfault.tools.loki.source import PAGE, LokiSource
from firstfault.tools.prometheus.source import PrometheusSource
from firstfault.tools.sources import Question, Source
from firstfault.tools.times import Window
from tests.conformance.source_laws import SourceLaws, Subject
from tests.live import loki_of

FORMATS = Path(__file__).parents[1] / "formats"
NOW = datetime(2026, 11, 30, 6, 30, tzinfo=UTC)
WINDOW = Window(start=datetime(2026, 11, 30, 5, 0, tzinfo=UTC), end=NOW)


def recorded(name: str) -> bytes:
    """Return a recorded body."""
    return (FORMATS / name).read_bytes()


def loki(path: str, query: dict[str, str]) -> Said:
    """Answer like Loki 3: streams for a namespace, nothing for labels it does not know."""
    del path
    if query["query"].startswith("{namespace") and "gone" not in query["query"]:
        return Said(body=recorded("loki_3/range_streams_one_pod.json"))
    return Said(body=b'{"status":"success","data":{"resultType":"streams","result":[],"stats":{}}}')


def prometheus(path: str, query: dict[str, str]) -> Said:
    """Answer like Prometheus 2.42."""
    del path, query
    return Said(body=recorded("prometheus_2.42/range_matrix.json"))


def loki_source(url: str) -> Source:
    """Return a Loki source for one namespace and node."""
    client = httpx.Client(base_url=url, timeout=2.0, trust_env=False)
    return LokiSource(
        asker=Asker(client=client), nodes=("gpu-00029",), namespaces=("train-5",), clock=lambda: NOW
    )


def prometheus_source(url: str) -> Source:
    """Return a Prometheus source for one node."""
    return PrometheusSource(url, nodes=("gpu-node-003",), namespaces=(), clock=lambda: NOW, timeout_s=2.0)


class TestLoki(SourceLaws):
    @pytest.fixture
    def subject(self) -> Generator[Subject]:
        with RecordedServer(loki) as server, RecordedServer(_refusing(403)) as closed:
            yield Subject(
                source=loki_source(server.url), held=(Kind.CONTAINER_LOG,), failing=(loki_source(closed.url),)
            )


class TestPrometheus(SourceLaws):
    @pytest.fixture
    def subject(self) -> Generator[Subject]:
        with RecordedServer(prometheus) as server, RecordedServer(_refusing(401)) as closed:
            yield Subject(
                source=prometheus_source(server.url),
                held=(Kind.PROMETHEUS_RESPONSE,),
                failing=(prometheus_source(closed.url),),
            )


def _refusing(code: int, body: bytes = b"no org id\n") -> Answer:
    def answer(path: str, query: dict[str, str]) -> Said:
        del path, query
        return Said(body=body, code=code, content_type="text/plain")

    return answer


SOURCES: dict[str, tuple[Callable[[str], Source], Answer]] = {
    "loki": (loki_source, loki),
    "prometheus": (prometheus_source, prometheus),
}
REFUSALS = {401: "denied", 403: "denied", 429: "unavailable", 500: "unavailable"}


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("code", REFUSALS)
def test_every_refusal_is_a_gap_with_its_reason(name: str, code: int) -> None:
    make, _ = SOURCES[name]
    with RecordedServer(_refusing(code)) as server:
        answer = make(server.url).read(Question(), WINDOW, None)
    assert answer.documents == ()
    assert {entry.state.value for entry in answer.coverage} == {REFUSALS[code]}
    assert all(str(code) in gap.why and "\n" not in gap.why for gap in answer.gaps)


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("failure", [Failure.DROP, Failure.CUT, Failure.WRONG_TYPE])
def test_every_broken_answer_is_a_gap_and_never_health(name: str, failure: Failure) -> None:
    make, answering = SOURCES[name]
    with RecordedServer(answering, failure=failure) as server:
        answer = make(server.url).read(Question(), WINDOW, None)
    assert answer.documents == ()
    assert answer.gaps
    assert {entry.state for entry in answer.coverage} == {CoverageState.UNAVAILABLE}


@pytest.mark.parametrize("name", SOURCES)
def test_a_server_that_is_not_there_is_a_gap(name: str) -> None:
    make, answering = SOURCES[name]
    with RecordedServer(answering) as server:
        url = server.url
    answer = make(url).read(Question(), WINDOW, None)
    assert answer.documents == ()
    assert answer.gaps


def test_an_empty_answer_of_loki_is_no_data_or_no_access() -> None:
    with RecordedServer(loki) as server:
        client = httpx.Client(base_url=server.url, trust_env=False)
        source = LokiSource(asker=Asker(client=client), nodes=(), namespaces=("gone",), clock=lambda: NOW)
        answer = source.read(Question(), WINDOW, None)
    assert answer.documents == ()
    assert "no data or no access" in answer.gaps[0].why


def test_names_cannot_leave_their_quotes() -> None:
    with RecordedServer(loki) as server:
        client = httpx.Client(base_url=server.url, trust_env=False)
        source = LokiSource(
            asker=Asker(client=client), nodes=(), namespaces=('x"} |= "y\\',), clock=lambda: NOW
        )
        source.read(Question(contains='"} or {a="b'), WINDOW, None)
    (query,) = {asked["query"] for _, asked in server.asked}
    assert query.startswith('{namespace=~"x\\"')


def test_a_full_page_is_followed_by_the_next() -> None:
    def paged(path: str, query: dict[str, str]) -> Said:
        del path
        start, end = int(query["start"]), int(query["end"])
        lines = [f'["{at}","line"]' for at in range(start, min(end, start + PAGE * 10**6), 10**6)][:PAGE]
        text = f'{{"data":{{"result":[{{"stream":{{"namespace":"n","pod":"p"}},"values":[{",".join(lines)}]}}]}}}}'
        return Said(body=text.encode())

    window = Window(start=NOW.replace(minute=0), end=NOW.replace(minute=0, second=12))
    with RecordedServer(paged) as server:
        client = httpx.Client(base_url=server.url, trust_env=False)
        source = LokiSource(asker=Asker(client=client), nodes=(), namespaces=("n",), clock=lambda: NOW)
        (document,) = source.read(Question(), window, None).documents
    assert len(document.lines) == 12_000
    assert len(set(document.lines)) == 12_000
    assert list(document.lines) == sorted(document.lines)


def test_prometheus_is_asked_for_both_spellings_of_the_host_label() -> None:
    with RecordedServer(prometheus) as server:
        prometheus_source(server.url).read(Question(), WINDOW, None)
    asked = "".join(query["query"] for _, query in server.asked)
    assert 'Hostname=~"gpu\\\\-node\\\\-003"' in asked
    assert 'hostname=~"gpu\\\\-node\\\\-003"' in asked


OTHER = EntityRef(kind=EntityKind.NODE, name="gpu-node-099")


def test_one_metric_can_be_asked_for_by_its_name_on_the_machines_asked_about() -> None:
    with RecordedServer(prometheus) as server:
        source = prometheus_source(server.url)
        metric = "node_hwmon_temp_celsius"
        source.read(
            Question(kinds=(Kind.PROMETHEUS_RESPONSE,), entities=(OTHER,), contains=metric), WINDOW, None
        )
        (query,) = {asked["query"] for _, asked in server.asked}
    assert f'__name__="{metric}"' in query
    assert "gpu-node-099" in query.replace("\\", "")
    assert "gpu-node-003" not in query.replace("\\", "")


def test_a_question_about_other_machines_is_not_answered_for_the_scope() -> None:
    with RecordedServer(loki) as server:
        client = httpx.Client(base_url=server.url, trust_env=False)
        source = LokiSource(
            asker=Asker(client=client), nodes=("gpu-00029",), namespaces=("train-5",), clock=lambda: NOW
        )
        source.read(Question(entities=(OTHER,), contains="Xid"), WINDOW, None)
        queries = [asked["query"].replace("\\", "") for _, asked in server.asked]
    assert queries
    assert all("gpu-node-099" in query and "|= " in query for query in queries)
    assert not any("gpu-00029" in query or "train-5" in query for query in queries)


def test_rules_over_families_of_metrics_are_asked_for_as_expressions() -> None:
    with RecordedServer(prometheus) as server:
        prometheus_source(server.url).read(Question(), WINDOW, None)
    asked = "".join(query["query"] for _, query in server.asked)
    assert ".*(?:np_cnp_sent|" in asked
    assert "\\\\(" not in asked


def test_streams_that_differ_in_a_label_that_no_path_shows_are_documents_of_their_own() -> None:
    streams = [
        {
            "stream": {"node": "n", "job": "j", "transport": "kernel", "level": level},
            "values": [["1796018278000000000", level]],
        }
        for level in ("error", "info")
    ]
    streams += [
        {"stream": {"node": "n", "job": "j", "transport": "driver"}, "values": [["1796018278000000000", "d"]]}
    ]
    with RecordedServer(loki_of([{"streams": streams}])) as server:
        client = httpx.Client(base_url=server.url, trust_env=False)
        source = LokiSource(asker=Asker(client=client), nodes=("n",), namespaces=(), clock=lambda: NOW)
        answer = source.read(Question(), WINDOW, None)
    assert {each.path: each.kind for each in answer.documents} == {
        "loki/n/j-driver.log": Kind.JOURNAL,
        "loki/n/j-kernel.log": Kind.KERNEL_LOG,
        "loki/n/j-kernel~2.log": Kind.KERNEL_LOG,
    }
    assert {entry.path for entry in answer.coverage} == {each.path for each in answer.documents}


@pytest.mark.parametrize("seconds", [3600.0, 3661.7, 18_000.25, 59.0, 7.0])
def test_the_newest_sample_is_asked_for_and_nothing_later(seconds: float) -> None:
    end = NOW + timedelta(seconds=10.7)
    window = Window(start=end - timedelta(seconds=seconds), end=end)
    with RecordedServer(prometheus) as server:
        source = PrometheusSource(server.url, nodes=("n",), namespaces=(), clock=lambda: end)
        source.read(Question(contains="up"), window, None)
        ((_, query),) = server.asked
    first, last, step = (int(query[name]) for name in ("start", "end", "step"))
    assert last == int(end.timestamp())
    assert (last - first) % step == 0
    assert first - window.start.timestamp() + 1 >= 0 if window.start else False
