"""The API server on loopback answers the official client as a real 1.36 did (`tests/formats/contract`)."""

import json
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any, Protocol

import pytest
from kubernetes import client
from kubernetes import watch as kubernetes_watch
from kubernetes.client.exceptions import ApiException as KubernetesApiError

from firstfault.evals.sim.kube_api import ADMIN_TOKEN, KubeApi
from firstfault.evals.sim.kube_kinds import BUILT_IN
from firstfault.evals.sim.kube_logs import LogLine

ANSWERS = Path(__file__).parents[1] / "formats" / "contract" / "k8s_1.36_answers.json"
SPACE = "probe"
WAIT: dict[str, Any] = {"_request_timeout": (5, 10)}
# The official client leaves most of its types open.
API: Any = client
WATCH: Any = kubernetes_watch.Watch
ApiException: Any = KubernetesApiError
KINDS = {kind.kind: kind for kind in BUILT_IN}


def pod(number: int) -> dict[str, Any]:
    return {
        "metadata": {
            "name": f"p{number}",
            "namespace": SPACE,
            "labels": {"job": "llm" if number % 2 else "ft"},
        },
        "spec": {"nodeName": f"pn{number % 5}", "containers": [{"name": "trainer", "image": "x/y:1"}]},
        "status": {"phase": "Running"},
    }


def node(number: int) -> dict[str, Any]:
    return {
        "metadata": {
            "name": f"pn{number}",
            "labels": {"rack": f"r{number % 3}", "switch": f"leaf{number % 2}"},
        },
        "spec": {"taints": [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}]},
        "status": {"conditions": [{"type": "Ready", "status": "True"}]},
    }


def event(number: int) -> dict[str, Any]:
    return {
        "metadata": {"name": f"pn{number}.ev", "namespace": "default"},
        "involvedObject": {"kind": "Node", "name": f"pn{number}"},
        "reason": "XIDError" if number == 2 else "NodeNotReady",
        "type": "Warning",
        "message": "GPU 5 XID 79",
    }


@pytest.fixture
def api() -> Generator[KubeApi]:
    with KubeApi() as served:
        served.store.load(KINDS["Node"], [node(number) for number in range(5)])
        served.store.load(KINDS["Pod"], [pod(number) for number in range(12)])
        served.store.load(KINDS["Event"], [event(number) for number in range(4)])
        budget = {
            "metadata": {"name": "llm", "namespace": SPACE},
            "spec": {"minAvailable": 6, "selector": {"matchLabels": {"job": "llm"}}},
            "status": {"disruptionsAllowed": 0},
        }
        served.store.load(KINDS["PodDisruptionBudget"], [budget])
        lines = [LogLine(at=f"2026-11-30T06:02:{n:02d}Z", text=f"[rank] step {n}") for n in range(20)]
        served.logs[(SPACE, "p1", "trainer", False)] = lines
        yield served


class Named(Protocol):
    """An object of the client."""

    metadata: Any


class Listing(Protocol):
    """A list of the client."""

    items: list[Named]


class Clients:
    """The official client's APIs over one connection."""

    def __init__(self, url: str, token: str) -> None:
        settings = API.Configuration()
        settings.host = url
        settings.api_key = {"authorization": f"Bearer {token}"}
        api = API.ApiClient(settings)
        self.core: Any = API.CoreV1Api(api)
        self.policy: Any = API.PolicyV1Api(api)
        self.events: Any = API.EventsV1Api(api)
        self.custom: Any = API.CustomObjectsApi(api)
        self.version: Any = API.VersionApi(api)


@pytest.fixture
def clients(api: KubeApi) -> Clients:
    return Clients(api.url, ADMIN_TOKEN)


def names(answer: Listing) -> tuple[int, list[str]]:
    return (len(answer.items), [each.metadata.name for each in answer.items][:6])


