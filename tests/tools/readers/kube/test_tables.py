"""Rows of `kubectl get` are objects, whichever columns were asked for."""

import pytest

from firstfault.tools.context import NO_CONTEXT
from firstfault.tools.kinds import Kind
from firstfault.tools.readers import read
from firstfault.tools.readings import Json, KubeObject
from tests.documents import document

PODS = """NAME                     READY   STATUS                  RESTARTS        AGE   IP           NODE         NOMINATED NODE   READINESS GATES   LABELS
train-0                  0/1     CrashLoopBackOff        12 (2m1s ago)   1h    10.0.0.9     gpu-7        <none>           <none>            app=train,rank=0
train-1                  1/1     Running                 0               1h    10.0.0.10    gpu-8        <none>           <none>            app=train,rank=1
api-2                    2/3     ImagePullBackOff        0               5m    <none>       <none>       <none>           <none>            <none>
driver-x                 0/1     Init:CrashLoopBackOff   3               5m    10.0.0.11    gpu-9        <none>           <none>            <none>
old-1                    0/1     Evicted                 0               2d    <none>       gpu-9        <none>           <none>            <none>
done-1                   0/1     Completed               0               2d    <none>       gpu-9        <none>           <none>            <none>
"""  # noqa: E501 - as the tool prints it
MANY = """$ kubectl get all -n shop
NAME                       READY   STATUS    RESTARTS   AGE
pod/api-7f9dd8b6c4-x7gr9   1/1     Running   0          4d

NAME          TYPE        CLUSTER-IP     EXTERNAL-IP   PORT(S)    AGE
service/api   ClusterIP   10.96.12.120   <none>        8080/TCP   4d

NAME                  READY   UP-TO-DATE   AVAILABLE   AGE
deployment.apps/api   1/3     1            1           4d

NAME                             DESIRED   CURRENT   READY   AGE
replicaset.apps/api-7f9dd8b6c4   3         3         1       4d
$ kubectl get nodes
NAME    STATUS                        ROLES           AGE   VERSION
gpu-7   NotReady,SchedulingDisabled   control-plane   44d   v1.31.2
gpu-8   Ready                         <none>          44d   v1.31.2
$ kubectl get pvc,pv
No resources found
"""


def objects(text: str, path: str = "raw/t.txt", **labels: str) -> dict[str, KubeObject]:
    reading = read(document(text, Kind.KUBECTL_GET, path, **labels), NO_CONTEXT)
    return {f"{found.kind}/{found.name}": found for found in reading.objects}


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("train-0", "status.containerStatuses.0.state.waiting.reason", "CrashLoopBackOff"),
        ("train-0", "status.containerStatuses.0.restartCount", 12),
        ("train-0", "status.containerStatuses.0.ready", False),
        ("train-0", "spec.nodeName", "gpu-7"),
        ("train-0", "metadata.labels.rank", "0"),
        ("train-0", "metadata.namespace", "ml"),
        ("train-1", "status.phase", "Running"),
        ("api-2", "status.containerStatuses.0.state.waiting.reason", "ImagePullBackOff"),
        ("api-2", "status.containerStatuses.0.restartCount", None),
        ("api-2", "spec.nodeName", None),
        ("driver-x", "status.initContainerStatuses.0.state.waiting.reason", "CrashLoopBackOff"),
        ("old-1", "status.reason", "Evicted"),
        ("done-1", "status.phase", "Succeeded"),
    ],
)
def test_rows_of_pods(name: str, path: str, value: Json) -> None:
    assert objects(PODS, namespace="ml")[f"Pod/{name}"].get(path) == value


def test_all_columns_are_kept_raw_and_the_row_can_be_cited() -> None:
    found = objects(PODS)["Pod/train-0"]
    assert found.columns["RESTARTS"] == "12 (2m1s ago)"
    assert found.columns["AGE"] == "1h"
    assert found.cite("spec.nodeName").excerpt.startswith("train-0 ")
    assert found.partial


def test_several_tables_with_the_commands_that_made_them() -> None:
    found = objects(MANY)
    assert set(found) == {
        "Pod/api-7f9dd8b6c4-x7gr9", "Service/api", "Deployment/api", "ReplicaSet/api-7f9dd8b6c4", "Node/gpu-7", "Node/gpu-8",
    }  # fmt: skip
    assert found["Pod/api-7f9dd8b6c4-x7gr9"].namespace == "shop"
    assert found["Deployment/api"].get("spec.replicas") == 3
    assert found["Deployment/api"].get("status.readyReplicas") == 1
    assert found["ReplicaSet/api-7f9dd8b6c4"].get("spec.replicas") == 3
    assert found["Node/gpu-7"].get("status.conditions.0.status") == "False"
    assert found["Node/gpu-7"].get("spec.unschedulable") is True
    assert found["Node/gpu-8"].get("spec.unschedulable") is False
    assert found["Node/gpu-7"].namespace is None


