"""Objects in JSON and YAML; the official client's models hold the same values."""

import json
from pathlib import Path
from typing import cast

import pytest
from kubernetes.client import ApiClient

from firstfault.tools.context import NO_CONTEXT
from firstfault.tools.kinds import Kind
from firstfault.tools.readers import read
from firstfault.tools.readers.kube import lists
from firstfault.tools.readings import Json, KubeObject
from tests.documents import document

REAL = Path("tests/formats/k8s_1.36")


def objects(text: str, path: str = "raw/o.json", kind: Kind = Kind.KUBE_OBJECTS) -> list[KubeObject]:
    return list(read(document(text, kind, path), NO_CONTEXT).objects)


def official(text: str, model: str) -> Json:
    """Return the value after a round through the official client's model, as the API names its fields."""
    client = ApiClient()
    held = client.deserialize(text, model, "application/json")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - no types there
    return cast("Json", client.sanitize_for_serialization(held))  # pyright: ignore[reportUnknownMemberType]


def covers(ours: Json, theirs: Json) -> bool:
    """Return whether everything that the model kept is what we read; models drop fields that they do not know."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        return all(key in ours and covers(ours[key], value) for key, value in theirs.items())
    if isinstance(theirs, list) and isinstance(ours, list):
        return len(ours) == len(theirs) and all(
            covers(one, other) for one, other in zip(ours, theirs, strict=True)
        )
    if isinstance(ours, str) and isinstance(theirs, str) and "T" in theirs:
        return ours.rstrip("Z").split(".")[0] == theirs.split("+")[0].rstrip("Z").split(".")[0]
    return ours == theirs


@pytest.mark.parametrize(
    ("name", "model"), [("pod.json", "V1Pod"), ("node.json", "V1Node"), ("node_notready.json", "V1Node")]
)
def test_real_objects_agree_with_the_models_of_the_official_client(name: str, model: str) -> None:
    text = (REAL / name).read_text(encoding="utf-8")
    (found,) = objects(text)
    assert found.api == json.loads(text)
    assert covers(dict(found.api), official(text, model))


@pytest.mark.parametrize(
    ("name", "model"),
    [("pdb_list.json", "V1PodDisruptionBudgetList"), ("pvc_list.json", "V1PersistentVolumeClaimList")],
)
def test_real_lists_agree_with_the_models_of_the_official_client(name: str, model: str) -> None:
    text = (REAL / name).read_text(encoding="utf-8")
    theirs = cast("dict[str, list[Json]]", official(text, model))["items"]
    ours = objects(text)
    assert len(ours) == len(theirs)
    assert all(covers(dict(one.api), other) for one, other in zip(ours, theirs, strict=True))


@pytest.mark.parametrize(
    "name", ["pod.json", "node.json", "pdb_list.json", "pvc_list.json", "node_notready.json"]
)
def test_every_field_of_a_printed_object_stands_on_its_line(name: str) -> None:
    text = (REAL / name).read_text(encoding="utf-8")
    lines = text.split("\n")
    for found in objects(text):
        for path in found.lines:
            value = found.get(path) if path else None
            if isinstance(value, str) and path != "kind":
                assert (
                    json.dumps(value, ensure_ascii=False) in lines[found.line_of(path) - 1]
                    or value in lines[found.line_of(path) - 1]
                )


def test_kinds_of_items_in_a_typed_list_are_that_of_the_list() -> None:
    found = objects('{"kind": "PodList", "apiVersion": "v1", "items": [{"metadata": {"name": "a"}}]}')
    assert [(one.kind, one.name) for one in found] == [("Pod", "a")]


def test_yaml_with_several_documents() -> None:
    text = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n---\napiVersion: v1\nkind: Node\nmetadata:\n  name: b\n"
    found = objects(text, "raw/o.yaml")
    assert [(one.kind, one.name, one.line_of("metadata.name")) for one in found] == [
        ("Pod", "a", 4),
        ("Node", "b", 9),
    ]


def test_a_piece_of_an_object_takes_its_kind_from_the_file_name() -> None:
    (found,) = objects(
        "driver:\n     enabled: true\n     manager:\n       env:\n       - name: X\n",
        "raw/clusterpolicy.yaml",
    )
    assert found.kind == "ClusterPolicy"
    assert found.partial
    assert found.get("driver.manager.env.0.name") == "X"
    assert found.line_of("driver.manager.env.0.name") == 5


def test_a_server_side_table_gives_a_row_per_object() -> None:
    found = objects((REAL / "node_table.json").read_text(encoding="utf-8"), kind=Kind.KUBECTL_GET)
    assert [one.name for one in found] == ["gpu-00000", "gpu-00001"]
    assert {one.kind for one in found} == {"Node"}
    assert found[0].columns["STATUS"]


def test_the_events_of_a_watch_are_objects() -> None:
    found = objects((REAL / "watch_stream.jsonl").read_text(encoding="utf-8"))
    assert found
    assert {one.kind for one in found} == {"Node"}


def test_cut_json_gives_what_stands_before_the_cut_and_says_so() -> None:
    text = (REAL / "pod.json").read_text(encoding="utf-8")[:4000]
    reading = read(document(text, Kind.KUBE_OBJECTS, "raw/o.json"), NO_CONTEXT)
    assert reading.objects[0].name == "gpu-job0000-0"
    assert "what stands before it was read" in reading.problems[0]


def test_status_answers_inside_log_lines_are_objects() -> None:
    line = 'HTTP response body: {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","reason":"Forbidden","details":{"name":"p"},"code":403}'  # noqa: E501 - as the tool prints it
    (found,) = objects(f"first line\n{line}\n", "raw/hub.log", Kind.APPLICATION_LOG)
    assert (found.kind, found.name, found.line_of("reason")) == ("Status", "p", 2)


DIGEST = """{
  "pods": [
    {
      "name": "api-1", "namespace": "shop", "phase": "Running", "node_name": "n1",
      "deletion_timestamp": "2026-04-18T09:38:00Z",
      "containers": [
        {"name": "api", "ready": false, "restart_count": 6,
         "state": {"waiting": true, "reason": "CrashLoopBackOff", "message": "back-off 2m0s"}}
      ],
      "conditions": [{"type": "Ready", "status": "False", "reason": "ContainersNotReady"}]
    }
  ],
  "nodes": [{"name": "n1", "ready": "True", "disk_pressure": "False", "capacity_gpu": "8", "instance_type": "p5"}],
  "deployments": [{"name": "api", "namespace": "shop", "desired": 3, "ready": 1, "unavailable": 2}]
}
"""


@pytest.mark.parametrize(
    ("kind", "path", "value", "line"),
    [
        ("Pod", "spec.nodeName", "n1", 4),
        ("Pod", "metadata.deletionTimestamp", "2026-04-18T09:38:00Z", 5),
        ("Pod", "status.phase", "Running", 4),
        ("Pod", "status.containerStatuses.0.restartCount", 6, 7),
        ("Pod", "status.containerStatuses.0.state.waiting.reason", "CrashLoopBackOff", 8),
        ("Pod", "status.conditions.0.reason", "ContainersNotReady", 10),
        ("Node", "status.conditions.0.type", "Ready", 13),
        ("Node", "status.capacity.[nvidia.com/gpu]", "8", 13),
        ("Node", "metadata.labels.[node.kubernetes.io/instance-type]", "p5", 13),
        ("Deployment", "spec.replicas", 3, 14),
        ("Deployment", "status.unavailableReplicas", 2, 14),
    ],
)
def test_short_forms_of_tools_are_put_into_the_shape_of_the_api(
    kind: str, path: str, value: Json, line: int
) -> None:
    (found,) = [one for one in objects(DIGEST) if one.kind == kind]
    assert found.get(path) == value
    assert found.line_of(path) == line


def test_writes_in_an_audit_log_are_changes_with_their_author() -> None:
    text = (REAL / "audit_reads.jsonl").read_text(encoding="utf-8")
    changes = read(document(text, Kind.AUDIT_LOG, "raw/audit.log"), NO_CONTEXT).changes
    assert {change.what.split("/")[0] for change in changes} == {
        "create namespaces",
        "create nodes",
        "create pods",
        "patch nodes",
    }
    assert all(change.who and change.stamp and change.stamp.at for change in changes)


def test_refused_writes_changed_nothing() -> None:
    text = (REAL / "audit_403_writes.jsonl").read_text(encoding="utf-8")
    refused = sum(
        1 for line in text.splitlines() if json.loads(line).get("responseStatus", {}).get("code", 0) >= 400
    )
    changes = read(document(text, Kind.AUDIT_LOG, "raw/audit.log"), NO_CONTEXT).changes
    assert refused > 0
    assert not [change for change in changes if "(403)" in change.what]


def test_a_cut_audit_record_in_a_mixed_line_is_read_from_its_address() -> None:
    line = (
        'x\tI0306 23:52:32.125600      12 cacher.go:752] queued {"kind":"Event","apiVersion":"audit.k8s.io/v1","stage":"ResponseComplete",'  # noqa: E501 - as the tool prints it
        '"requestURI":"/api/v1/namespaces/app-uat","verb":"delete","user":{"username":"system:serviceaccount:ci:bot"},"sourceIPs":["1.'
    )
    (change,) = read(document(line, Kind.AUDIT_LOG), NO_CONTEXT).changes
    assert (change.what, change.kind, change.who) == (
        "delete namespaces/app-uat",
        "delete",
        "system:serviceaccount:ci:bot",
    )
    assert [entity.key for entity in change.scope] == ["namespace/app-uat"]


def test_a_large_list_is_read_like_a_small_one(monkeypatch: pytest.MonkeyPatch) -> None:
    pod = json.loads((REAL / "pod.json").read_text(encoding="utf-8"))
    event = {
        "kind": "Event",
        "reason": "BackOff",
        "type": "Warning",
        "message": "m",
        "involvedObject": {"kind": "Pod", "name": "p"},
    }
    text = json.dumps(
        {"kind": "List", "items": [pod, event, {**pod, "metadata": {"name": "second"}}]}, indent=1
    )
    small = read(document(text, Kind.KUBE_OBJECTS, "raw/o.json"), NO_CONTEXT)
    monkeypatch.setattr(lists, "LARGE_LIST_CHARS", 10)
    large = read(document(text, Kind.KUBE_OBJECTS, "raw/o.json"), NO_CONTEXT)
    assert [(found.name, found.kind, found.api) for found in large.objects] == [
        (found.name, found.kind, found.api) for found in small.objects
    ]
    assert [dict(found.lines) for found in large.objects] == [dict(found.lines) for found in small.objects]
    assert [(found.reason, found.line, found.line_end) for found in large.events] == [
        ("BackOff", small.events[0].line, small.events[0].line_end)
    ]


def test_a_typed_large_list_gives_its_items_their_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "LARGE_LIST_CHARS", 10)
    (found,) = objects('{"kind": "PodList", "apiVersion": "v1", "items": [{"metadata": {"name": "a"}}]}')
    assert (found.kind, found.name) == ("Pod", "a")


def test_a_large_list_that_breaks_is_read_as_far_as_it_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "LARGE_LIST_CHARS", 10)
    reading = read(
        document(
            '{"items": [{"kind": "Pod", "metadata": {"name": "a"}}, {"kind": "Pod", "meta', Kind.KUBE_OBJECTS
        ),
        NO_CONTEXT,
    )
    assert [found.name for found in reading.objects if found.name] == ["a"]
    assert reading.problems
