"""Hundreds of machines in scope, and servers that cut long addresses: everything is asked for, and nothing but read."""

import json
from datetime import UTC, datetime, timedelta

import pytest
import requests

from firstfault.evals.sim.recorded_http import RecordedServer, Said
from firstfault.tools.evidence import CoverageState
from firstfault.tools.lengths import LONGEST_QUERY
from firstfault.tools.loki.client import Asker, connect
from firstfault.tools.loki.source import LokiSource
from firstfault.tools.prometheus.queries import NODE_LABELS, queries_for, queries_named, wanted_metrics
from firstfault.tools.prometheus.source import MAX_SERIES_IN_ALL, PrometheusSource
from firstfault.tools.prometheus.transport import (
    READS,
    RefusedMethodError,
    as_form,
    open_session,
    require_read,
)
from firstfault.tools.sources import Answer, Question
from firstfault.tools.times import Window

NOW = datetime(2026, 11, 30, 6, 0, tzinfo=UTC)
WINDOW = Window(start=NOW - timedelta(hours=1), end=NOW)
NODES = tuple(f"gpu-node-{number:05d}.dc1.example.com" for number in range(300))
SPACES = ("research", "train")
LONGEST_LINE = 8 * 1024


def matrix(path: str, query: dict[str, str]) -> Said:
    """Answer with one series for each machine that is asked for under the label that there is: `Hostname`."""
    assert path == "/api/v1/query_range"
    found = [node for node in NODES if node.replace(".", r"\\.").replace("-", r"\\-") in query["query"]]
    assert len(query["query"]) <= LONGEST_QUERY
    rows = [
        {"metric": {"__name__": "DCGM_FI_DEV_GPU_TEMP", "Hostname": node}, "values": [[1796018400, "44"]]}
        for node in found
        if "Hostname=" in query["query"]
    ]
    return Said(body=json.dumps({"status": "success", "data": {"result": rows}}).encode())


def prometheus(url: str, nodes: tuple[str, ...] = NODES) -> Answer:
    """Return what is read of a metrics server for hundreds of machines."""
    source = PrometheusSource(url, nodes=nodes, namespaces=SPACES, clock=lambda: NOW, timeout_s=5)
    return source.read(Question(), WINDOW, None)


def machines(answer: Answer) -> set[str]:
    """Return the machines of which something was read."""
    text = "".join(each.text for each in answer.documents)
    return {node for node in NODES if f'"{node}"' in text}


def refusals(answer: Answer) -> list[str]:
    """Return why something was not had, but for what a server has not."""
    return [gap.why for gap in answer.gaps if "no series" not in gap.why]


@pytest.mark.parametrize("forms", [None, 405, 403, 501])
def test_all_machines_are_asked_for_through_a_proxy_that_cuts_at_8_kib(forms: int | None) -> None:
    with RecordedServer(matrix, longest_line=LONGEST_LINE, forms=forms) as server:
        answer = prometheus(server.url)
        lines = list(server.lines)
    assert machines(answer) == set(NODES)
    assert refusals(answer) == []
    posts = sum(line.startswith("POST") for line in lines)
    assert posts == 1 if forms else posts > 1
    assert max(map(len, lines)) <= LONGEST_LINE


def test_one_machine_is_asked_for_through_such_a_proxy_as_well() -> None:
    with RecordedServer(matrix, longest_line=LONGEST_LINE) as server:
        answer = prometheus(server.url, NODES[:1])
    assert machines(answer) == {NODES[0]}
    assert refusals(answer) == []


def test_a_proxy_that_cuts_shorter_still_is_a_gap_that_names_it() -> None:
    with RecordedServer(matrix, longest_line=200, forms=405) as server:
        answer = prometheus(server.url)
    assert answer.documents == ()
    assert any("414" in why and "address" in why for why in refusals(answer))


def test_a_series_under_two_labels_is_there_once_also_when_parts_are_asked_one_by_one() -> None:
    both = {"__name__": "up", "Hostname": NODES[0], "node": NODES[0]}
    row = {"metric": both, "values": [[1796018400, "1"]]}
    said = Said(body=json.dumps({"status": "success", "data": {"result": [row]}}).encode())
    with RecordedServer(lambda _path, _query: said, forms=405) as server:
        source = PrometheusSource(server.url, nodes=NODES, namespaces=(), clock=lambda: NOW)
        answer = source.read(Question(contains="up"), WINDOW, None)
    assert [each.text.count('"__name__"') for each in answer.documents] == [1] * len(answer.documents)


