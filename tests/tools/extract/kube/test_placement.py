"""Why a pod has no node: the scheduler's own words, checked against the objects; else the objects alone."""

from dataclasses import replace

from firstfault.tools.kinds import Kind
from firstfault.tools.signals import Signal
from tests.documents import document
from tests.tools.extract.kube.reading import objects, seen

NODE = """
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {pool: a100}}
spec: {taints: [{key: gpu, effect: NoSchedule}]}
status: {allocatable: {cpu: "8"}, conditions: [{type: Ready, status: "True"}]}
"""
POD = """
apiVersion: v1
kind: Pod
metadata: {name: job-0, namespace: lab, ownerReferences: [{kind: Job, name: job}]}
spec: {containers: [{name: c}]}
status: {phase: Pending, conditions: [CONDITION]}
"""
MESSAGE = "0/1 nodes are available: 1 node(s) had untolerated taint {gpu: }."
EVENT = f"""LAST SEEN   TYPE      REASON             OBJECT      MESSAGE
2m          Warning   FailedScheduling   pod/job-0   {MESSAGE}
"""


def _placed(*items: str, events: str = "") -> list[Signal]:
    documents = [objects(*items)]
    if events:
        documents.append(replace(document(events, Kind.KUBE_EVENTS, "raw/events.txt"), complete=True))
    return [signal for signal in seen(*documents) if signal.name.startswith("kube.sched.")]


def test_an_event_and_the_objects_agree() -> None:
    pod = POD.replace("CONDITION", "")
    (found,) = _placed(NODE, pod, events=EVENT)
    assert (found.name, found.attributes["taint"]) == ("kube.sched.taint", "gpu")
    assert found.attributes["spec_against_status"] is True
    assert found.attributes["workload"] == "Job/job"
    assert found.evidence.path == "raw/events.txt"
    assert {each.path for each in found.also} == {"raw/objects.yaml"}


def test_an_event_that_the_objects_do_not_bear_out_is_no_agreement() -> None:
    plain = NODE.replace("taints: [{key: gpu, effect: NoSchedule}]", "unschedulable: false")
    (found,) = _placed(plain, POD.replace("CONDITION", ""), events=EVENT)
    assert found.name == "kube.sched.taint"
    assert "spec_against_status" not in found.attributes


def test_one_node_of_many_bears_no_witness_for_what_all_refuse() -> None:
    events = EVENT.replace("0/1", "0/4").replace("1 node(s)", "4 node(s)")
    (found,) = _placed(NODE, POD.replace("CONDITION", ""), events=events)
    assert found.attributes["spec_against_status"] is False
    (all_read,) = _placed(
        *(NODE.replace("n1", f"n{n}") for n in range(1, 5)), POD.replace("CONDITION", ""), events=events
    )
    assert all_read.attributes["spec_against_status"] is True


def test_a_request_is_too_large_for_all_nodes_only_where_all_were_read() -> None:
    events = EVENT.replace(MESSAGE, "0/2 nodes are available: 2 Insufficient cpu.")
    wants = POD.replace("CONDITION", "").replace("{name: c}", '{name: c, resources: {requests: {cpu: "64"}}}')
    (one,) = _placed(NODE, wants, events=events)
    assert one.attributes["too_large"] is False
    (both,) = _placed(NODE, NODE.replace("n1", "n2"), wants, events=events)
    assert both.attributes["too_large"] is True


def test_the_condition_outlives_the_event() -> None:
    condition = f'{{type: PodScheduled, status: "False", reason: Unschedulable, message: "{MESSAGE}"}}'
    (found,) = _placed(NODE, POD.replace("CONDITION", condition))
    assert (found.name, found.attributes["deciding"]) == ("kube.sched.taint", True)


def test_objects_alone_say_what_every_node_refuses() -> None:
    (found,) = _placed(NODE, POD.replace("CONDITION", ""))
    assert (found.name, found.attributes["nodes"], found.attributes["total"]) == ("kube.sched.taint", 1, 1)


def test_one_node_that_would_take_it_says_nothing() -> None:
    free = NODE.replace("n1", "n2").replace(
        "taints: [{key: gpu, effect: NoSchedule}]", "unschedulable: false"
    )
    assert not _placed(NODE, free, POD.replace("CONDITION", ""))


def test_a_message_that_is_none() -> None:
    odd = EVENT.replace(MESSAGE, "something else entirely")
    assert not [
        s for s in _placed(POD.replace("CONDITION", ""), events=odd) if s.evidence.path != "raw/objects.yaml"
    ]