def eviction(name: str) -> dict[str, Any]:
    return {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": SPACE}}


CALLS: dict[str, Callable[[Clients], Any]] = {
    "version": lambda c: c.version.get_code(**WAIT).git_version,
    "list_node label rack=r1": lambda c: names(c.core.list_node(label_selector="rack=r1", **WAIT)),
    "list_node label 'rack in (r1,r2),switch!=leaf0'": lambda c: names(
        c.core.list_node(label_selector="rack in (r1,r2),switch!=leaf0", **WAIT)
    ),
    "list_node label exists '!nosuch,rack'": lambda c: names(
        c.core.list_node(label_selector="!nosuch,rack", **WAIT)
    ),
    "list pods field spec.nodeName=pn1": lambda c: names(
        c.core.list_pod_for_all_namespaces(field_selector="spec.nodeName=pn1", **WAIT)
    ),
    "list pods field unsupported (400)": lambda c: c.core.list_namespaced_pod(
        SPACE, field_selector="spec.bogus=1", **WAIT
    ),
    "list pods bad label selector (400)": lambda c: c.core.list_namespaced_pod(
        SPACE, label_selector="a in (", **WAIT
    ),
    "events involvedObject.name=pn2": lambda c: names(
        c.core.list_event_for_all_namespaces(
            field_selector="involvedObject.kind=Node,involvedObject.name=pn2", **WAIT
        )
    ),
    "events reason=XIDError": lambda c: names(
        c.core.list_namespaced_event("default", field_selector="reason=XIDError,type=Warning", **WAIT)
    ),
    "bad continue token (400)": lambda c: c.core.list_namespaced_pod(
        SPACE, limit=5, _continue="garbage", **WAIT
    ),
    "read missing node (404)": lambda c: c.core.read_node("nope", **WAIT),
    "pod log bad container (400)": lambda c: c.core.read_namespaced_pod_log(
        "p1", SPACE, container="nope", **WAIT
    ),
    "pod log missing pod (404)": lambda c: c.core.read_namespaced_pod_log("zzz", SPACE, **WAIT),
    "uncordon": lambda c: (
        c.core.patch_node("pn3", {"spec": {"unschedulable": None}}, **WAIT).spec.unschedulable
    ),
    "strategic patch adds taint by key": lambda c: [
        taint.key
        for taint in c.core.patch_node(
            "pn4", {"spec": {"taints": [{"key": "sre/quarantine", "effect": "NoSchedule"}]}}, **WAIT
        ).spec.taints
    ],
    "patch with stale resourceVersion (409)": lambda c: c.core.patch_node(
        "pn4", {"metadata": {"resourceVersion": "1", "annotations": {"a": "b"}}}, **WAIT
    ),
    "create duplicate node (409)": lambda c: c.core.create_node(
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "pn1"}}, **WAIT
    ),
    "list pdb": lambda c: [
        (each.metadata.name, each.status.disruptions_allowed)
        for each in c.policy.list_namespaced_pod_disruption_budget(SPACE, **WAIT).items
    ],
    "evict pod guarded by PDB (429)": lambda c: c.core.create_namespaced_pod_eviction(
        "p1", SPACE, eviction("p1"), **WAIT
    ),
    "evict unguarded pod p0": lambda c: (
        type(c.core.create_namespaced_pod_eviction("p0", SPACE, eviction("p0"), **WAIT)).__name__
    ),
    "custom objects missing CRD (404)": lambda c: c.custom.list_cluster_custom_object(
        "kubeflow.org", "v1", "pytorchjobs", **WAIT
    ),
}


def said(call: Callable[[Clients], Any], clients: Clients) -> tuple[str, str]:
    """Return what the answers file says of a call: a word, and the gist."""
    try:
        return "OK", str(call(clients))
    except ApiException as error:
        body = str(error.body)
        if not body.startswith("{"):
            return f"HTTP {error.status}", f"body={body!r}"
        status = json.loads(body)
        causes = [cause["reason"] for cause in status.get("details", {}).get("causes", [])]
        message = str(status["message"])[:110]
        return f"HTTP {error.status}", f"reason={status['reason']} msg={message!r} causes={causes}"


@pytest.mark.parametrize("name", sorted(CALLS))
def test_it_answers_as_the_real_server_did(clients: Clients, name: str) -> None:
    recorded = {row[0]: (row[1], row[2]) for row in json.loads(ANSWERS.read_text())}

    assert said(CALLS[name], clients) == recorded[name]


def test_pages_are_whole_and_in_order(clients: Clients) -> None:
    first = clients.core.list_namespaced_pod(SPACE, limit=5, **WAIT)
    second = clients.core.list_namespaced_pod(SPACE, limit=5, _continue=first.metadata._continue, **WAIT)
    third = clients.core.list_namespaced_pod(SPACE, limit=5, _continue=second.metadata._continue, **WAIT)

    assert [len(page.items) for page in (first, second, third)] == [5, 5, 2]
    assert first.metadata.remaining_item_count == 7
    assert third.metadata._continue is None


def test_a_dry_run_changes_nothing(clients: Clients) -> None:
    shown = clients.core.patch_node("pn3", {"spec": {"unschedulable": True}}, dry_run="All", **WAIT)
    clients.core.create_namespaced_pod_eviction("p0", SPACE, eviction("p0"), dry_run="All", **WAIT)

    assert shown.spec.unschedulable is True
    assert clients.core.read_node("pn3", **WAIT).spec.unschedulable is None
    assert clients.core.read_namespaced_pod("p0", SPACE, **WAIT).metadata.name == "p0"


def test_a_watch_gives_what_changes_and_ends(api: KubeApi, clients: Clients) -> None:
    version = clients.core.list_namespaced_pod(SPACE, **WAIT).metadata.resource_version
    clients.core.patch_namespaced_pod("p1", SPACE, {"metadata": {"annotations": {"t": "1"}}}, **WAIT)
    clients.core.patch_namespaced_pod("p2", SPACE, {"metadata": {"annotations": {"t": "1"}}}, **WAIT)
    stream: Any = WATCH().stream(
        clients.core.list_namespaced_pod,
        SPACE,
        resource_version=version,
        label_selector="job=llm",
        timeout_seconds=1,
    )

    assert [(each["type"], each["object"].metadata.name) for each in stream] == [("MODIFIED", "p1")]

    api.store.compact()
    gone: Any = WATCH().stream(
        clients.core.list_namespaced_pod, SPACE, resource_version="1", timeout_seconds=1
    )
    with pytest.raises(ApiException) as refused:
        list(gone)
    assert refused.value.status == 410


def test_logs_are_cut_and_stamped_as_asked(clients: Clients) -> None:
    text = clients.core.read_namespaced_pod_log("p1", SPACE, tail_lines=2, timestamps=True, **WAIT)

    assert text == "2026-11-30T06:02:18Z [rank] step 18\n2026-11-30T06:02:19Z [rank] step 19\n"


def test_a_token_it_does_not_know_is_refused(api: KubeApi) -> None:
    with pytest.raises(ApiException) as refused:
        Clients(api.url, "nope").core.list_node(**WAIT)

    assert refused.value.status == 401