def test_what_is_kept_of_a_reading_is_bounded_and_the_rest_is_told() -> None:
    rows = [{"metric": {"n": str(number)}} for number in range(2_000)]
    said = Said(body=json.dumps({"status": "success", "data": {"result": rows}}).encode())
    with RecordedServer(lambda _path, _query: said) as server:
        answer = prometheus(server.url)
        assert len(server.asked) == MAX_SERIES_IN_ALL // len(rows)
    assert any(entry.state is CoverageState.NOT_COLLECTED for entry in answer.coverage)
    assert any("series are kept of this scope already" in why for why in refusals(answer))


def test_every_part_can_be_asked_alone_and_all_together_ask_for_everything() -> None:
    queries = queries_for(NODES, SPACES, timedelta(hours=1))
    for name in wanted_metrics():
        quoted = name.replace("\\", "\\\\").replace('"', '\\"')
        texts = [part for query in queries for part in query.parts if quoted in part]
        for label in (*NODE_LABELS, "namespace"):
            assert any(f"{label}=~" in text for text in texts), (name, label)
    assert len({query.what for query in queries}) == len(queries)
    named = queries_named("up", NODES, SPACES, timedelta(hours=1))
    assert len({query.what for query in named}) == len(named) > 1


def loki(path: str, query: dict[str, str]) -> Said:
    """Answer like Loki with a line for each machine that is asked for under the label that there is: `node`."""
    assert path == "/loki/api/v1/query_range"
    selector = query["query"]
    found = [node for node in NODES if node.replace(".", r"\\.").replace("-", r"\\-") in selector]
    rows = [
        {"stream": {"job": "systemd-journal", "node": node}, "values": [[query["start"], "up"]]}
        for node in found
        if selector.startswith("{node=")
    ]
    return Said(body=json.dumps({"status": "success", "data": {"result": rows}}).encode())


def test_loki_is_asked_for_all_machines_in_addresses_that_pass() -> None:
    with RecordedServer(loki, longest_line=LONGEST_LINE) as server:
        asker = Asker(client=connect(server.url, {}))
        source = LokiSource(asker=asker, nodes=NODES, namespaces=SPACES, clock=lambda: NOW)
        answer = source.read(Question(), WINDOW, None)
    assert {each.labels["node"] for each in answer.documents} == set(NODES)
    assert answer.gaps == ()


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/admin/tsdb/delete_series",
        "/api/v1/admin/tsdb/snapshot",
        "/-/reload",
        "/api/v1/query/../admin/tsdb/clean_tombstones",
        "/api/v1/write",
        "/api/v2/silences",
        "/api/v1/query_exemplars",
        "/api/v1/labels",
    ],
)
def test_nothing_else_leaves(method: str, path: str) -> None:
    with (
        RecordedServer(lambda _path, _query: Said(body=b"{}")) as server,
        open_session(server.url, {}) as session,
        pytest.raises(RefusedMethodError),
    ):
        session.request(method, server.url + path, data={"match[]": "up"}, timeout=5)
    assert server.asked == []


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("path", READS)
def test_paths_that_read_are_only_asked(method: str, path: str) -> None:
    request = requests.Request(method, f"http://127.0.0.1{path}", data={"query": "up"}).prepare()
    with pytest.raises(RefusedMethodError):
        require_read(request)


def test_only_a_form_is_posted() -> None:
    request = requests.Request("POST", "http://127.0.0.1/api/v1/query", json={"query": "up"}).prepare()
    with pytest.raises(RefusedMethodError):
        require_read(request)


@pytest.mark.parametrize(
    "path", ["/api/v1/label/__name__/values", "/api/v1/rules", "/prefix/api/v2/silences"]
)
def test_what_may_not_be_posted_stays_an_address_however_long(path: str) -> None:
    request = requests.Request("GET", f"http://127.0.0.1{path}", params={"q": "x" * 9_000}).prepare()
    assert as_form(request) is request


@pytest.mark.parametrize("path", READS)
def test_a_form_asks_what_the_address_asked(path: str) -> None:
    with (
        RecordedServer(lambda _path, _query: Said(body=b"{}")) as server,
        open_session(server.url, {}) as session,
    ):
        asked = {"query": '{node=~"a|b ü+&=%"}' + "x" * 3_000, "step": "15"}
        session.get(f"{server.url}/prefix{path}", params=asked, timeout=5)
    assert server.asked == [(f"/prefix{path}", asked)]
    assert server.lines == [f"POST /prefix{path} HTTP/1.1"]
