"""Containers join what a spec asks for with what a status says, by name; a half that is missing stays empty."""

from firstfault.tools.evidence import Document
from firstfault.tools.extract.kube.containers import Container, containers_of, pod_spec_path
from firstfault.tools.readers import read
from firstfault.tools.readings import KubeObject
from tests.tools.extract.kube.reading import NOW, objects

POD = """
apiVersion: v1
kind: Pod
metadata: {name: web-0}
spec:
  initContainers: [{name: setup}]
  containers:
    - {name: web, ports: [{containerPort: 80}], resources: {limits: {memory: 1Gi}}}
    - {name: side}
status:
  containerStatuses:
    - {name: side, restartCount: 0}
    - {name: web, restartCount: "7", lastState: {terminated: {reason: OOMKilled}}}
    - {name: debugger, restartCount: x}
"""


def _object(text: str) -> KubeObject:
    document: Document = objects(text)
    (item,) = read(document, NOW).objects
    return item


def _by_name(text: str) -> dict[str, Container]:
    return {each.name: each for each in containers_of(_object(text))}


def test_spec_and_status_are_joined_by_name_whatever_their_order() -> None:
    web = _by_name(POD)["web"]
    assert web.asked("resources.limits.memory") == "1Gi"
    assert web.state("lastState", "terminated", "reason") == "OOMKilled"
    assert web.restarts == 7
    assert [port["containerPort"] for port in web.ports] == [80]


def test_init_containers_come_first() -> None:
    found = list(containers_of(_object(POD)))
    assert [(each.name, each.is_init) for each in found][:2] == [("setup", True), ("web", False)]


def test_a_container_that_only_the_status_knows() -> None:
    debugger = _by_name(POD)["debugger"]
    assert debugger.asked("resources") is None
    assert debugger.restarts == 0
    assert debugger.ports == []


def test_a_container_without_a_status_says_nothing_of_its_state() -> None:
    assert _by_name(POD)["setup"].state("state", "waiting", "reason") == ""


def test_where_the_pod_spec_sits() -> None:
    cron = "kind: CronJob\nmetadata: {name: c}\nspec: {jobTemplate: {spec: {template: {spec: {containers: [{name: a}]}}}}}\n"
    assert pod_spec_path(_object("apiVersion: batch/v1\n" + cron)) == "spec.jobTemplate.spec.template.spec"
    assert pod_spec_path(_object(POD)) == "spec"
    assert list(_by_name("apiVersion: batch/v1\n" + cron)) == ["a"]


def test_lists_that_are_none() -> None:
    broken = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: oops}\nstatus: {containerStatuses: {a: b}}\n"
    assert not list(containers_of(_object(broken)))
