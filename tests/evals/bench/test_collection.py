"""What the benchmark of collection measures: all of the scope, nothing beyond it, few requests."""

from datetime import UTC, datetime

from firstfault.evals.bench.collection import MODULE, report
from firstfault.evals.bench.measure import in_process
from firstfault.evals.sim.fleet_api import Fleet, node_name
from firstfault.evals.sim.recorded_http import RecordedServer
from firstfault.tools.kube.door import ReadDoor
from firstfault.tools.kube.plan import Scope
from firstfault.tools.kube.settings import KubeSettings
from firstfault.tools.kube.source import ClusterSource
from firstfault.tools.sources import Question
from firstfault.tools.times import Window

NOW = datetime(2026, 11, 30, 6, tzinfo=UTC)
FLEET = Fleet.of_size(nodes=40, pods=400, events=2_000)


def test_a_scope_of_many_machines_is_whole_and_the_events_of_all_are_asked_for_once() -> None:
    nodes = tuple(node_name(number) for number in range(8))
    with RecordedServer(FLEET.answer) as server:
        source = ClusterSource(
            door=ReadDoor(KubeSettings(host=server.url, page_size=150)),
            scope=Scope(nodes=nodes, namespaces=("train-000",)),
            clock=lambda: NOW,
        )
        answer = source.read(Question(), Window(), None)
        asked = list(server.asked)
    text = "\n".join(document.text for document in answer.documents)
    assert answer.gaps == ()
    assert all(f'"name": "{name}"' in text for name in nodes)
    assert f'"name": "{node_name(9)}",\n      "namespace": "default"' not in text
    assert all(f'"name": "trainer-{number}"' in text for number in range(200))
    assert "fieldsV1" not in text
    assert "sizeBytes" not in text
    assert '"manager": "kubelet"' in text
    node_events = [query for _, query in asked if query.get("fieldSelector", "").startswith("involvedObject")]
    assert [query.get("continue") for query in node_events] == [None, "150", "300"]
    assert len([path for path, _ in asked if path == "/api/v1/namespaces/train-000/pods"]) == 2


def test_pods_of_a_machine_come_from_the_servers_cache_and_only_the_first_page_says_so() -> None:
    with RecordedServer(FLEET.answer) as server:
        source = ClusterSource(
            door=ReadDoor(KubeSettings(host=server.url, page_size=4)),
            scope=Scope(nodes=(node_name(1),)),
            clock=lambda: NOW,
        )
        source.read(Question(volatile_first=True), Window(), None)
        pages = [query for path, query in server.asked if path == "/api/v1/pods"]
    assert [page.get("resourceVersion") for page in pages] == ["0", None, None]
    assert all(page["fieldSelector"] == f"spec.nodeName={node_name(1)}" for page in pages)


def test_the_benchmark_says_what_it_took_beside_a_plain_download() -> None:
    with RecordedServer(FLEET.answer) as server:
        ours = in_process(MODULE, "node", server.url)
    assert ours.name.startswith("node: 1 machines")
    assert ours.peak_mb > 0
    assert "0 gaps" in ours.note
    assert "1.00 times" in report([ours, ours])
