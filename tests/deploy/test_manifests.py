"""deploy/ grants what firstfault asks for, and not more."""

import re
from pathlib import Path
from typing import Any, cast

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from firstfault.agent.executor.cluster import _ALLOWED, require_allowed  # pyright: ignore[reportPrivateUsage]  # the law is about it
from firstfault.agent.executor.steps import Call, Verb
from firstfault.agent.settings import Settings
from firstfault.evals.sim.kube_api import ADMIN_TOKEN, KubeApi
from firstfault.evals.sim.kube_kinds import CUSTOM
from firstfault.tools.kinds import Kind
from firstfault.tools.kube.connection import REVIEW_PATH, ReadConnection, _Request  # pyright: ignore[reportPrivateUsage]  # as above
from firstfault.tools.kube.door import ReadDoor
from firstfault.tools.kube.errors import RefusedVerbError
from firstfault.tools.kube.plan import Scope
from firstfault.tools.kube.rights import NEEDED, REFUSED
from firstfault.tools.kube.settings import KubeSettings
from firstfault.tools.kube.source import ClusterSource
from firstfault.tools.loki.source import kind_of, selectors
from firstfault.tools.sources import Question
from firstfault.tools.times import Window
from tests.agent.executor.kit import START, kind, load_cluster, pod

DEPLOY = Path(__file__).parents[2] / "deploy"
COLLECTORS = sorted((DEPLOY / "collectors").iterdir())
Right = tuple[str, str, str]
"""(verb, group, resource with its subresource)."""
PATH = re.compile(
    r"/(?:api/v1|apis/(?P<group>[^/]+)/[^/]+)(?:/namespaces/[^/]+(?=/))?/(?P<resource>[^/]+)(?:/(?P<name>[^/]+)(?:/(?P<sub>[^/]+))?)?"
)
READS = {"get", "list"}


def objects(name: str) -> list[dict[str, Any]]:
    """Return the objects of a manifest."""
    return [each for each in yaml.safe_load_all((DEPLOY / name).read_text()) if each]


def granted(name: str) -> set[Right]:
    """Return every right that the ClusterRoles of a file grant."""
    return {
        (verb, group, resource)
        for each in objects(name)
        if each["kind"] == "ClusterRole"
        for rule in each["rules"]
        for verb in rule["verbs"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }


def right_of(method: str, path: str, *, watch: bool = False) -> Right:
    """Return the right that a request takes."""
    found = PATH.fullmatch(path)
    assert found is not None, path
    reads = "watch" if watch else "get" if found["name"] else "list"
    verb = {"GET": reads, "POST": "create", "PATCH": "patch"}[method]
    resource = f"{found['resource']}/{found['sub']}" if found["sub"] else found["resource"]
    return verb, found["group"] or "", resource


def rights(accesses: object) -> set[Right]:
    """Return accesses as rights."""
    rows = cast("tuple[Any, ...]", accesses)
    return {(a.verb, a.group, f"{a.resource}/{a.subresource}" if a.subresource else a.resource) for a in rows}


def test_the_role_grants_exactly_what_the_sources_need() -> None:
    assert granted("rbac.yaml") == rights(NEEDED)


def test_the_role_only_reads_and_never_secrets() -> None:
    have = granted("rbac.yaml")
    assert {verb for verb, _, _ in have} <= READS
    assert not have & rights(REFUSED)
    assert not any("*" in part for right in have for part in right)


def test_every_call_of_the_source_is_granted(tmp_path: Path) -> None:
    with KubeApi(served=CUSTOM) as api:
        load_cluster(api)
        made = pod("trainer-0")
        made["status"] = {"containerStatuses": [{"name": "main", "restartCount": 1}]}
        api.store.load(kind("Pod"), [made])
        (tmp_path / "token").write_text(ADMIN_TOKEN)
        door = ReadDoor(KubeSettings(host=api.url, token_file=tmp_path / "token"))
        scope = Scope(nodes=("gpu-00003",), namespaces=("research",))
        source = ClusterSource(door=door, scope=scope, clock=lambda: START)
        source.read(Question(), Window(), None)
        # What groups there are may be asked by everybody who is known (`system:discovery`).
        made_calls = {right_of(each.method, each.path) for each in api.answered if each.path != "/apis"}
    asked = {(verb, resource) for verb, _, resource in made_calls}
    assert {("list", "pods"), ("get", "nodes"), ("get", "pods/log"), ("list", "replicasets")} <= asked
    assert made_calls <= granted("rbac.yaml")


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "CONNECT"])
@pytest.mark.parametrize(
    "path", ["/api/v1/namespaces/a/pods", "/api/v1/namespaces/a/pods/b/exec", REVIEW_PATH + "/x"]
)
def test_the_guard_lets_nothing_else_out(method: str, path: str, tmp_path: Path) -> None:
    with KubeApi() as api:
        (tmp_path / "token").write_text(ADMIN_TOKEN)
        connection = ReadConnection(KubeSettings(host=api.url, token_file=tmp_path / "token"))
        with pytest.raises(RefusedVerbError):
            connection._send(_Request(method=method, path=path))  # pyright: ignore[reportPrivateUsage]  # as above
        assert api.answered == []