@pytest.mark.parametrize(
    ("text", "name", "path", "value"),
    [
        (
            "NAME   STATUS    VOLUME   CAPACITY   ACCESS MODES   STORAGECLASS   AGE\nckpt   Pending                                      fast           12m\n",  # noqa: E501 - as the tool prints it
            "PersistentVolumeClaim/ckpt", "spec.storageClassName", "fast",
        ),
        (
            "NAME   CAPACITY   ACCESS MODES   RECLAIM POLICY   STATUS   CLAIM     STORAGECLASS   REASON   AGE\npv-1   10Gi       RWO            Delete           Bound    ml/ckpt   fast                    5d\n",  # noqa: E501 - as the tool prints it
            "PersistentVolume/pv-1", "spec.claimRef.name", "ckpt",
        ),
        (
            "NAMESPACE   NAME      MIN AVAILABLE   MAX UNAVAILABLE   ALLOWED DISRUPTIONS   AGE\nshop        api-pdb   2               N/A               0                     5d\n",  # noqa: E501 - as the tool prints it
            "PodDisruptionBudget/api-pdb", "status.disruptionsAllowed", 0,
        ),
        ("NAME   COMPLETIONS   DURATION   AGE\nj-1    0/1           5m         5m\n", "Job/j-1", "spec.completions", 1),
        (
            "NAME   DESIRED   CURRENT   READY   UP-TO-DATE   AVAILABLE   NODE SELECTOR   AGE\ndcgm   12        12        11      12           11          <none>          9d\n",  # noqa: E501 - as the tool prints it
            "DaemonSet/dcgm", "status.numberReady", 11,
        ),
        ("NAME   PROVISIONER       RECLAIMPOLICY   VOLUMEBINDINGMODE\nfast   ebs.csi.aws.com   Delete          WaitForFirstConsumer\n", "StorageClass/fast", "provisioner", "ebs.csi.aws.com"),  # noqa: E501 - as the tool prints it
    ],
)  # fmt: skip
def test_rows_of_other_kinds(text: str, name: str, path: str, value: Json) -> None:
    assert objects(text)[name].get(path) == value


def test_a_kind_that_no_column_gives_away_is_taken_from_the_command_or_the_file_name() -> None:
    text = "NAME         AGE\nnode-feat-1  5d\n"
    assert "NodeFeature/node-feat-1" in objects(f"$ kubectl get nodefeatures -A\n{text}")
    assert "ConfigMap/node-feat-1" in objects(text, "raw/configmaps.txt")


def test_usage_is_read_in_base_units() -> None:
    text = "NAME      CPU(cores)   MEMORY(bytes)\ntrain-0   612m         1284Mi\n"
    facts = read(document(text, Kind.KUBECTL_GET, namespace="ml"), NO_CONTEXT).facts
    assert {(fact.name, fact.value) for fact in facts} == {
        ("kube.top.cpu_cores", 0.612),
        ("kube.top.memory_bytes", 1284 * 2**20),
    }
    assert {fact.entity.key for fact in facts if fact.entity} == {"pod/ml/train-0"}


def test_usage_of_nodes_has_percentages() -> None:
    text = "NAME    CPU(cores)   CPU%   MEMORY(bytes)   MEMORY%\ngpu-7   900m         90%    1500Mi          98%\n"
    facts = read(document(text, Kind.KUBECTL_GET), NO_CONTEXT).facts
    assert {fact.name: fact.value for fact in facts}["kube.top.memory_percent"] == 98.0
    assert {fact.entity.key for fact in facts if fact.entity} == {"node/gpu-7"}


@pytest.mark.parametrize(
    "text",
    ["error: Metrics API not available\n", "No resources found in ml namespace.\n", "NAME READY\n", ""],
)
def test_what_is_no_table_gives_no_object(text: str) -> None:
    assert objects(text) == {}


def test_what_is_pasted_below_a_table_is_no_row() -> None:
    text = (
        "NAME        READY   STATUS    RESTARTS   AGE\n"
        "trainer-0   0/1     Error     7          15m\n"
        "Traceback (most recent call last):\n"
        "ModuleNotFoundError: No module named 'flash_attn'\n"
        "2026-03-01T03:00:00Z worker 3 of 8 starts\n"
        "trainer-1   1/1     Running   0          15m\n"
    )
    found = read(document(text, Kind.KUBECTL_GET), NO_CONTEXT)
    assert [item.name for item in found.objects] == ["trainer-0", "trainer-1"]
