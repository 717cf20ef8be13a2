"""Objects tell of their own changes: who, what, when and why, the same from a recording and from a cluster."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from firstfault.tools.bodies import MemoryBody
from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.kinds import Kind
from firstfault.tools.readers import read
from firstfault.tools.readings import Change

NOW = datetime(2026, 11, 30, 6, 0, tzinfo=UTC)
AT = "2026-11-30T05:40:00Z"
OLD = "2026-03-01T05:40:00Z"


def changes_of(*items: dict[str, Any], opened_at: datetime = NOW) -> tuple[Change, ...]:
    """Return the changes that a list of objects tells of."""
    body = json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, indent=1)
    document = Document(
        path="kubernetes/x/objects.json",
        kind=Kind.KUBE_OBJECTS,
        body=MemoryBody(body.encode()),
        source="test",
        query="GET",
    )
    return read(document, ReadContext(opened_at=opened_at, zone="UTC")).changes


def replica_set(created: str = AT) -> dict[str, Any]:
    return {
        "kind": "ReplicaSet",
        "metadata": {
            "name": "api-7d",
            "namespace": "train",
            "creationTimestamp": created,
            "annotations": {
                "deployment.kubernetes.io/revision": "12",
                "kubernetes.io/change-cause": "bump nccl",
            },
            "ownerReferences": [{"kind": "Deployment", "name": "api"}],
        },
        "spec": {"template": {"spec": {"containers": [{"image": "registry/api:9"}]}}},
    }


def test_a_revision_of_a_deployment_says_what_when_and_why() -> None:
    (change,) = changes_of(replica_set())
    assert change.what == "Deployment train/api got revision 12: registry/api:9"
    assert change.kind == "deployment"
    assert change.why == "bump nccl"
    assert change.stamp is not None
    assert change.stamp.at == datetime(2026, 11, 30, 5, 40, tzinfo=UTC)
    assert [(entity.kind, entity.name) for entity in change.scope] == [("workload", "api")]
    assert AT in change.cite().excerpt


def test_what_is_old_or_still_to_come_is_no_news() -> None:
    assert changes_of(replica_set(OLD)) == ()
    assert changes_of(replica_set(AT), opened_at=datetime(2026, 11, 28, tzinfo=UTC)) != ()


def test_a_revision_of_a_daemon_set_is_one_too() -> None:
    revision = {
        "kind": "ControllerRevision",
        "metadata": {
            "name": "nvidia-driver-5f",
            "namespace": "gpu-operator",
            "creationTimestamp": AT,
            "ownerReferences": [{"kind": "DaemonSet", "name": "nvidia-driver"}],
        },
        "revision": 4,
    }
    (change,) = changes_of(revision)
    assert change.what == "DaemonSet gpu-operator/nvidia-driver got revision 4"


def managed(manager: str, **more: object) -> dict[str, Any]:
    return {
        "kind": "DaemonSet",
        "metadata": {
            "name": "nvidia-driver",
            "namespace": "gpu-operator",
            "annotations": {"meta.helm.sh/release-name": "gpu-operator"},
            "labels": {"helm.sh/chart": "gpu-operator-25.3.0"},
            "managedFields": [{"manager": manager, "operation": "Update", "time": AT, **more}],
        },
    }


@pytest.mark.parametrize(
    ("manager", "kind"),
    [
        ("helm", "helm"),
        ("argocd-controller", "gitops_sync"),
        ("kubectl-edit", "deployment"),
        ("helm-controller", "gitops_sync"),
    ],
)
def test_who_wrote_an_object_last_is_a_change(manager: str, kind: str) -> None:
    (change,) = changes_of(managed(manager))
    assert (change.who, change.kind) == (manager, kind)
    assert ("release gpu-operator (gpu-operator-25.3.0)" in change.what) == (kind == "helm")


def test_writes_of_status_and_of_controllers_are_nobodys_decision() -> None:
    assert changes_of(managed("kube-controller-manager")) == ()
    assert changes_of(managed("my-operator", subresource="status")) == ()


def test_argo_cd_says_who_deployed_which_revision_and_what_fails() -> None:
    application = {
        "kind": "Application",
        "metadata": {"name": "train-infra", "namespace": "argocd"},
        "status": {
            "history": [
                {"id": 6, "revision": "a" * 40, "deployedAt": OLD, "source": {"repoURL": "https://git/x"}},
                {
                    "id": 7,
                    "revision": "b" * 40,
                    "deployedAt": AT,
                    "source": {"repoURL": "https://git/x"},
                    "initiatedBy": {"username": "mara"},
                },
            ],
            "operationState": {"phase": "Failed", "startedAt": AT, "message": "hook failed"},
        },
    }
    deployed, failed = changes_of(application)
    assert deployed.what == f"Argo CD deployed train-infra at {'b' * 40} from https://git/x"
    assert (deployed.who, deployed.kind) == ("mara", "gitops_sync")
    assert failed.why == "hook failed"


def test_flux_says_what_it_released_and_applied() -> None:
    release = {
        "kind": "HelmRelease",
        "metadata": {"name": "net", "namespace": "flux"},
        "status": {
            "history": [
                {
                    "chartName": "network-operator",
                    "chartVersion": "25.4.0",
                    "status": "deployed",
                    "version": 3,
                    "lastDeployed": AT,
                }
            ],
        },
    }
    applied = {
        "kind": "Kustomization",
        "metadata": {"name": "apps", "namespace": "flux"},
        "status": {
            "lastAppliedRevision": "main@sha1:abc",
            "conditions": [
                {
                    "type": "Ready",
                    "status": "True",
                    "reason": "ReconciliationSucceeded",
                    "lastTransitionTime": AT,
                }
            ],
        },
    }
    released, reconciled = changes_of(release, applied)
    assert released.what == "Flux released Helm release flux/net: network-operator-25.4.0, deployed"
    assert (
        reconciled.what == "Flux reconciled Kustomization flux/apps at main@sha1:abc: ReconciliationSucceeded"
    )


def test_a_cordon_is_a_change_at_the_time_of_its_taint() -> None:
    node = {
        "kind": "Node",
        "metadata": {"name": "gpu-7", "managedFields": [{"manager": "kubectl-cordon", "time": AT}]},
        "spec": {
            "unschedulable": True,
            "taints": [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule", "timeAdded": AT}],
        },
    }
    (change,) = changes_of(node)
    assert (change.kind, change.who, change.what) == ("cordon", "kubectl-cordon", "node gpu-7 was cordoned")


@pytest.mark.parametrize(
    "kind", ["ReplicaSet", "Deployment", "Node", "Application", "HelmRelease", "Kustomization"]
)
@pytest.mark.parametrize(
    "status", [None, [], "x", {"history": "x", "conditions": [None], "operationState": 3}]
)
def test_objects_of_another_shape_tell_of_nothing(kind: str, status: object) -> None:
    assert changes_of({"kind": kind, "metadata": {"name": "n", "managedFields": "x"}, "status": status}) == ()