@given(st.data())
def test_the_executors_role_covers_its_guard(data: st.DataObject) -> None:
    verb = data.draw(st.sampled_from(sorted(_ALLOWED)))
    path = data.draw(st.from_regex(_ALLOWED[verb], fullmatch=True))
    assert right_of("PATCH" if verb is Verb.PATCH else "POST", path) in granted("executor-rbac.yaml")


VERSIONS = {
    "apps": "v1",
    "batch": "v1",
    "jobset.x-k8s.io": "v1alpha2",
    "kueue.x-k8s.io": "v1beta1",
    "argoproj.io": "v1alpha1",
    "helm.toolkit.fluxcd.io": "v2",
    "janitor.dgxc.nvidia.com": "v1alpha1",
    "nodemaintenance.medik8s.io": "v1beta1",
    "self-node-remediation.medik8s.io": "v1alpha1",
}


@pytest.mark.parametrize("right", sorted(r for r in granted("executor-rbac.yaml") if r[0] not in READS))
def test_the_executors_role_grants_no_write_that_its_guard_refuses(right: Right) -> None:
    verb, group, resource = right
    version = "v2beta1" if resource == "mpijobs" else VERSIONS.get(group, "v1")
    root = f"/apis/{group}/{version}" if group else "/api/v1"
    plural, _, sub = resource.partition("/")
    name = {"patch": "/n", "create": "/n/eviction" if sub else ""}[verb]
    kind_of_call = Verb.EVICT if sub else Verb(verb)
    for inside in ("", "/namespaces/a"):
        if _ALLOWED[kind_of_call].fullmatch(f"{root}{inside}/{plural}{name}"):
            require_allowed(Call(verb=kind_of_call, path=f"{root}{inside}/{plural}{name}"))
            return
    raise AssertionError(right)


def test_the_two_accounts_are_apart() -> None:
    readers = {s["name"] for each in objects("rbac.yaml") for s in each.get("subjects", ())}
    writers = {s["name"] for each in objects("executor-rbac.yaml") for s in each.get("subjects", ())}
    (deployment,) = (each for each in objects("serve.yaml") if each["kind"] == "Deployment")
    assert readers == {"firstfault"}
    assert not readers & writers
    assert deployment["spec"]["template"]["spec"]["serviceAccountName"] == "firstfault"
    assert deployment["spec"]["replicas"] == 1


def test_the_settings_in_the_manifest_are_settings(tmp_path: Path) -> None:
    import tomllib  # noqa: PLC0415 - one test

    (held,) = (each for each in objects("serve.yaml") if each["kind"] == "ConfigMap")
    text = held["data"]["firstfault.toml"]
    made = Settings.model_validate(tomllib.loads(text))
    assert made.kubernetes.enabled
    assert not made.serve.is_loopback
    del tmp_path


def test_the_policy_lets_nothing_in_but_alerts() -> None:
    (policy,) = (each for each in objects("serve.yaml") if each["kind"] == "NetworkPolicy")
    assert set(policy["spec"]["policyTypes"]) == {"Ingress", "Egress"}
    assert [rule["ports"][0]["port"] for rule in policy["spec"]["ingress"]] == [8321]
    assert all("from" in rule for rule in policy["spec"]["ingress"])


@pytest.mark.parametrize("file", COLLECTORS, ids=lambda file: file.name)
def test_each_collector_sets_the_labels_that_are_looked_for(file: Path) -> None:
    text = file.read_text()
    for name in ("systemd-journal", "transport", "unit", "node", "NODE_NAME"):
        assert re.search(rf"\b{name}\b", text), name
    if file.suffix == ".yaml":
        assert yaml.safe_load(text)


def test_labels_of_the_collectors_are_recognised() -> None:
    base = {"job": "systemd-journal", "node": "n"}
    assert kind_of({**base, "transport": "kernel"}) is Kind.KERNEL_LOG
    assert kind_of({**base, "transport": "journal", "unit": "kubelet.service"}) is Kind.KUBELET_LOG
    assert kind_of({**base, "transport": "stdout", "unit": "containerd.service"}) is Kind.RUNTIME_LOG
    assert kind_of({**base, "transport": "syslog", "unit": "chronyd.service"}) is Kind.JOURNAL
    assert any("{node=~" in each.logql for each in selectors(("n",), ()))
